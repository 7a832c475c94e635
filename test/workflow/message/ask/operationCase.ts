import { readDelivery } from '../../../../nodes/WorkspaceCrm/crm/records';
import {
	outputOfReply,
	outputWithoutReply,
} from '../../../../nodes/WorkspaceCrm/resources/message/ask/receiveReply';
import type { Contact } from '../../../../tools/sandbox';
import { TEMPLATE } from '../../../faults/world';
import {
	chosen,
	contactId,
	contacts,
	isAboutContact,
	templates,
	templateVariables,
	type OperationCase,
} from '../../../operationCase';

const message = { wa_message_id: 'm1', type: 'text', text: 'yes', is_new_contact: false };
const payloads = {
	'message.received': { message },
	'form.submitted': { flow_id: 'flow_1', answers: { size: 'M' } },
};

/** What comes out once the contact has replied, and if nobody does. */
function ends(contact: Contact, event: keyof typeof payloads, simplify: boolean) {
	const data = { contact, ...payloads[event] };
	const envelope = { id: 'evt_1', event, created_at: '2026-01-02T03:04:05.000Z', data };
	const delivery = readDelivery(Buffer.from(JSON.stringify(envelope)));
	if (!delivery) throw new Error('That is no delivery');
	const state = {
		event,
		contactId: contact.id,
		approvalWords: ['ok'],
		simplify,
		isApproval: false,
	};
	return [outputOfReply(delivery, 'dlv_1', state, Date.now()), outputWithoutReply(state)];
}

const sendAndWait: OperationCase = {
	inN8n: ['/ connection dropped after the effect'],
	isKilledInN8n: true,
	guide: 'ask.md',
	afterWait: (contact) =>
		[true, false].flatMap((simplify) => [
			...ends(contact, 'message.received', simplify),
			...ends(contact, 'form.submitted', simplify),
		]),
	parameters: { contactId, template: chosen('name', TEMPLATE), templateVariables },
	endpoints: [
		'GET /v1/workspace',
		'GET /v1/subscriptions',
		'POST /v1/subscriptions',
		'GET /v1/subscriptions',
		'POST /v1/messages/template',
	],
	asksFirst: templates,
	// To find the contact by its phone number, or its number; and to delete overdue subscriptions.
	alsoAsks: [templates, contacts, 'GET /v1/contacts/*', 'DELETE /v1/subscriptions/*'],
	callsAll: true,
	isUnstated: true,
	isRepeatable: false,
	once: 'POST /v1/messages/template',
	waits: true,
	faults: [
		{ struck: 'POST /v1/messages/template' },
		{ variant: 'looking for other questions', struck: 'GET /v1/subscriptions' },
	],
	effects: ({ sandbox, targets }, index) =>
		sandbox.store.sentMessages.filter(({ contact_id }) => contact_id === targets[index].id).length,
	isAbout: isAboutContact,
};

export const cases = { 'message sendAndWait': sendAndWait };
