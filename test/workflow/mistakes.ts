import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultKind, Sandbox } from '../sandbox';
import { addContact, chosen, contactId } from './support';
import { automatic, mapped } from './syncNode';

/** A mistake that people are likely to make, or a misfortune that is likely to meet them. */
export interface Mistake {
	what: string;
	parameters: INodeParameters;
	items?: IDataObject[];
	/** What the CRM is like. */
	prepare?: (sandbox: Sandbox) => void;
	credential?: IDataObject;
	/** What the person does next, in a few words. */
	next: string;
}

const phone = '+4915123456789';
const byId = chosen('id', contactId);
const byPhone = (value: string) => chosen('phone', value);

const contact = (operation: string, more: object = {}): INodeParameters =>
	({ resource: 'contact', operation, ...more }) as INodeParameters;
const upsert = (value: string, additionalFields: object = {}) =>
	contact('upsert', { phone: value, additionalFields });
const send = (more: object = {}): INodeParameters =>
	({
		resource: 'message',
		operation: 'sendTemplate',
		contactId: byId,
		template: chosen('name', 'welcome'),
		...more,
	}) as INodeParameters;
const enroll = {
	resource: 'automation',
	operation: 'enroll',
	automationId: chosen('id', 'aut_welcome_series'),
	contactId: byId,
} as unknown as INodeParameters;
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
		what: 'Pasted a wrong API key, or the key was revoked',
		parameters: workspace,
		prepare: (sandbox) => sandbox.revokeKey(),
		next: 'Paste the key again in the credential',
	},
	{
		what: 'Mistyped the address in the credential',
		parameters: workspace,
		credential: { baseUrl: 'https://crm.invalid' },
		next: 'Correct the base URL',
	},
	{
		what: 'Gave the address of a web page instead of the API',
		parameters: workspace,
		prepare: failsBy({ html: true, status: 200 }),
		next: 'Correct the base URL',
	},
	{
		what: 'Gave an address that leads to another one',
		parameters: workspace,
		prepare: failsBy({ status: 301, headers: { location: 'https://example.com/' } }),
		next: 'Correct the base URL',
	},
	{
		what: 'Gave an address with http:// on the internet',
		parameters: workspace,
		credential: { baseUrl: 'http://crm.example.com' },
		next: 'Change http:// to https://',
	},
	{
		what: 'Create or Update: a number without country code',
		parameters: upsert('0170 5556677'),
		next: 'Add the country code, or set Default Country',
	},
	{
		what: 'Create or Update: something that is no phone number',
		parameters: upsert('call me later'),
		next: 'Correct the number',
	},
	{
		what: 'Create or Update: the number is blank for this item',
		parameters: upsert('={{ $json.mobile }}'),
		next: 'Check the expression',
	},
	{
		what: 'Create or Update: a number that can be two numbers',
		parameters: upsert('4915123456789', { defaultCountry: 'DE' }),
		next: 'Choose the right one',
	},
	{
		what: 'Create or Update: a number of another country, without its plus',
		parameters: upsert('31612345678', { defaultCountry: 'Germany' }),
		next: 'Put a plus in front',
	},
	{
		what: 'Create or Update: attributes that are no JSON',
		parameters: upsert(phone, { attributesJson: '{plan: pro}' }),
		next: 'Correct the JSON',
	},
	{
		what: 'Get by phone: nobody has the number',
		parameters: contact('get', { contactId: byPhone('+49 170 5556677') }),
		next: 'Check the number',
	},
	{
		what: 'Get by phone: a number without country code',
		parameters: contact('get', { contactId: byPhone('0170 5556677') }),
		next: 'Add the country code, or set Default Country',
	},
	{
		what: 'Get by phone: two contacts have the number',
		parameters: contact('get', { contactId: byPhone(phone) }),
		prepare: (sandbox) => {
			hasContact(sandbox);
			addContact(sandbox, { phone: phone.slice(1) });
		},
		next: 'Choose the contact by its ID',
	},
	{
		what: 'Get by ID: typed something that is no ID',
		parameters: contact('get', { contactId: chosen('id', 'anna') }),
		next: "Use the field 'id' of a contact",
	},
	{
		what: 'Get: the contact was deleted',
		parameters: contact('get', { contactId: byId }),
		next: 'Choose another contact',
	},
	{
		what: 'Chose no contact',
		parameters: contact('get', { contactId: chosen('list', '') }),
		next: 'Choose a contact',
	},
	{
		what: 'Update: added no field',
		parameters: contact('update', { contactId: byId, updateFields: {} }),
		next: 'Add a field',
	},
	{
		what: 'Get Many: the filter reads a field that the item does not have',
		parameters: contact('getAll', { returnAll: true, filters: { search: '={{ $json.nmae }}' } }),
		next: 'Correct the expression',
	},
	{
		what: 'Get Many: Limit is 0',
		parameters: contact('getAll', { limit: 0 }),
		next: 'Enter 1 or more',
	},
	{
		what: 'Add tags: no tag is given',
		parameters: tag('add', ''),
		next: 'Choose a tag',
	},
	{
		what: 'Remove tags: the contact does not have the tag',
		parameters: tag('remove', 'vip'),
		prepare: hasContact,
		next: 'Nothing, if it is gone already',
	},
	{
		what: 'Sync: some rows have bad numbers',
		parameters: automatic(),
		items: rows,
		next: 'Correct these rows, or set a Default Country',
	},
	{
		what: 'Sync: the same, with Stop on First Error',
		parameters: automatic({ stopAtFirstProblem: true }),
		items: rows,
		next: 'Correct the row',
	},
	{
		what: 'Sync, mapped automatically: no column is a phone number',
		parameters: automatic(),
		items: [
			{ customer: 'Anna', contact_number: '+4915123456789' },
			{ customer: 'Ben', contact_number: '+447911123201' },
		],
		next: 'Rename the column',
	},
	{
		what: 'Sync, mapped automatically: two columns could be the phone number',
		parameters: automatic(),
		items: [{ Mobile: '+4915123456789', WhatsApp: '+447911123201' }],
		next: 'Rename the right one',
	},
	{
		what: 'Sync: text in a column of numbers',
		parameters: mapped(
			{ phone: '={{ $json.phone }}', 'attributes.orders': 'many' },
			{},
			{ 'attributes.orders': 'number' },
		),
		items: [{ phone }],
		next: 'Correct the value',
	},
	{
		what: "Sync: 'maybe' as Opt In",
		parameters: mapped({ phone: '={{ $json.phone }}', opt_in: 'maybe' }),
		items: [{ phone }],
		next: 'Use yes or no',
	},
	{
		what: 'Send Template: the contact has opted out',
		parameters: send(),
		prepare: (sandbox) =>
			void addContact(sandbox, { id: contactId, phone, opt_in_status: 'opted_out' }),
		next: 'Leave the contact out',
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
		next: 'Fill it in',
	},
	{
		what: 'Send Template: there is no such template',
		parameters: send({ template: chosen('name', 'welcmoe') }),
		prepare: hasContact,
		next: 'Choose it from the list',
	},
	{
		what: 'Send Template: the monthly limit is reached',
		parameters: send(),
		prepare: (sandbox) => {
			hasContact(sandbox);
			sandbox.store.rules.monthlySendLimit = 0;
		},
		next: 'Look at the plan in the app',
	},
	{
		what: 'Send Template: the messaging platform refuses it',
		parameters: send(),
		prepare: (sandbox) => {
			hasContact(sandbox);
			sandbox.store.rules.platformRejects.set('welcome', 'The template is paused');
		},
		next: 'Do what the platform says',
	},
	{
		what: 'Send Template: the CRM fails while sending',
		parameters: send(),
		prepare: failsBy({ status: 500 }, 'POST'),
		next: "Look at the contact's chat before running again",
	},
	{
		what: 'Send Template: the connection breaks before the answer',
		parameters: send(),
		prepare: failsBy({ drop: 'afterEffect' }, 'POST'),
		next: "Look at the contact's chat before running again",
	},
	{
		what: 'Send Template: the service expects other fields',
		parameters: send(),
		prepare: failsBy({ status: 422, detail: 'field required: template_name' }, 'POST'),
		next: 'Set in the credential what it says',
	},
	{
		what: 'Enroll Contact: the contact is in the automation already',
		parameters: enroll,
		prepare: failsBy({ status: 409, detail: 'contact already enrolled' }, 'POST'),
		next: 'Nothing, if it is enrolled',
	},
	{
		what: 'The CRM is down',
		parameters: contact('getAll', { returnAll: true }),
		prepare: failsBy({ status: 503 }),
		next: 'Run again later',
	},
	{
		what: 'Another system uses up the limit of the key',
		parameters: contact('getAll', { returnAll: true }),
		prepare: failsBy({ status: 429, headers: { 'retry-after': '900' } }),
		next: 'Give each system a key of its own',
	},
];
