import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { systemClock } from '../../nodes/WorkspaceCrm/n8n/systemClock';
import { crmNode, passThroughNode, startWorkflow } from '../../tools/engine/nodes';
import { runNode } from '../../tools/engine/runNode';
import { createRuntime } from '../../nodes/WorkspaceCrm/crm/connection';
import { addContact, chosen, contactId, sent, useSandbox, variablesOf } from './support';

/** Where texts come from, and where braces may stand. The forms of expressions are in `expressionForms`. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const words = 'Ich habe null Ahnung, undefined, NaN, [object Object], {{ $json.x }}';

beforeEach(() => void addContact(sandbox, { id: contactId, phone, tags: ['{{ $json.tag }}'] }));

const run = async (parameters: object, item: IDataObject = {}) =>
	await runNode(sandbox, {
		parameters: parameters as INodeParameters,
		items: [item],
		onError: 'continueErrorOutput',
	});

const upsert = (additionalFields: object) => ({
	resource: 'contact',
	operation: 'upsert',
	phone,
	additionalFields,
});

const welcome = (name: string) => ({
	resource: 'message',
	operation: 'sendTemplate',
	contactId: chosen('id', contactId),
	template: chosen('name', 'welcome'),
	templateVariables: variablesOf({ name }),
});

test('the text of another node is sent as it is, though the item does not have it', async () => {
	const between = { ...passThroughNode(), id: 'between', name: 'Between' };
	const parameters = {
		resource: 'contact',
		operation: 'upsert',
		phone,
		additionalFields: { name: "={{ $('Start').first().json.text }}" },
	};
	const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	const credential = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' };
	const ended = await startWorkflow(
		{
			nodes: [passThroughNode(), between, crmNode(parameters)],
			connections: { Start: link('Between'), Between: link('CRM') },
			pinData: { Start: [{ json: { text: words } }], Between: [{ json: {} }] },
		},
		{ credential, runtime: createRuntime(systemClock) },
	);
	expect(ended.data.resultData.error).toBeUndefined();
	expect(sent(sandbox)[0].body).toMatchObject({ name: words });
});

describe.each(['{{ $json.x }}', '$json.x'])('%s in a field that stands on Fixed', (fixed) => {
	const row = (name: string, value: string) => ({ attributes: { values: [{ name, value }] } });

	test.each<[string, object]>([
		["'Phone'", { ...upsert({}), phone: fixed }],
		["'Locale'", upsert({ locale: fixed })],
		["'Consent Proof'", upsert({ consentProof: fixed })],
		["'More Tags'", upsert({ tags: `vip, ${fixed}` })],
		["'Attributes: plan'", upsert(row('plan', fixed))],
		["'Attributes'", upsert(row(fixed, 'pro'))],
		["'Attributes (JSON)'", upsert({ attributesJson: `{ "plan": "${fixed}" }` })],
		["'Attributes (JSON)'", upsert({ attributesJson: `{ "plan": ${fixed} }` })],
		["'name: the words around it'", welcome(fixed)],
		["'Search'", { resource: 'contact', operation: 'getAll', filters: { search: fixed } }],
		["'Contact'", { resource: 'contact', operation: 'get', contactId: chosen('id', fixed) }],
	])('is refused: %s', async (field, parameters) => {
		const { failed } = await run(parameters, { x: 'y' });
		expect(failed).toMatchObject([{ error: expect.stringMatching(/, as it is written$/) }]);
		expect(failed[0].error).toContain(field);
		expect(sent(sandbox)).toEqual([]);
	});

	test('is filled in once its error is followed', async () => {
		const { failed } = await run(welcome(`={{ ${fixed.replace(/[{}]/g, '')} }}`), { x: 'Anna' });
		expect(failed).toEqual([]);
		expect(sandbox.store.sentMessages).toMatchObject([{ variables: { name: 'Anna' } }]);
	});
});

test('a variable that is no text holds back the messages of all items, where the run stops', async () => {
	const parameters = welcome('={{ "Hi " + $json.x }}') as INodeParameters;
	const { error } = await runNode(sandbox, { parameters, items: [{ x: 'Anna' }, {}] });
	expect(error?.message).toContain("writes 'undefined' into it");
	expect(sent(sandbox)).toEqual([]);
});

describe('braces in a field that stands on Fixed', () => {
	test('are the name of what was chosen from a list', async () => {
		const tag = chosen('list', '{{ $json.tag }}');
		const filters = { filters: { tag } };
		const { failed } = await run({ resource: 'contact', operation: 'getAll', ...filters });
		expect(failed).toEqual([]);
		expect(sandbox.requests[0].query).toMatchObject({ tag: '{{ $json.tag }}' });
	});

	test('may be placeholders of the service in a JSON field', async () => {
		const attributesJson = '{ "greeting": "Hi {{1}}, {{ first_name }}" }';
		const { failed } = await run(upsert({ attributesJson }));
		expect(failed).toEqual([]);
		expect(sent(sandbox)[0].body).toMatchObject({ attributes: JSON.parse(attributesJson) });
	});
});

describe('the text of a JSON field', () => {
	const json = (attributesJson: string) => ({
		resource: 'contact',
		operation: 'upsert',
		phone,
		additionalFields: { attributesJson },
	});
	const item = { text: 'null Ahnung', address: { city: 'Bern' } };

	test.each([
		['={ "a": null, "note": "{{ $json.text }}" }', { a: null, note: 'null Ahnung' }],
		['={ "plan": {{ $json.plan || "null" }}, "note": "{{ $json.text }}" }', { plan: null }],
		['={ "address": {{ JSON.stringify($json.address) }} }', { address: { city: 'Bern' } }],
		['={ "note": "Hi {{ $json.nme }}" }', { note: 'Hi ' }],
		['={{ { note: $json.text, count: 2 } }}', { note: 'null Ahnung', count: 2 }],
	])('is made of its parts: %s', async (attributesJson, expected) => {
		const { failed } = await run(json(attributesJson), item);
		expect(failed).toEqual([]);
		expect(sent(sandbox)[0].body).toMatchObject({ attributes: expected });
	});

	test.each([
		'={ "note": "{{ $json.address }}" }',
		'={ "note": "{{ `Hi ${$json.nme}` }}" }',
		'={ "note": "{{ 1 / 0 }}", "x": null }',
		'={{ { note: "Hi " + $json.nme } }}',
		"={{ { day: DateTime.fromISO('').toFormat('d') } }}",
	])('is refused: %s', async (attributesJson) => {
		const { failed } = await run(json(attributesJson), item);
		expect(failed).toMatchObject([
			{ error: expect.stringMatching(/^'Attributes \(JSON\)' would be /) },
		]);
		expect(sent(sandbox)).toEqual([]);
	});
});

describe('a control character', () => {
	const row = (name: string, value: string) => ({ attributes: { values: [{ name, value }] } });

	test.each<[string, object]>([
		["'Name'", upsert({ name: '={{ $json.x }}' })],
		["'Source'", upsert({ source: '={{ $json.x }}' })],
		["'More Tags'", upsert({ tags: '={{ $json.x }}' })],
		["'More Tags'", upsert({ tags: '={{ ["vip", $json.x] }}' })],
		["'Attributes: plan'", upsert(row('plan', '={{ $json.x }}'))],
		["'Variables: name'", welcome('={{ $json.x }}')],
	])('is refused, and the error names the field: %s', async (field, parameters) => {
		for (const [x, code] of [
			['Don\u0092t', 'U+0092'],
			['An\0na', 'U+0000'],
			['A\u007fb', 'U+007F'],
		]) {
			const { failed } = await run(parameters, { x });
			expect(failed).toMatchObject([
				{ error: expect.stringContaining(`control character ${code}`) },
			]);
			expect(failed[0].error).toContain(field);
			expect(sent(sandbox)).toEqual([]);
		}
	});

	test('is no tab or line break, and none at the ends of a text', async () => {
		const { failed } = await run(upsert({ name: '={{ $json.x }}' }), { x: '\0a\tb\r\nc\0' });
		expect(failed).toEqual([]);
		expect(sent(sandbox)[0].body).toMatchObject({ name: 'a\tb\r\nc' });
	});
});

test('what n8n cannot evaluate names its field', async () => {
	const parameters = {
		resource: 'contact',
		operation: 'getAll',
		filters: { search: '={{ $json.q.trim }}' },
	};
	const { failed } = await run(parameters, { q: 'x' });
	expect(failed).toMatchObject([
		{ error: expect.stringMatching(/^n8n cannot evaluate the expression in 'Search': /) },
	]);
});
