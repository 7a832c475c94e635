import type { INodeParameters } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { expectPlain, HOSTILE_TEXT, HOSTILE_TEXTS } from '../support/hostileTexts';
import { editorContext } from './editorContext';
import { contactParameters } from './parameters';
import { detailsOf, runNode } from '../../tools/engine/runNode';
import { addContact, chosen, contactId, useSandbox } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';

/** What the service and its contacts say is text wherever a person reads it, and data in the output. */
const sandbox = useSandbox();
const { listSearch, loadOptions, resourceMapping } = new WorkspaceCrm().methods;
const written = HOSTILE_TEXTS.map(([text]) => text);
const refusal = { kind: { status: 422, detail: HOSTILE_TEXT }, times: 10 };
afterEach(async () => await stopTriggers());

/** As the editor asks for lists, columns and the like. */
const contextOf = (parameters: INodeParameters) => editorContext(sandbox, parameters);

const getWorkspace = { resource: 'workspace', operation: 'get' };

test('is plain in an error and in a failed item', async () => {
	sandbox.fail(refusal);
	const { error } = await runNode(sandbox, { parameters: getWorkspace });
	expectPlain(error?.message, false);
	expectPlain(error?.description);
	for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
		const { json, failed } = await runNode(sandbox, { parameters: getWorkspace, onError });
		expectPlain(detailsOf([...json, ...failed][0]).description);
	}
});

test('is plain in an error about several tags', async () => {
	addContact(sandbox, { id: contactId });
	sandbox.fail({ ...refusal, match: { path: /tags/ }, skip: 1 });
	const { error } = await runNode(sandbox, {
		parameters: {
			resource: 'tag',
			operation: 'add',
			contactId: chosen('id', contactId),
			tags: `={{ ${JSON.stringify([written[0], 'x'.repeat(10_000), written[1]])} }}`,
		},
	});
	expectPlain(error?.description);
	expect(error?.description).toContain('(HTTP 422)');
	expect(error?.description?.length).toBeLessThan(4_000);
});

test.each<[string, INodeParameters]>([
	['a phone number', { resource: 'contact', operation: 'upsert', phone: '={{ $json.text }}' }],
	['an ID', contactParameters('get', chosen('id', '={{ $json.text }}'))],
	[
		'a broken JSON',
		{
			resource: 'contact',
			operation: 'upsert',
			phone: '+4915123456789',
			additionalFields: { attributesJson: '={{ $json.text }}' },
		},
	],
	[
		'a list of tags',
		{
			resource: 'tag',
			operation: 'add',
			contactId: chosen('id', contactId),
			tags: '={{ "[" + $json.text + "]" }}',
		},
	],
	['a limit', { resource: 'contact', operation: 'getAll', limit: '={{ $json.text }}' }],
	[
		'a URL',
		{
			resource: 'subscription',
			operation: 'create',
			url: '={{ $json.text }}',
			events: ['tag.added'],
		},
	],
])('is plain and short in an error that quotes %s of an item', async (_, parameters) => {
	for (const text of [...written, HOSTILE_TEXT, 'y'.repeat(100_000)]) {
		// The names of items are written by others, too.
		const items = [{ text, name: text }, { text }];
		const { error } = await runNode(sandbox, { parameters, items });
		expect(error?.message).toMatch(/ \[item 1, .+\]$/);
		expectPlain(error?.message, false);
		expectPlain(error?.description, false);
		expect(`${error?.message}${error?.description}`.length).toBeLessThan(1_000);
	}
});

