import type { INodeParameters } from 'n8n-workflow';

import { runNode } from './runNode';
import { addContact, chosen, contactId, useSandbox } from './support';
import { mapped } from './syncNode';

const sandbox = useSandbox();
const contact = chosen('id', contactId);
const rows = (value: string) => ({ values: [{ name: 'plan', value }] });

/** Everywhere that a value by expression goes into a request, and how its field is called. */
const places: Array<[string, string, (value: string) => INodeParameters]> = [
	[
		'Create or Update: Attributes',
		'Attributes',
		(value) => ({
			resource: 'contact',
			operation: 'upsert',
			phone: '+4915123456789',
			additionalFields: { attributes: rows(value) },
		}),
	],
	[
		'Create or Update: Attributes (JSON)',
		'Attributes (JSON)',
		(value) => ({
			resource: 'contact',
			operation: 'upsert',
			phone: '+4915123456789',
			additionalFields: { attributesJson: value.replace(/\((.*)\)/s, '({ plan: $1 })') },
		}),
	],
	[
		'Update: Attributes',
		'Attributes',
		(value) => ({
			resource: 'contact',
			operation: 'update',
			contactId: contact,
			updateFields: { attributes: rows(value) },
		}),
	],
	[
		'Sync: Attributes',
		'Attributes',
		(value) => mapped({ phone: '+4915123456789' }, { attributes: rows(value) }),
	],
	[
		'Sync: a column',
		'Attribute: plan',
		(value) => mapped({ phone: '+4915123456789', 'attributes.plan': value }),
	],
	['Sync: the name', 'Name', (value) => mapped({ phone: '+4915123456789', name: value })],
	[
		'Send Template: Other Variables',
		'Variables',
		(value) => ({
			resource: 'message',
			operation: 'sendTemplate',
			contactId: contact,
			template: chosen('name', 'welcome'),
			variables: rows(value),
		}),
	],
	[
		'Send Template: Variables',
		'Variables',
		(value) => ({
			resource: 'message',
			operation: 'sendTemplate',
			contactId: contact,
			template: chosen('name', 'welcome'),
			templateVariables: { mappingMode: 'defineBelow', value: { plan: value } },
		}),
	],
	[
		'Send Template: Body',
		'Body',
		(value) => ({
			resource: 'message',
			operation: 'sendTemplate',
			contactId: contact,
			template: chosen('name', 'welcome'),
			options: { body: value.replace(/\((.*)\)/s, '({ plan: $1 })') },
		}),
	],
];

const values: Array<[string, string, RegExp]> = [
	[
		'contains itself',
		'={{ (Object.assign($json.cycle, { self: $json.cycle })) }}',
		/contains itself/,
	],
	['is nested very deeply', '={{ ($json.deep) }}', /contains itself, or has too many levels/],
	['is a function', '={{ ($json.text.trim) }}', /function/],
	['is no number', '={{ (0 / 0) }}', /NaN/],
];

/** Every value in one place, and one value in every place. */
const cases = places.flatMap(([place, ...use], index) =>
	(index === 0 ? values : values.slice(0, 1)).map(
		([what, ...value]) => [place, what, ...use, ...value] as const,
	),
);

const title = '%s refuses a value that %s, with the name of the field';
test.each(cases)(title, async (_place, _what, label, parameters, value, why) => {
	addContact(sandbox, { id: contactId, phone: '+12125550123' });
	let deep: object = {};
	for (let level = 0; level < 5_000; level += 1) deep = { deep };
	const { error } = await runNode(sandbox, {
		parameters: parameters(value),
		items: [{ text: 'x', cycle: {}, deep: deep as never }],
	});
	const text = `${error?.message} ${error?.description}`;
	// What n8n itself cannot follow is told of the whole collection; and it has words for functions.
	const labels = [
		label,
		'Additional Fields',
		'Update Fields',
		'Options',
		'Other Variables',
		'Columns',
	];
	const isTold = text.includes('this is a function, please add ()');
	expect(isTold || labels.some((each) => text.includes(`'${each}'`))).toBe(true);
	expect(text).toMatch(why);
	expect(sandbox.requests).toEqual([]);
});

test('an integer of any size is sent as text', async () => {
	await runNode(sandbox, {
		parameters: places[0][2]('={{ 12345678901234567890n }}'),
	});
	expect(sandbox.store.findByPhone('+4915123456789')?.attributes).toEqual({
		plan: '12345678901234567890',
	});
});
