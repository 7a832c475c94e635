import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultKind, Sandbox } from '../sandbox';
import { enrollParameters, sendParameters } from './parameters';
import { addContact, chosen, contactId } from './support';
import { automatic, mapped } from './syncNode';

/** A mistake that people often make, or a failure that they often meet. */
export interface Mistake {
	what: string;
	parameters: INodeParameters;
	items?: IDataObject[];
	/** Sets up the CRM. */
	prepare?: (sandbox: Sandbox) => void;
	credential?: IDataObject;
}

const phone = '+4915123456789';
const byId = chosen('id', contactId);
const byPhone = (value: string) => chosen('phone', value);

const contact = (operation: string, more: object = {}): INodeParameters =>
	({ resource: 'contact', operation, ...more }) as INodeParameters;
const upsert = (value: string, additionalFields: object = {}) =>
	contact('upsert', { phone: value, additionalFields });
const send = (more: object = {}) => sendParameters(byId, more as INodeParameters);
const enroll = enrollParameters(byId, { automationId: chosen('id', 'aut_welcome_series') });
const tag = (operation: string, tags: string) =>
	({ resource: 'tag', operation, contactId: byId, tags }) as unknown as INodeParameters;
const workspace: INodeParameters = { resource: 'workspace', operation: 'get' };

const hasContact = (sandbox: Sandbox) => void addContact(sandbox, { id: contactId, phone });
const failsBy = (kind: FaultKind, method?: string) => (sandbox: Sandbox) => {
	hasContact(sandbox);
	sandbox.fail({ match: { method }, times: 99, kind });
};

const rows = [
	{ name: 'Anna Schmidt', phone: '0170 5556677' },
	{ name: 'Ben Okafor', phone: '+44 7911 123201' },
	{ name: 'Chloé Martin', phone: '+33 6 12 34 52 01' },
	{ name: 'Dan Cole', phone: '12' },
];

