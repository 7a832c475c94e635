import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { campaign, marksOf, runCampaign } from './message/campaign/campaignNode';
import {
	addContact,
	addContacts,
	chosen,
	patientRuntime,
	sentLines,
	useSandbox,
	variablesOf,
} from './support';

/** A message is checked against the template that the service has, whatever the editor has saved. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const confirmed = { opt_in_status: 'confirmed' as const };
const list = 'GET /v1/templates';
const post = 'POST /v1/messages/template';
const lines = () => sentLines(sandbox).map((line) => line.replace(/[0-9a-f-]{36}/, '*'));
const messages = () => sandbox.store.sentMessages;

/** What the editor saves while it shows no field. */
const unsaved = { mappingMode: 'defineBelow', value: null };
const other = (values: Record<string, string>): INodeParameters => ({
	variables: { values: Object.entries(values).map(([name, value]) => ({ name, value })) },
});
const addTemplate = (record: object) => sandbox.store.templates.push(record as never);

describe('a campaign whose editor showed no fields', () => {
	const parameters = campaign({}, { templateVariables: unsaved });

	test('sends and marks nothing if the template has a variable, and says which', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const { failed, statuses, hints } = await runCampaign(sandbox, contacts, { parameters });
		expect(statuses).toEqual(['failed', 'failed', 'failed']);
		expect(failed[0].error).toMatch(/^Variables of the template are blank: "name" \[item 1, /);
		expect(hints.at(-1)).toMatch(/^3 items: 3 failed\. 1 request\./);
		expect(messages()).toEqual([]);
		expect(contacts.flatMap((each) => marksOf(sandbox, each))).toEqual([]);
		expect(lines()).toEqual([list]);
	});

	test('stops before the first contact if only the last item has a blank', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const name = '={{ $itemIndex < 2 ? "Anna" : " \\u200b\\u00a0" }}';
		const blankAtLast = campaign(other({ name }), { templateVariables: unsaved });
		const { error } = await runCampaign(sandbox, contacts, {
			parameters: blankAtLast,
			onError: undefined,
		});
		expect(error?.message).toMatch(/^Variables of the template are blank: "name" \[item 3, /);
		expect(lines()).toEqual([list]);
		const { statuses } = await runCampaign(sandbox, contacts, { parameters: blankAtLast });
		expect(statuses).toEqual(['sent', 'sent', 'failed']);
	});

	test('is told so by its dry run', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		const dryRun = campaign({ dryRun: true }, { templateVariables: unsaved });
		const { statuses, error } = await runCampaign(sandbox, contacts, { parameters: dryRun });
		expect([statuses, error]).toEqual([['failed', 'failed'], undefined]);
	});

	test('sends if it is to send blank variables, and does not ask for the templates', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		const blank = campaign({ sendBlankVariables: true }, { templateVariables: unsaved });
		const { statuses } = await runCampaign(sandbox, contacts, { parameters: blank });
		expect(statuses).toEqual(['sent']);
		expect(lines()).not.toContain(list);
	});

	test('checks each item against its own template', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const template = chosen('name', '={{ ["welcome", "question", "plain"][$itemIndex] }}');
		addTemplate({ name: 'plain', body: 'Hello there!' });
		const { statuses } = await runCampaign(sandbox, contacts, {
			parameters: campaign(other({ name: 'Anna' }), { template, templateVariables: unsaved }),
		});
		expect(statuses).toEqual(['sent', 'failed', 'sent']);
		expect(lines().filter((line) => line === list)).toHaveLength(1);
	});
});