describe('is plain in a drop-down, whose values stay unchanged:', () => {
	test.each(['searchContacts', 'searchSegments', 'searchTags', 'searchAttributes'] as const)(
		'%s',
		async (method) => {
			const phoneOf = (index: number) => `+49151234567${10 + index}`;
			written.forEach((name, index) => {
				addContact(sandbox, {
					phone: phoneOf(index),
					name,
					attributes: { [name]: 1 },
					tags: [name],
				});
				sandbox.store.segments.push({ id: `${name}-id`, name, rule: {} });
			});
			const { results } = await listSearch[method].call(contextOf({}));
			expectPlain(results.map(({ name }) => name).join(' '));
			const { contacts } = sandbox.store;
			const values = {
				searchContacts: [...contacts.keys()],
				searchSegments: written.map((name) => `${name}-id`),
				searchTags: written,
				searchAttributes: written,
			};
			expect(results.map(({ value }) => value)).toEqual(expect.arrayContaining(values[method]));
		},
	);

	test('searchTemplates', async () => {
		written.forEach((body, index) =>
			sandbox.store.templates.push({ id: `t${index}`, name: body, body } as never),
		);
		const { results } = await listSearch.searchTemplates.call(contextOf({}));
		const shown = results.map(({ name }) => name).join(' ');
		expectPlain(shown);
		expect(shown).toContain('‹b style="color:red');
		expect(results.map(({ value }) => value)).toEqual(
			expect.arrayContaining(written.map((_, index) => `t${index}`)),
		);
	});

	test('but a value that n8n would run as an expression is not offered', async () => {
		addContact(sandbox, { tags: ['={{ $env.SECRET }}', '= x', 'a = b'] });
		const options = await loadOptions.getTags.call(contextOf({}));
		expect(options).toEqual([{ name: 'a = b', value: 'a = b' }]);
		const { results } = await listSearch.searchTags.call(contextOf({}));
		expect(results).toEqual([{ name: 'a = b', value: 'a = b' }]);
	});

	test('but a name that n8n would run as an expression is changed', async () => {
		sandbox.store.segments.push({ id: 'a', name: '={{ $env.SECRET }}', rule: {} });
		const { results } = await listSearch.searchSegments.call(contextOf({}));
		expect(results).toContainEqual({ name: "'={{ $env.SECRET }}", value: 'a' });
	});
});

test('is plain in the variables of a template', async () => {
	const body = written.map((text, index) => `${text.slice(0, 13)}{{${index}}}`).join(' ');
	sandbox.store.templates.push({ id: 't', name: 't', body, variables: undefined } as never);
	sandbox.store.templates.push({ id: 'named', name: 'named', variables: written } as never);
	for (const [template, whole] of [
		['t', false],
		['named', true],
	] as const) {
		const operation = { resource: 'message', operation: 'sendTemplate' };
		const parameters = { ...operation, template: chosen('id', template) };
		const { fields } = await resourceMapping.getTemplateVariables.call(contextOf(parameters));
		expect(fields).toHaveLength(written.length);
		expectPlain(fields.map(({ displayName }) => displayName).join(' '), whole);
		if (whole) expect(fields.map(({ id }) => id)).toEqual(written);
	}
});

test('in the error of a publishing, and in the log of an unpublishing', async () => {
	const { sandbox: service, host } = await startTrigger({ attempts: 1 });
	service.fail({ ...refusal, match: { method: 'GET' }, times: 1 });
	const error = await host.publish().catch((failure: Error) => failure);
	expectPlain((error as unknown as Error).message);
	expect(error).toHaveProperty('description', undefined);

	await host.publish();
	service.fail({ ...refusal, match: { method: 'DELETE' } });
	await host.unpublish();
	expect(host.log).toHaveLength(1);
	expectPlain(host.log[0]);
});

test('is unchanged in output data', async () => {
	const attributes = Object.fromEntries(written.map((key) => [key, key]));
	addContact(sandbox, { id: contactId, name: HOSTILE_TEXT, tags: written, attributes });
	const parameters = contactParameters('get', chosen('id', contactId));
	const { json } = await runNode(sandbox, { parameters });
	expect(json[0]).toMatchObject({ name: HOSTILE_TEXT, tags: written, attributes });
});