/** In the order in which people meet them. */
export const mistakes: readonly Mistake[] = [
	{
		what: 'The API key is wrong or was revoked',
		parameters: workspace,
		prepare: (sandbox) => sandbox.revokeKey(),
	},
	{
		what: 'The base URL has a typo',
		parameters: workspace,
		credential: { baseUrl: 'https://crm.invalid' },
	},
	{
		what: 'The base URL is a web page, not the API',
		parameters: workspace,
		prepare: failsBy({ html: true, status: 200 }),
	},
	{
		what: 'The base URL redirects to another address',
		parameters: workspace,
		prepare: failsBy({ status: 301, headers: { location: 'https://example.com/' } }),
	},
	{
		what: 'The base URL is a public address with http://',
		parameters: workspace,
		credential: { baseUrl: 'http://crm.example.com' },
	},
	{
		what: 'Create or Update: the number has no country code',
		parameters: upsert('0170 5556677'),
	},
	{
		what: 'Create or Update: the text is not a phone number',
		parameters: upsert('call me later'),
	},
	{
		what: 'Create or Update: the number is blank for this item',
		parameters: upsert('={{ $json.mobile }}'),
	},
	{
		what: 'Create or Update: the number could be two different numbers',
		parameters: upsert('4915123456789', { defaultCountry: 'DE' }),
	},
	{
		what: 'Create or Update: a foreign number has lost its plus',
		parameters: upsert('31612345678', { defaultCountry: 'Germany' }),
	},
	{
		what: 'Create or Update: the attributes are not valid JSON',
		parameters: upsert(phone, { attributesJson: '{plan: pro}' }),
	},
	{
		what: 'Get by phone: no contact has the number',
		parameters: contact('get', { contactId: byPhone('+49 170 5556677') }),
	},
	{
		what: 'Get by phone: two contacts have the number',
		parameters: contact('get', { contactId: byPhone(phone) }),
		prepare: (sandbox) => {
			hasContact(sandbox);
			addContact(sandbox, { phone: phone.slice(1) });
		},
	},
	{
		what: 'Get by ID: the text is not an ID',
		parameters: contact('get', { contactId: chosen('id', 'anna') }),
	},
	{
		what: 'Get: the contact was deleted',
		parameters: contact('get', { contactId: byId }),
	},
	{
		what: 'No contact is chosen',
		parameters: contact('get', { contactId: chosen('list', '') }),
	},
	{
		what: 'Update: no field was added',
		parameters: contact('update', { contactId: byId, updateFields: {} }),
	},
	{
		what: 'Get Many: the filter refers to a field that the item lacks',
		parameters: contact('getAll', { returnAll: true, filters: { search: '={{ $json.nmae }}' } }),
	},
	{
		what: 'Get Many: Limit is 0',
		parameters: contact('getAll', { limit: 0 }),
	},
	{
		what: 'Add tags: no tag is chosen',
		parameters: tag('add', ''),
	},
	{
		what: 'Remove tags: the contact does not have the tag',
		parameters: tag('remove', 'vip'),
		prepare: hasContact,
	},
	{
		what: 'Sync: some rows have bad numbers',
		parameters: automatic(),
		items: rows,
	},
	{
		what: 'Sync: the same, with Stop on First Error',
		parameters: automatic({ stopAtFirstProblem: true }),
		items: rows,
	},
	{
		what: 'Sync, mapped automatically: no column holds phone numbers',
		parameters: automatic(),
		items: [
			{ customer: 'Anna', contact_number: '+4915123456789' },
			{ customer: 'Ben', contact_number: '+447911123201' },
		],
	},
	{
		what: 'Sync, mapped automatically: two columns could be the phone number',
		parameters: automatic(),
		items: [{ Mobile: '+4915123456789', WhatsApp: '+447911123201' }],
	},
	{
		what: 'Sync: a number column contains text',
		parameters: mapped(
			{ phone: '={{ $json.phone }}', 'attributes.orders': 'many' },
			{},
			{ 'attributes.orders': 'number' },
		),
		items: [{ phone }],
	},
	{
		what: "Sync: 'Opt In' is 'maybe'",
		parameters: mapped({ phone: '={{ $json.phone }}', opt_in: 'maybe' }),
		items: [{ phone }],
	},
	{
		what: 'Send Template: the contact has opted out',
		parameters: send(),
		prepare: (sandbox) =>
			void addContact(sandbox, { id: contactId, phone, opt_in_status: 'opted_out' }),
	},
	{
		what: 'Send Template: a variable is blank',
		parameters: send({
			templateVariables: {
				mappingMode: 'defineBelow',
				value: { name: '' },
				schema: [{ id: 'name', displayName: 'name: Welcome, {{name}}!', type: 'string' }],
			},
		}),
		prepare: hasContact,
	},
	{
		what: 'Send Template: the template does not exist',
		parameters: send({ template: chosen('name', 'welcmoe') }),
		prepare: hasContact,
	},
	{
		what: 'Send Template: the monthly limit is reached',
		parameters: send(),
		prepare: (sandbox) => {
			hasContact(sandbox);
			sandbox.store.rules.monthlySendLimit = 0;
		},
	},
	{
		what: 'Send Template: the messaging platform rejects the message',
		parameters: send(),
		prepare: (sandbox) => {
			hasContact(sandbox);
			sandbox.store.rules.platformRejects.set('welcome', 'The template is paused');
		},
	},
	{
		what: 'Send Template: the CRM fails while sending',
		parameters: send(),
		prepare: failsBy({ status: 500 }, 'POST'),
	},
	{
		what: 'Send Template: the connection breaks before the answer',
		parameters: send(),
		prepare: failsBy({ drop: 'afterEffect' }, 'POST'),
	},
	{
		what: 'Send Template: the service expects different fields',
		parameters: send(),
		prepare: failsBy({ status: 422, detail: 'field required: template_name' }, 'POST'),
	},
	{
		what: 'Enroll Contact: the contact is already in the automation',
		parameters: enroll,
		prepare: failsBy({ status: 409, detail: 'contact already enrolled' }, 'POST'),
	},
	{
		what: 'The CRM is down',
		parameters: contact('getAll', { returnAll: true }),
		prepare: failsBy({ status: 503 }),
	},
	{
		what: 'Another system uses up the rate limit of the key',
		parameters: contact('getAll', { returnAll: true }),
		prepare: failsBy({ status: 429, headers: { 'retry-after': '900' } }),
	},
];
