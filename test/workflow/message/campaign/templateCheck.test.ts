import type { INodeParameters } from 'n8n-workflow';

import { marksOf } from '../../marks';
import { addContacts, chosen, variablesOf } from '../../support';
import {
	addTemplate,
	confirmed,
	lines,
	list,
	messages,
	other,
	sandbox,
	testBlankVariables,
} from '../../templateChecks';
import { campaign, runCampaign } from './campaignNode';

/** What the editor saves while it shows no field. */
const unsaved = { mappingMode: 'defineBelow', value: null };

describe('a campaign whose editor showed no fields', () => {
	const parameters = campaign({}, { templateVariables: unsaved });

	test('sends and marks nothing if the template has a variable, and says which', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const { failed, results, hints } = await runCampaign(sandbox, contacts, { parameters });
		expect(results).toEqual(['failed', 'failed', 'failed']);
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
		const { results } = await runCampaign(sandbox, contacts, { parameters: blankAtLast });
		expect(results).toEqual(['sent', 'sent', 'failed']);
	});

	test('is told so by its dry run', async () => {
		const contacts = addContacts(sandbox, 2, confirmed);
		const dryRun = campaign({ dryRun: true }, { templateVariables: unsaved });
		const { results, error } = await runCampaign(sandbox, contacts, { parameters: dryRun });
		expect([results, error]).toEqual([['failed', 'failed'], undefined]);
	});

	test('sends if it is to send blank variables, and does not ask for the templates', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		const blank = campaign({ sendBlankVariables: true }, { templateVariables: unsaved });
		const { results } = await runCampaign(sandbox, contacts, { parameters: blank });
		expect(results).toEqual(['sent']);
		expect(lines()).not.toContain(list);
	});

	test('checks each item against its own template', async () => {
		const contacts = addContacts(sandbox, 3, confirmed);
		const template = chosen('name', '={{ ["welcome", "question", "plain"][$itemIndex] }}');
		addTemplate({ name: 'plain', body: 'Hello there!' });
		const { results } = await runCampaign(sandbox, contacts, {
			parameters: campaign(other({ name: 'Anna' }), { template, templateVariables: unsaved }),
		});
		expect(results).toEqual(['sent', 'failed', 'sent']);
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

	test('needs no value for a variable that is gone', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		addTemplate({ name: 'offer', body: 'Hi {{name}}!' });
		const templateVariables = variablesOf({ name: 'Anna', gone: '' });
		const parameters = campaign({}, { templateVariables, template: chosen('name', 'offer') });
		await runCampaign(sandbox, contacts, { parameters });
		expect(messages()).toMatchObject([{ variables: { name: 'Anna' } }]);
	});

	test('marks nobody and sends nothing if it has a value for a variable that is gone', async () => {
		const contacts = addContacts(sandbox, 25, confirmed);
		addTemplate({ name: 'offer', body: 'Hi {{name}}!' });
		const templateVariables = variablesOf({ name: 'Anna', old: 'x' });
		const parameters = campaign({}, { templateVariables, template: chosen('name', 'offer') });
		const { failed } = await runCampaign(sandbox, contacts, { parameters });
		expect(failed).toHaveLength(25);
		expect(failed[0].error).toMatch(/^The template has no variable "old: .*" \[item 1/);
		expect([messages(), contacts.flatMap((each) => marksOf(sandbox, each))]).toEqual([[], []]);
		expect(lines()).toEqual([list]);
	});

	test('is checked by what was saved if the service shows nothing of it', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		addTemplate({ id: 'tpl_hidden', name: 'hidden' });
		const hidden = { template: chosen('id', 'tpl_hidden') };
		const blank = campaign({}, { ...hidden, templateVariables: variablesOf({ name: '' }) });
		const { results: first } = await runCampaign(sandbox, contacts, { parameters: blank });
		const complete = campaign({}, { ...hidden, ...saved });
		const { results: second } = await runCampaign(sandbox, contacts, { parameters: complete });
		expect([first, second]).toEqual([['failed'], ['sent']]);
	});

	test('needs the variables of all templates that have its name', async () => {
		const contacts = addContacts(sandbox, 1, confirmed);
		addTemplate({ id: 'a', name: 'offer', language: 'en', body: 'Hi {{name}}!' });
		addTemplate({ id: 'b', name: 'offer', language: 'de', body: 'Hallo {{name}}: {{code}}!' });
		const run = async (template: INodeParameters[string]) =>
			await runCampaign(sandbox, contacts, { parameters: campaign({}, { ...saved, template }) });
		expect((await run(chosen('name', 'offer'))).results).toEqual(['failed']);
		expect((await run(chosen('list', 'a'))).results).toEqual(['sent']);
	});
});

