import { loadOutputSchema } from 'n8n-core';

import { readDelivery } from '../../nodes/WorkspaceCrm/api/types';
import { outputOfReply } from '../../nodes/WorkspaceCrm/wait/replyOutput';
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

const full = {
	name: 'Nathan',
	locale: 'en',
	opt_in_status: 'confirmed' as const,
	source: 'import',
	attributes: { plan: 'pro', seats: 3 },
	tags: ['vip', 'lead'],
	last_inbound_at: '2026-01-02T03:04:05.000Z',
};

beforeEach(() => {
	addContact(sandbox, { ...full, id: contactId });
	addContact(sandbox, { ...full, phone: item.newPhone });
	addContact(sandbox, { phone: '+4915123456781', tags: ['vip'] });
	addSubscription(sandbox);
});

const schemaOf = (place: { resource: string; operation: string }) =>
	loadOutputSchema({ nodeDir, version, ...place }) as Schema | undefined;

/** What comes out once the contact has replied. */
function reply() {
	const message = { wa_message_id: 'm1', type: 'text', text: 'yes', is_new_contact: false };
	const data = { contact: sandbox.store.contacts.get(contactId), message };
	const envelope = {
		id: 'evt_1',
		event: 'message.received',
		created_at: full.last_inbound_at,
		data,
	};
	const delivery = readDelivery(JSON.stringify(envelope));
	if (!delivery) throw new Error('That is no delivery');
	const state = {
		event: 'message.received' as const,
		contactId,
		approvalWords: ['yes'],
		simplify: true,
		isApproval: false,
	};
	return outputOfReply(delivery, 'dlv_1', state, Date.now());
}

const notAlways = [
	// Of a contact that was not compared, nobody knows what has changed.
	'contact sync .sync.changedFields is missing',
	// Whoever got the message needs no reason.
	'message sendCampaign .campaign.code is missing',
	'message sendCampaign .campaign.reason is missing',
];

test.each(operations)('$resource $operation returns what its schema says', async (place) => {
	const name = `${place.resource}/${place.operation}`;
	const schema = schemaOf(place);
	if (!schema) throw new Error(`There is no schema for ${name}`);
	// The editor shows no preview without these two.
	expect(schema.type).toBe('object');
	expect(Object.keys(schema.properties ?? {})).not.toEqual([]);

	const use = `${place.resource} ${place.operation}`;
	const { json: outputs, error } = await runNode(sandbox, { parameters: uses[use] });
	expect(error).toBeUndefined();
	const json = operationCases[use].waits ? [reply()] : outputs;
	const found = departures(schema, json).filter((text) => !notAlways.includes(`${use} ${text}`));
	expect(
		operationCases[use].isUnstated
			? found.filter((text) => !text.endsWith('not in the schema'))
			: found,
	).toEqual([]);
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
