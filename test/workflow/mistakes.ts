import type { INodeParameters } from 'n8n-workflow';

import type { FaultKind, Sandbox } from '../../tools/sandbox';
import { ofFeatures } from '../support/features';
import { enrollParameters, sendParameters } from './parameters';
import { addContact, addSubscription, chosen, contactId } from './support';
import { mistake, type Mistake } from './mistake';

const phone = '+4915123456789';
const byId = chosen('id', contactId);
const byPhone = (value: string) => chosen('phone', value);

const contact = (operation: string, more: object = {}): INodeParameters =>
	({ resource: 'contact', operation, ...more }) as INodeParameters;
const upsert = (value: string, additionalFields: object = {}) =>
	contact('upsert', { phone: value, additionalFields });
const send = (more: object = {}) => sendParameters(byId, more as INodeParameters);
const isChecked = { sendBlankVariables: false };
const enroll = enrollParameters(byId, { automationId: chosen('id', 'aut_welcome_series') });
const tag = (operation: string, tags: string) =>
	({ resource: 'tag', operation, contactId: byId, tags }) as unknown as INodeParameters;
const subscribe: INodeParameters = {
	resource: 'subscription',
	operation: 'create',
	url: 'https://example.com/more',
	events: ['tag.added'],
};
const workspace: INodeParameters = { resource: 'workspace', operation: 'get' };

const hasContact = (sandbox: Sandbox) => void addContact(sandbox, { id: contactId, phone });
const failsBy = (kind: FaultKind, method?: string) => (sandbox: Sandbox) => {
	hasContact(sandbox);
	sandbox.fail({ match: { method }, times: 99, kind });
};

