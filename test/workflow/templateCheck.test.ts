import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { addContacts, chosen, patientRuntime, variablesOf } from './support';
import {
	addTemplate,
	lines,
	list,
	other,
	post,
	sandbox,
	send,
	testBlankVariables,
} from './templateChecks';

describe('one message', () => {
	const run = async (
		parameters: INodeParameters,
		runtime = patientRuntime().runtime,
		count = 1,
	) => {
		const items: IDataObject[] = addContacts(sandbox, count).map(({ id }) => ({ id }));
		return await runNode(sandbox, { parameters, items, runtime });
	};

	test.each<[string, Record<string, string>]>([
		['an earlier version of the template', { 1: 'Anna' }],
		['another template', { name: 'Anna' }],
	])('is not sent if its fields were saved for %s', async (_name, values) => {
		const template = chosen('name', 'order_shipped');
		for (const more of [{}, { options: { campaignKey: 'spring' } }]) {
			const templateVariables = variablesOf(values);
			const { error } = await run(send({ template, templateVariables, ...more }));
			expect(error?.message).toMatch(/^Variables of the template are blank: .*"2"$/);
		}
		expect(lines()).toEqual([list, list]);
	});

	describe.each(['sendTemplate', 'sendAndWait'])('by %s', (operation) => {
		const saved = (values: Record<string, string>, more: INodeParameters = {}) =>
			send({ operation, templateVariables: variablesOf(values), ...more });

		test.each<[string, object, Record<string, string>, string]>([
			['fewer variables', { body: 'Hi {{name}}!' }, { name: 'Anna', code: 'X1' }, '"code: '],
			['none', { body: 'Hello there!' }, { 1: 'Anna', 2: 'A-1' }, '"1: '],
			['an empty list of them', { variables: [] }, { name: 'Anna' }, '"name: '],
			['others', { variables: ['city'] }, { city: 'Bern', town: 'Bern' }, '"town: '],
		])('is not sent with a value that the template, with %s, does not take', async (...row) => {
			const [, record, values, named] = row;
			addTemplate({ name: 'offer', ...record });
			const template = chosen('name', 'offer');
			const { error } = await run(saved(values, { template }));
			expect(error?.message).toMatch(/^The template has no variable /);
			expect(error?.message).toContain(named);
			expect(lines()).toEqual([list]);
			// As the error advises: the editor takes the fields of the template again, and drops the others.
			sandbox.requests.length = 0;
			const left = Object.entries(values).filter(([name]) => name === 'name' || name === 'city');
			const kept = Object.fromEntries(named === '"name: ' ? [] : left);
			const { error: after } = await run(saved(kept, { template }));
			expect(after).toBeUndefined();
			expect(sandbox.store.sentMessages).toMatchObject([{ variables: kept }]);
		});

		test.each<[string, object, INodeParameters]>([
			['the service shows no variables', {}, {}],
			[
				'the field is left blank',
				{ body: 'Hi there!' },
				{ templateVariables: variablesOf({ old: '' }) },
			],
			[
				'it is one of Other Variables, for what the service does not show',
				{ variables: [] },
				{ templateVariables: variablesOf({}), options: other({ code: 'X1' }) },
			],
		])('is sent if %s', async (_name, record, more) => {
			addTemplate({ name: 'offer', id: 'tpl_offer', ...record });
			const template = chosen('name', 'offer');
			const { error } = await run(saved({ old: 'x' }, { template, ...more }));
			expect(error).toBeUndefined();
			expect(sandbox.store.sentMessages).toHaveLength(1);
		});
	});

	test('takes one request, and one more once in five minutes', async () => {
		const { runtime } = patientRuntime();
		const parameters = send({ templateVariables: variablesOf({ name: 'Anna' }) });
		await run(parameters, runtime, 2);
		await run(parameters, runtime);
		expect(lines()).toEqual([list, post, post, post]);
	});

	test('is not sent if nothing was saved, and a variable of the template is blank', async () => {
		const { error } = await run(send(other({ name: '\u200b\u2060' })));
		expect(error?.message).toMatch(/^Variables of the template are blank: "name"/);
		expect(lines()).toEqual([list]);
	});

	test.each([chosen('name', '={{ $json.template }}'), '={{ $json.template }}'])(
		'is checked if its template is chosen by expression: saved fields are those of another (%j)',
		async (template) => {
			const templateVariables = variablesOf({ 1: 'Anna', 2: 'A-1' });
			const parameters = send({ template, templateVariables });
			const [{ id }] = addContacts(sandbox, 1);
			const items = [{ template: 'welcome' }, { template: 'order_shipped' }];
			const { output } = await runNode(sandbox, {
				parameters,
				items: items.map((item) => ({ ...item, id })),
				onError: 'continueRegularOutput',
			});
			expect(output[0].json.error).toMatch(/^Variables of the template are blank: "name"/);
			expect(lines()).toEqual([list, post]);
		},
	);

	test.each(['first name', 'constructor'])('is not sent if {{%s}} is blank', async (name) => {
		addTemplate({ name: 'named', body: `Hello {{${name}}}!` });
		const { error } = await run(send({ template: chosen('name', 'named') }));
		expect(error?.message).toMatch(`Variables of the template are blank: "${name}"`);
	});

	test('asks once for many items, and again after five minutes', async () => {
		const { runtime, clock } = patientRuntime();
		const parameters = send({ options: other({ name: 'Anna' }) });
		await run(parameters, runtime, 3);
		expect(lines()).toEqual([list, post, post, post]);
		await clock.sleep(4 * 60_000);
		await run(parameters, runtime);
		expect(lines().slice(4)).toEqual([post]);
		const { error } = await run(send(), runtime);
		expect(error?.message).toMatch(/^Variables of the template are blank: "name"/);
		await clock.sleep(61_000);
		await run(parameters, runtime);
		expect(lines().slice(5)).toEqual([list, post]);
	});

	test('asks again for a template that it does not know yet', async () => {
		const { runtime } = patientRuntime();
		const parameters = send({ template: chosen('name', 'newest') });
		const { error } = await run(parameters, runtime);
		expect(error?.message).toMatch(/^The service lists no template "newest"/);
		addTemplate({ name: 'newest', body: 'Hello there!' });
		await run(parameters, runtime);
		expect(lines()).toEqual([list, list, post]);
	});

	test('remembers the templates of each account by itself', async () => {
		const { runtime } = patientRuntime();
		const parameters = send({ options: other({ name: 'Anna' }) });
		await run(parameters, runtime);
		const [{ id }] = addContacts(sandbox, 1);
		const credential = { baseUrl: `${sandbox.url}/`.replace('127.0.0.1', 'localhost') };
		await runNode(sandbox, { parameters, items: [{ id }], runtime, credential });
		expect(lines()).toEqual([list, post, list, post]);
	});

	test('is not sent if the list cannot be read, and a later try reads it', async () => {
		sandbox.fail({ match: { path: '/v1/templates' }, times: 3, kind: { status: 500 } });
		const { runtime } = patientRuntime();
		const parameters = send({ options: other({ name: 'Anna' }) });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const items = addContacts(sandbox, 1).map(({ id }) => ({ id }));
		const { error } = await runNode(sandbox, { parameters, items, runtime, settings });
		expect(error).toBeUndefined();
		expect(lines()).toEqual([list, list, list, list, post]);
	});

	test('with a body of its own is sent as it is', async () => {
		const body = '{ "variables": { "name": "Anna" } }';
		const { error } = await run(send({ options: { body } }));
		expect(error).toBeUndefined();
		expect(lines()).toEqual([post]);
	});
});

testBlankVariables(send());
