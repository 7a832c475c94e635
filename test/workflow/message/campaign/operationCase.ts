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

const campaign: OperationCase = {
	inN8n: ['(marking the contact) / 402, every time', '/ 500, once'],
	isKilledInN8n: true,
	guide: 'campaigns.md',
	otherUses: [
		{ parameters: { options: { dryRun: true } } },
		{ parameters: {}, opt_in_status: 'pending' },
	],
	parameters: {
		contactId,
		template: chosen('name', TEMPLATE),
		templateVariables,
		campaignKey: 'spring',
	},
	// One contact for several items is an error of its own.
	forOne: { contactId: chosen('id', '={{ $json.id }}') },
	endpoints: [
		templates,
		'GET /v1/contacts/*',
		'PATCH /v1/contacts/*',
		'POST /v1/messages/template',
	],
	alsoAsks: [contacts],
	callsAll: true,
	isUnstated: true,
	isRepeatable: false,
	once: 'POST /v1/messages/template',
	faults: [
		{ struck: 'POST /v1/messages/template' },
		{ variant: 'marking the contact', struck: 'PATCH /v1/contacts/*' },
		{ variant: 'reading the templates', struck: templates, isForAll: true },
		{ variant: 'reading the contacts', struck: contacts, isForAll: true },
	],
	effects: ({ sandbox, targets }, index) =>
		sandbox.store.sentMessages.filter(({ contact_id }) => contact_id === targets[index].id).length,
	claim: ({ result }) => (result === 'sent' ? 'done' : 'nothing done'),
	isAbout: isAboutContact,
};

export const cases = { 'message sendCampaign': campaign };