/** In the order in which people meet them. */
export const mistakes: readonly Mistake[] = [
	mistake('The API key is wrong or was revoked', workspace, {
		prepare: (sandbox) => sandbox.revokeKey(),
	}),
	mistake('The base URL has a typo', workspace, {
		credential: { baseUrl: 'https://crm.invalid' },
		isUnclear: true,
	}),
	mistake('The base URL is a web page, not the API', workspace, {
		prepare: failsBy({ html: true, status: 200 }),
		isUnclear: true,
	}),
	mistake('The base URL redirects to another address', workspace, {
		prepare: failsBy({ status: 301, headers: { location: 'https://example.com/' } }),
	}),
	mistake('The base URL is a public address with http://', workspace, {
		credential: { baseUrl: 'http://crm.example.com' },
	}),
	mistake('Create or Update: the number has no country code', upsert('0170 5556677')),
	mistake('Create or Update: the text is not a phone number', upsert('call me later')),
	mistake('Create or Update: the number is blank for this item', upsert('={{ $json.mobile }}')),
	mistake(
		'Create or Update: the expression reads a node that does not exist',
		upsert('={{ $("Google Sheet").item.json.phone }}'),
	),
	mistake(
		'Create or Update: the number could be two different numbers',
		upsert('41791234567', { defaultCountry: 'DE' }),
	),
	mistake(
		'Create or Update: a foreign number has lost its plus',
		upsert('31612345678', { defaultCountry: 'Germany' }),
		{ isUnclear: true },
	),
	mistake(
		'Create or Update: it is not known of which country the number is',
		upsert('(479) 678-5678'),
	),
	mistake('Create or Update: a spreadsheet has rounded the number', upsert('4.91512E+11')),
	mistake('Create or Update: the number is too short', upsert('+49 1')),
	mistake('Create or Update: the cell is a date', upsert('2026-01-15', { defaultCountry: 'DE' })),
	mistake(
		'Create or Update: the attributes are not valid JSON',
		upsert(phone, { attributesJson: '{plan: pro}' }),
	),
	mistake(
		'Get by phone: no contact has the number',
		contact('get', { contactId: byPhone('+49 170 5556677') }),
	),
	mistake(
		'Get by phone: two contacts have the number',
		contact('get', { contactId: byPhone(phone) }),
		{
			prepare: (sandbox) => {
				hasContact(sandbox);
				addContact(sandbox, { id: '00000000-0000-4000-8000-000000000001', phone: phone.slice(1) });
			},
		},
	),
	mistake('Get by ID: the text is not an ID', contact('get', { contactId: chosen('id', 'anna') })),
	mistake('Get: the contact was deleted', contact('get', { contactId: byId }), { isUnclear: true }),
	mistake('No contact is chosen', contact('get', { contactId: chosen('list', '') })),
	mistake('Update: no field was added', contact('update', { contactId: byId, updateFields: {} })),
	mistake(
		'Get Many: the filter refers to a field that the item lacks',
		contact('getAll', { returnAll: true, filters: { search: '={{ $json.nmae }}' } }),
		{ isUnclear: true },
	),
	mistake('Get Many: Limit is 0', contact('getAll', { limit: 0 })),
	mistake('Add tags: no tag is chosen', tag('add', '')),
	mistake('Remove tags: the contact does not have the tag', tag('remove', 'vip'), {
		prepare: hasContact,
	}),
	...ofFeatures<{ mistakes: Mistake[] }>('mistakes').flatMap((each) => each.mistakes),
	mistake('Send Template: the contact has opted out', send(), {
		prepare: (sandbox) =>
			void addContact(sandbox, { id: contactId, phone, opt_in_status: 'opted_out' }),
	}),
	mistake(
		'Send Template: a variable is blank',
		send({
			options: isChecked,
			templateVariables: {
				mappingMode: 'defineBelow',
				value: { name: '' },
				schema: [{ id: 'name', displayName: 'name: Welcome, {{name}}!', type: 'string' }],
			},
		}),
		{ prepare: hasContact },
	),
	mistake(
		'Send Template: the template does not exist',
		send({ template: chosen('name', 'welcmoe'), options: isChecked }),
		{ prepare: hasContact },
	),
	mistake('Send Template: the monthly limit is reached', send(), {
		prepare: (sandbox) => {
			hasContact(sandbox);
			sandbox.store.rules.monthlySendLimit = 0;
		},
	}),
	mistake('Send Template: the messaging platform rejects the message', send(), {
		prepare: (sandbox) => {
			hasContact(sandbox);
			sandbox.store.rules.platformRejects.set('welcome', 'The template is paused');
		},
	}),
	mistake('Send Template: the CRM fails while sending', send(), {
		prepare: failsBy({ status: 500 }, 'POST'),
		isUnclear: true,
	}),
	mistake('Send Template: the connection breaks before the answer', send(), {
		prepare: failsBy({ drop: 'afterEffect' }, 'POST'),
		isUnclear: true,
	}),
	mistake('Send Template: the service expects different fields', send(), {
		prepare: failsBy({ status: 422, detail: 'field required: template_name' }, 'POST'),
		isUnclear: true,
	}),
	mistake(
		'Send Template: the contact is a whole item in place of its ID',
		sendParameters(chosen('id', '={{ $json }}')),
		{ items: [{ id: contactId }] },
	),
	mistake('Enroll Contact: the contact is already in the automation', enroll, {
		prepare: failsBy({ status: 409, detail: 'contact already enrolled' }, 'POST'),
	}),
	mistake('Create Subscription: all 20 are in use', subscribe, {
		prepare: (sandbox) => {
			for (const id of Array(20).keys()) addSubscription(sandbox, { id: `sub_${id}` });
		},
	}),
	mistake('Delete Subscription: the URL in place of the ID', {
		resource: 'subscription',
		operation: 'delete',
		subscriptionId: chosen('id', 'https://example.com/events'),
	}),
	mistake('The CRM is down', contact('getAll', { returnAll: true }), {
		prepare: failsBy({ status: 503 }),
	}),
	mistake(
		'Another system uses up the rate limit of the key',
		contact('getAll', { returnAll: true }),
		{
			prepare: failsBy({ status: 429, headers: { 'retry-after': '900' } }),
			isUnclear: true,
		},
	),
];