describe('a campaign whose template has changed since it was saved', () => {
	const saved = { templateVariables: variablesOf({ name: 'Anna' }) };

	test('sends nothing if it has one variable more', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		addTemplate({ name: 'offer', body: 'Hi {{name}}, take {{code}}!' });
		const parameters = campaign({}, { ...saved, template: chosen('name', 'offer') });
		const { failed } = await runCampaign(sandbox, contacts, { parameters });
		expect(failed[1].error).toMatch(/^Variables of the template are blank: "code"/);
		expect(messages()).toEqual([]);
	});

	test('needs no value for a variable that is gone, and still sends the value it has', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		addTemplate({ name: 'offer', body: 'Hi {{name}}!' });
		const parameters = campaign(
			{},
			{
				templateVariables: variablesOf({ name: 'Anna', gone: '', old: 'x' }),
				template: chosen('name', 'offer'),
			},
		);
		await runCampaign(sandbox, contacts, { parameters });
		expect(messages()).toMatchObject([{ variables: { name: 'Anna', old: 'x' } }]);
	});

	test('is checked by what was saved if the service shows nothing of it', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		addTemplate({ id: 'tpl_hidden', name: 'hidden' });
		const hidden = { template: chosen('id', 'tpl_hidden') };
		const blank = campaign({}, { ...hidden, templateVariables: variablesOf({ name: '' }) });
		const { statuses: first } = await runCampaign(sandbox, contacts, { parameters: blank });
		const complete = campaign({}, { ...hidden, ...saved });
		const { statuses: second } = await runCampaign(sandbox, contacts, { parameters: complete });
		expect([first, second]).toEqual([['failed'], ['sent']]);
	});

	test('needs the variables of all templates that have its name', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		addTemplate({ id: 'a', name: 'offer', language: 'en', body: 'Hi {{name}}!' });
		addTemplate({ id: 'b', name: 'offer', language: 'de', body: 'Hallo {{name}}: {{code}}!' });
		const run = async (template: INodeParameters[string]) =>
			await runCampaign(sandbox, contacts, { parameters: campaign({}, { ...saved, template }) });
		expect((await run(chosen('name', 'offer'))).statuses).toEqual(['failed']);
		expect((await run(chosen('list', 'a'))).statuses).toEqual(['sent']);
	});
});

describe('a campaign without the list of templates', () => {
	test.each([
		['fails', { status: 500 }],
		['is refused', { status: 403 }],
		['is missing', { status: 404 }],
		['needs another plan', { status: 402 }],
		['is a web page', { html: true }],
		['is no list', { status: 200, body: '{"id":"x"}' }],
	] as const)('sends and marks nothing, if it %s', async (_name, kind) => {
		const contacts = addContacts(sandbox, 2, confirmed);
		sandbox.fail({ match: { path: '/v1/templates' }, times: 9, kind });
		const { failed } = await runCampaign(sandbox, contacts);
		expect(failed).toHaveLength(2);
		expect(JSON.stringify(failed[0])).toContain('No message was sent');
		expect(lines().every((line) => line === list)).toBe(true);
	});

	test('that has the template in it sends nothing, and says what to do', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		const parameters = campaign({}, { template: chosen('name', 'welcmoe') });
		const { error } = await runCampaign(sandbox, contacts, { parameters, onError: undefined });
		expect(error?.message).toMatch(/^The service lists no template "welcmoe" \[item 1/);
		expect(error?.description).toContain("turn on 'Send Blank Variables'");
		expect(lines()).toEqual([list]);
	});
});

