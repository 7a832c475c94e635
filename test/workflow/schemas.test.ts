import { loadOutputSchema } from 'n8n-core';
import type { INodeParameters } from 'n8n-workflow';

import { operations } from '../support/operations';
import { fs } from '../support/platform';
import { endpointUses } from './endpointUses';
import { departures, type Schema } from './jsonSchema';
import { runNode } from './runNode';
import { addContact, contactId, useSandbox } from './support';

/** What the editor shows of an output before the node has ever run. */
const nodeDir = 'nodes/WorkspaceCrm';
const version = 1;

const sandbox = useSandbox();

const uses: INodeParameters[] = [
	...endpointUses.map(([, parameters]) => parameters),
	{
		resource: 'contact',
		operation: 'sync',
		columns: {
			mappingMode: 'defineBelow',
			value: { phone: '+4915123456789', name: 'Nathan Smith' },
			schema: [],
		} as unknown as INodeParameters,
	},
];

/** The API reference does not show these answers, so they may hold more than the schema can say. */
const unstated = [
	'automation/enroll',
	'automation/getAll',
	'message/sendTemplate',
	'segment/getAll',
	'segment/getContacts',
	'tag/getAll',
	'template/getAll',
];

const full = {
	name: 'Nathan',
	locale: 'en',
	source: 'import',
	attributes: { plan: 'pro', seats: 3 },
	tags: ['vip', 'lead'],
	last_inbound_at: '2026-01-02T03:04:05.000Z',
};

beforeEach(() => {
	addContact(sandbox, { ...full, id: contactId });
	addContact(sandbox, { ...full, phone: '+4915123456780' });
	addContact(sandbox, { phone: '+4915123456781', tags: ['vip'] });
	sandbox.store.subscriptions.set('sub_1', {
		id: 'sub_1',
		url: 'https://example.com/events',
		events: ['tag.added'],
		secret: 'x',
		active: true,
		created_at: '2026-01-01T00:00:00.000Z',
	});
});

const schemaOf = (place: { resource: string; operation: string }) =>
	loadOutputSchema({ nodeDir, version, ...place }) as Schema | undefined;

test.each(operations)('$resource $operation gives what its schema says', async (place) => {
	const name = `${place.resource}/${place.operation}`;
	const schema = schemaOf(place);
	if (!schema) throw new Error(`There is no schema for ${name}`);
	// The editor shows no preview without these two.
	expect(schema.type).toBe('object');
	expect(Object.keys(schema.properties ?? {})).not.toEqual([]);

	const parameters = uses.find(
		({ resource, operation }) => `${String(resource)}/${String(operation)}` === name,
	);
	if (!parameters) throw new Error(`There is no example of a use of ${name}`);
	const { json, error } = await runNode(sandbox, { parameters });
	expect(error).toBeUndefined();
	const found = departures(schema, json);
	expect(
		unstated.includes(name) ? found.filter((text) => !text.endsWith('not in the schema')) : found,
	).toEqual([]);
});

test('there are no schemas of anything else', () => {
	const files = fs
		.readdirSync(`${nodeDir}/__schema__`, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => `${parentPath}/${name}`);
	const expected = operations.map(
		({ resource, operation }) => `${nodeDir}/__schema__/v1.0.0/${resource}/${operation}.json`,
	);
	expect(files.sort()).toEqual(expected.sort());
});

test('a schema never tells of the signing secret', () => {
	for (const place of operations) expect(JSON.stringify(schemaOf(place))).not.toContain('secret');
});
