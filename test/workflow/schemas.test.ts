import { loadOutputSchema } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import { readDelivery } from '../../nodes/WorkspaceCrm/crm/records';
import type { OptInStatus } from '../../nodes/WorkspaceCrm/domain/consent';
import {
	outputOfReply,
	outputWithoutReply,
} from '../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import { contactItem, operationCases, usesFor } from '../operationCases';
import { operations } from '../support/operations';
import { fs } from '../../tools/support/platform';
import { departures, type Schema } from './jsonSchema';
import { runNode } from '../../tools/engine/runNode';
import { automatic } from './syncNode';
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

const message = { wa_message_id: 'm1', type: 'text', text: 'yes', is_new_contact: false };
const payloads = {
	'message.received': { message },
	'form.submitted': { flow_id: 'flow_1', answers: { size: 'M' } },
};

/** What comes out once the contact has replied, and if nobody does. */
function ends(event: keyof typeof payloads, simplify: boolean) {
	const contact = sandbox.store.contacts.get(contactId);
	const data = { contact, ...payloads[event] };
	const envelope = { id: 'evt_1', event, created_at: full.last_inbound_at, data };
	const delivery = readDelivery(Buffer.from(JSON.stringify(envelope)));
	if (!delivery) throw new Error('That is no delivery');
	const state = { event, contactId, approvalWords: ['ok'], simplify, isApproval: false };
	return [outputOfReply(delivery, 'dlv_1', state, Date.now()), outputWithoutReply(state)];
}

const reply = () => ends('message.received', true).slice(0, 1);

/** Other ways to use an operation, for the fields that its usual output does not have. */
const others: Record<string, Array<{ parameters: object; opt_in_status?: OptInStatus }>> = {
	'automation enroll': [
		{ parameters: { options: { onConflict: 'skip' } }, opt_in_status: 'opted_out' },
	],
	'contact sync': [
		{ parameters: { options: { dryRun: true } } },
		{ parameters: { options: { missing: 'output' } } },
		{ parameters: automatic(), opt_in_status: 'pending' },
	],
	'message sendCampaign': [
		{ parameters: { options: { dryRun: true } } },
		{ parameters: {}, opt_in_status: 'pending' },
	],
	'message sendTemplate': [
		{ parameters: { options: { onConflict: 'skip' } }, opt_in_status: 'opted_out' },
		{ parameters: { options: { campaignKey: 'spring' } } },
		{ parameters: { options: { campaignKey: 'spring' } }, opt_in_status: 'pending' },
	],
};

async function otherOutputs(use: string): Promise<IDataObject[]> {
	if (operationCases[use].waits)
		return [true, false].flatMap((simplify) => [
			...ends('message.received', simplify),
			...ends('form.submitted', simplify),
		]);
	const outputs: IDataObject[] = [];
	for (const { parameters, opt_in_status } of others[use] ?? []) {
		sandbox.reset();
		addContact(sandbox, { ...full, id: contactId, ...(opt_in_status && { opt_in_status }) });
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
	const usual = operationCases[use].waits ? reply() : json;
	const service = givenByService();
	const more = await otherOutputs(use);
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