describe('one message', () => {
	const send = (more: INodeParameters = {}): INodeParameters => ({
		resource: 'message',
		operation: 'sendTemplate',
		contactId: chosen('id', '={{ $json.id }}'),
		template: chosen('name', 'welcome'),
		...more,
	});
	const run = async (
		parameters: INodeParameters,
		runtime = patientRuntime().runtime,
		count = 1,
	) => {
		const items: IDataObject[] = addContacts(sandbox, count).map(({ id }) => ({ id }));
		return await runNode(sandbox, { parameters, items, runtime });
	};

	test('takes one request if its fields were saved, whatever the list says', async () => {
		sandbox.fail({ match: { path: '/v1/templates' }, times: 9, kind: { status: 500 } });
		const { error } = await run(send({ templateVariables: variablesOf({ name: 'Anna' }) }));
		expect(error).toBeUndefined();
		expect(lines()).toEqual([post]);
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

	test('is not sent if a variable with blanks in its name is blank', async () => {
		addTemplate({ name: 'named', body: 'Hello {{first name}}!' });
		const { error } = await run(send({ template: chosen('name', 'named') }));
		expect(error?.message).toMatch(/^Variables of the template are blank: "first name"/);
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

	test('that waits for a reply is checked before anything is subscribed', async () => {
		const [{ id }] = addContacts(sandbox, 1);
		const { error } = await runNode(sandbox, {
			parameters: { ...send(), operation: 'sendAndWait' },
			items: [{ id }],
		});
		expect(error?.message).toMatch(/^Variables of the template are blank: "name"/);
		expect(lines()).toEqual([list]);
	});
});

/** A value, and whether people see nothing of it. */
const anyVariable = fc.oneof(
	{
		weight: 3,
		arbitrary: fc
			.constantFrom('Anna', '0', 'é', '😀', 'a b')
			.map((text) => ({ text, isBlank: false })),
	},
	{
		weight: 1,
		arbitrary: fc
			.string({
				unit: fc.constantFrom(
					' ',
					'\n',
					'\t',
					'\u00a0',
					'\u200b',
					'\u2060',
					'\u3164',
					'\u00ad',
					'\ufe0f',
					'\u{e0100}',
					'\u2800',
				),
			})
			.map((text) => ({ text, isBlank: true })),
	},
);
const NAMES = ['1', '2', 'first_name', 'größe'];
const scenario = fc.record({
	/** The variables of the service's template. */
	variables: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }),
	isListed: fc.boolean(),
	/** What the editor has saved. */
	saved: fc.constantFrom('nothing' as const, 'stale' as const, 'complete' as const),
	mapped: fc.dictionary(fc.constantFrom(...NAMES), anyVariable),
	others: fc.dictionary(fc.constantFrom(...NAMES), anyVariable),
	sendsBlank: fc.boolean(),
	isCampaign: fc.boolean(),
});

test('nobody gets or is marked for a message with a blank variable', async () => {
	const check = async ({
		variables,
		isListed,
		saved,
		mapped,
		others,
		sendsBlank,
		isCampaign,
	}: typeof scenario extends fc.Arbitrary<infer S> ? S : never) => {
		sandbox.reset();
		const contact = addContact(sandbox, confirmed);
		const text = ['Dear customer,', ...variables.map((name) => `{{${name}}}`)].join(' ');
		addTemplate({ name: 'any', ...(isListed ? { variables } : { body: text }) });
		const shown: string[] = {
			nothing: [],
			stale: ['old', ...variables.slice(1)],
			complete: variables,
		}[saved];
		const texts = (given: typeof mapped) =>
			Object.fromEntries(Object.entries(given).map(([name, each]) => [name, each.text]));
		const { schema } = variablesOf(Object.fromEntries(shown.map((name) => [name, ''])));
		// The editor keeps values only for the fields that it shows.
		const own = Object.fromEntries(Object.entries(mapped).filter(([name]) => shown.includes(name)));
		const templateVariables = { mappingMode: 'defineBelow', value: texts(own), schema };
		const options: INodeParameters = {
			...other(texts(others)),
			...(sendsBlank && { sendBlankVariables: true }),
		};
		const more = { template: chosen('name', 'any'), templateVariables };
		const parameters = isCampaign
			? campaign(options, more)
			: { ...campaign(options, more), operation: 'sendTemplate' };
		await runCampaign(sandbox, [contact], { parameters });

		const isFilled = (name: string) =>
			[own, others].some((given) => Object.hasOwn(given, name) && !given[name].isBlank);
		const isComplete = variables.every(isFilled);
		const sees = isCampaign || saved !== 'stale';
		const count = messages().length;
		if (!sendsBlank && !isComplete && sees) {
			expect([count, marksOf(sandbox, contact)]).toEqual([0, []]);
		}
		const mustBeSent = sendsBlank || (isComplete && sees);
		if (mustBeSent) expect(count).toBe(1);
		if (!isCampaign && saved === 'complete' && variables.length > 0 && count === 1) {
			expect(lines()).toEqual([post]);
		}
		if (isCampaign)
			expect(lines().filter((line) => line === list)).toHaveLength(sendsBlank ? 0 : 1);
	};
	await fc.assert(fc.asyncProperty(scenario, check), { numRuns: 60 });
}, 60_000);
