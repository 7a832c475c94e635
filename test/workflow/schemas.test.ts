import { loadOutputSchema } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../tools/sandbox';
import { contactItem, operationCases, usesFor } from '../operationCases';
import { operations } from '../support/operations';
import { fs } from '../../tools/support/platform';
import { departures, type Schema } from './jsonSchema';
import { runNode } from '../../tools/engine/runNode';
import { addContact, addSubscription, contactId, useSandbox } from './support';

/** What the editor shows of an output before the node has ever run. */
const nodeDir = 'nodes/WorkspaceCrm';
const version = 1;

const sandbox = useSandbox();

const item = contactItem({ id: contactId, phone: '+4915123456789' }, 0);
const uses = usesFor(item);

/** Of its own for each contact, as runs change it. */
const full = () => ({
	name: 'Nathan',
	locale: 'en',
	opt_in_status: 'confirmed' as const,
	source: 'import',
	attributes: { plan: 'pro', seats: 3 },
	tags: ['vip', 'lead'],
	last_inbound_at: '2026-01-02T03:04:05.000Z',
});

beforeEach(() => {
	addContact(sandbox, { ...full(), id: contactId });
	addContact(sandbox, { ...full(), phone: item.newPhone });
	addContact(sandbox, { phone: '+4915123456781', tags: ['vip'] });
	addSubscription(sandbox);
});

const schemaOf = (place: { resource: string; operation: string }) =>
	loadOutputSchema({ nodeDir, version, ...place }) as Schema | undefined;

async function otherOutputs(use: string): Promise<IDataObject[]> {
	const outputs: IDataObject[] = [];
	for (const { parameters, opt_in_status } of operationCases[use].otherUses ?? []) {
		sandbox.reset();
		addContact(sandbox, { ...full(), id: contactId, ...(opt_in_status && { opt_in_status }) });
		addContact(sandbox, { phone: '+4915123456781' });
		const items = [{ row_number: 2, ...item, opt_in: 'yes' }];
		const run = { parameters: { ...uses[use], ...parameters }, items };
		const { json } = await runNode(sandbox, { ...run, onError: 'continueRegularOutput' });
		outputs.push(...json);
	}
	return outputs;
}

/** The names of all fields that come from the service; our schemas need not know them. */
function givenByService(): Set<string> {
	const { store } = sandbox;
	const names = new Set<string>();
	const lists = [store.contacts, store.tags].map((each) => [...each.values()]);
	const { templates, automations, segments, sentMessages, enrolments } = store;
	const all = [...lists, templates, automations, segments, sentMessages, enrolments];
	JSON.stringify(all, (name, value: unknown) => {
		names.add(name);
		return value;
	});
	for (const name of ['id', 'event', 'created_at', 'data', 'status']) names.add(name);
	// The node itself sends them.
	names.delete('variables');
	return names;
}

const isUnlisted = (text: string) => text.endsWith(' is not in the schema');
const isMissing = (text: string) => text.endsWith(' is missing');

test.each(operations)('$resource $operation returns what its schema says', async (place) => {
	const name = `${place.resource}/${place.operation}`;
	const schema = schemaOf(place);
	if (!schema) throw new Error(`There is no schema for ${name}`);
	// The editor shows no preview without these two.
	expect(schema.type).toBe('object');
	expect(Object.keys(schema.properties ?? {})).not.toEqual([]);

	const use = `${place.resource} ${place.operation}`;
	const { json, error } = await runNode(sandbox, { parameters: uses[use] });
	expect(error).toBeUndefined();
	const contact = sandbox.store.contacts.get(contactId) as Contact;
	const ends = operationCases[use].afterWait?.(contact);
	const usual = ends?.slice(0, 1) ?? json;
	const service = givenByService();
	const more = ends ?? (await otherOutputs(use));
	const unlisted = departures(schema, [...usual, ...more]).filter(isUnlisted);
	// If the reference does not show an operation's answer, its fields are up to the service.
	const isOurs = (text: string) => !service.has(/([^.]+) is not/.exec(text)?.[1] ?? '');
	expect(operationCases[use].isUnstated ? unlisted.filter(isOurs) : unlisted).toEqual([]);

	const never = (text: string) => more.every((each) => departures(schema, [each]).includes(text));
	const wrong = departures(schema, usual).filter((text) => !isUnlisted(text));
	expect(wrong.filter((text) => !isMissing(text) || never(text))).toEqual([]);
});

test('no other schemas exist', () => {
	const files = fs
		.readdirSync(`${nodeDir}/__schema__`, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => `${parentPath}/${name}`);
	const expected = operations.map(
		({ resource, operation }) => `${nodeDir}/__schema__/v1.0.0/${resource}/${operation}.json`,
	);
	expect(files.sort()).toEqual(expected.sort());
});

test('no schema contains the signing secret', () => {
	for (const place of operations) expect(JSON.stringify(schemaOf(place))).not.toContain('secret');
});
