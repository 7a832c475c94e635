import type { INodeParameters } from 'n8n-workflow';

import { contactItem, usesFor } from '../operationCases';
import { runNode } from '../../tools/engine/runNode';
import { addContact, contactId, useSandbox } from './support';
import { mapped } from './contact/sync/syncNode';

const sandbox = useSandbox();
const uses = usesFor(contactItem({ id: contactId, phone: '+4915123456789' }, 0));
const rows = (value: string) => ({ values: [{ name: 'plan', value }] });
const inObject = (value: string) => value.replace(/\((.*)\)/s, '({ plan: $1 })');

/** All places where the value of an expression goes into a request: the use, its field, and its parameters. */
const places: Array<[string, string, (value: string) => object]> = [
	['contact upsert', 'Attributes', (value) => ({ additionalFields: { attributes: rows(value) } })],
	[
		'contact upsert',
		'Attributes (JSON)',
		(value) => ({ additionalFields: { attributesJson: inObject(value) } }),
	],
	['contact update', 'Attributes', (value) => ({ updateFields: { attributes: rows(value) } })],
	[
		'contact sync',
		'Attributes',
		(value) => mapped({ phone: '+4915123456789' }, { attributes: rows(value) }),
	],
	[
		'contact sync',
		'Attribute: plan',
		(value) => mapped({ phone: '+4915123456789', 'attributes.plan': value }),
	],
	['contact sync', 'Name', (value) => mapped({ phone: '+4915123456789', name: value })],
	['message sendTemplate', 'Variables', (value) => ({ options: { variables: rows(value) } })],
	[
		'message sendTemplate',
		'Variables',
		(value) => ({ templateVariables: { mappingMode: 'defineBelow', value: { plan: value } } }),
	],
	['message sendTemplate', 'Body', (value) => ({ options: { body: inObject(value) } })],
];
const parametersOf = ([use, , set]: (typeof places)[number], value: string) =>
	({ ...uses[use], ...set(value) }) as INodeParameters;

const values: Array<[string, string, RegExp]> = [
	[
		'contains itself',
		'={{ (Object.assign($json.cycle, { self: $json.cycle })) }}',
		/contains itself|Maximum call stack/,
	],
	['is nested very deeply', '={{ ($json.deep) }}', /too many levels|Maximum call stack/],
	['is a function', '={{ ($json.text.trim) }}', /function/],
	['is no finite number', '={{ (1 / 0) }}', /an infinite number/],
];

/** Every value in one place, and one value in every place. */
const cases = places.flatMap((place, index) =>
	(index === 0 ? values : values.slice(0, 1)).map(
		([what, value, why]) => [place[0], place[1], what, parametersOf(place, value), why] as const,
	),
);

const title = '%s: %s refuses a value that %s';
test.each(cases)(title, async (_use, label, _what, parameters, why) => {
	addContact(sandbox, { id: contactId, phone: '+12125550123' });
	let deep: object = {};
	for (let level = 0; level < 5_000; level += 1) deep = { deep };
	const { error } = await runNode(sandbox, {
		parameters,
		items: [{ text: 'x', cycle: {}, deep: deep as never }],
	});
	const text = `${error?.message} ${error?.description}`;
	// n8n has errors of its own for functions, and for what is nested too deeply.
	const isTold = /this is a function, please add \(\)|Maximum call stack size/.test(text);
	expect(isTold || text.includes(`'${label}'`) || text.includes(`'${label}: plan'`)).toBe(true);
	expect(text).toMatch(why);
	expect(sandbox.requests).toEqual([]);
});

test('sends an integer of any size as text', async () => {
	await runNode(sandbox, {
		parameters: parametersOf(places[0], '={{ 12345678901234567890n }}'),
	});
	expect(sandbox.store.findByPhone('+12125000000')?.attributes).toEqual({
		plan: '12345678901234567890',
	});
});