describe('a dry run', () => {
	const textOf = async (template: INodeParameters[string], variables = {}, options = {}) => {
		const contacts = addContacts(sandbox, 1, confirmed);
		const templateVariables = variablesOf(variables);
		const parameters = campaign({ dryRun: true, ...options }, { template, templateVariables });
		const { json } = await runCampaign(sandbox, contacts, { parameters });
		return json[0].text;
	};
	const offer = chosen('name', 'offer');

	test('shows the finished text of each message', async () => {
		addTemplate({ name: 'offer', body: 'Hi {{1}}, {{ 2 }} off until {{3}}. {{1}}!' });
		const contacts = addContacts(sandbox, 2, confirmed);
		const templateVariables = variablesOf({
			1: '={{ "No. " + $itemIndex }}',
			2: '20 $& %',
			3: '{1}',
		});
		const parameters = campaign({ dryRun: true }, { template: offer, templateVariables });
		const { json } = await runCampaign(sandbox, contacts, { parameters });
		expect(json.map(({ text }) => text)).toEqual([
			'Hi No. 0, 20 $& % off until {1}. No. 0!',
			'Hi No. 1, 20 $& % off until {1}. No. 1!',
		]);
		expect(lines().filter((line) => line === list)).toHaveLength(1);
		const { json: sent } = await runCampaign(sandbox, contacts, {
			parameters: campaign({}, { template: offer, templateVariables }),
		});
		expect(sent[0]).not.toHaveProperty('text');
	});

	test('shows it if the service takes variables as a list', async () => {
		addTemplate({ name: 'offer', body: 'Hi {{name}}, take {{code}}!' });
		const contacts = addContacts(sandbox, 1, confirmed);
		const templateVariables = variablesOf({ 1: 'Anna', 2: 'X1' });
		const { json } = await runCampaign(sandbox, contacts, {
			parameters: campaign({ dryRun: true }, { template: offer, templateVariables }),
			credential: { otherFieldNames: true, variablesAs: 'list' },
		});
		expect(json[0]).toMatchObject({ text: 'Hi Anna, take X1!', variables: ['Anna', 'X1'] });
	});

	test.each([
		['names only variables', [{ name: 'offer', variables: ['name'] }], {}],
		[
			'has two of the name',
			[
				{ name: 'offer', language: 'en', body: 'Hi {{name}}!' },
				{ name: 'offer', language: 'de', body: 'Hallo {{name}}!' },
			],
			{},
		],
		['is not asked', [{ name: 'offer', body: 'Hi {{name}}!' }], { sendBlankVariables: true }],
		[
			'gets the name of another',
			[{ name: 'offer', body: 'Hi {{name}}!' }],
			{ body: '{ "template": "welcome" }' },
		],
	])('shows no text if the service %s', async (_why, records, options) => {
		for (const record of records) addTemplate(record);
		expect(await textOf(offer, { name: 'Anna' }, options)).toBeUndefined();
	});

	test('leaves a text in its body as it is', async () => {
		addTemplate({ name: 'offer', body: 'Hi {{name}}!' });
		expect(await textOf(offer, { name: 'Anna' }, { body: '{ "text": "x" }' })).toBe('x');
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
		expect(error?.description).toContain("Choose a template 'From List'.");
		expect(error?.description).not.toContain('Variables');
		expect(lines()).toEqual([list]);
	});
});

testBlankVariables(campaign());
