import type { INode } from 'n8n-workflow';

import type { Fault } from '../sandbox';

/** A failure, and what a person should find in the editor. */
export interface ErrorRow {
	name: string;
	parameters: INode['parameters'];
	/** What the service does; nothing for what is wrong before a request is made. */
	fault?: Fault;
	title: string;
	/** Parts of the text below the title: what to do, and what the service said. */
	texts: string[];
}

const getWorkspace = { resource: 'workspace', operation: 'get' };
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const sendTemplate = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId: byId('3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b'),
	template: { __rl: true, mode: 'name', value: 'welcome' },
	templateVariables: {
		mappingMode: 'defineBelow',
		value: { name: 'Anna' },
		schema: [{ id: 'name', displayName: 'name', type: 'string', display: true, required: false }],
	},
};
const upsert = (phone: string, additionalFields = {}) => ({
	resource: 'contact',
	operation: 'upsert',
	phone,
	additionalFields,
});

function refused(status: number, title: string, remedy: string): ErrorRow {
	const detail = `because of ${status}`;
	return {
		name: `${status}`,
		parameters: getWorkspace,
		fault: { kind: { status, detail } },
		title,
		texts: [remedy, `The service says: "${detail}" (HTTP ${status})`],
	};
}

/** The table of errors of the API reference, and what else can go wrong. */
export const errorRows: ErrorRow[] = [
	refused(400, 'The service could not read the request', 'Check the fields of this node.'),
	refused(401, 'The API key was not accepted', 'Open the credential and paste the key again.'),
	refused(
		402,
		'The subscription is inactive, or the monthly send limit is reached',
		'Check the plan and the usage of the workspace in the app',
	),
	refused(
		403,
		'The API key is not allowed to do this',
		'Check that the key in the credential belongs to the right workspace',
	),
	refused(404, 'The record does not exist in this workspace', 'Check the ID.'),
	refused(
		409,
		'The request conflicts with the current state',
		'Check in the app what the record is like now, then run again.',
	),
	refused(
		422,
		'The service did not accept the data: because of 422',
		'Correct the field that the service names.',
	),
	{
		...refused(500, 'The CRM is having problems right now', 'Try again in a few minutes.'),
		fault: { times: 3, kind: { status: 500, detail: 'because of 500' } },
	},
	{
		...refused(502, 'The messaging platform rejected the message', 'The message was not sent.'),
		parameters: sendTemplate,
		// The editor itself asks for the templates.
		fault: { match: { method: 'POST' }, kind: { status: 502, detail: 'because of 502' } },
	},
	{
		name: 'a web page in place of an answer',
		parameters: getWorkspace,
		fault: { kind: { html: true, status: 200 } },
		title: 'The service answered with a web page instead of JSON',
		texts: ['Check the base URL in the credential (http://127.0.0.1'],
	},
	{
		name: 'a redirect',
		parameters: getWorkspace,
		fault: { kind: { status: 302, headers: { location: 'https://evil.example.com/' } } },
		title: 'The service answered with a redirect, which was not followed',
		texts: ['Check the base URL in the credential'],
	},
	{
		name: 'a message of which nobody knows whether it was sent',
		parameters: sendTemplate,
		fault: { match: { method: 'POST' }, kind: { drop: 'afterEffect' } },
		title: 'It is not known whether this message was sent',
		texts: ['The connection to the service broke', "Look at the contact's chat first"],
	},
	{
		name: 'a number that can be two',
		parameters: upsert('4915123456780', { defaultCountry: 'DE' }),
		title: 'The phone number "4915123456780" can be read as +494915123456780 and as +4915123456780',
		texts: ['Enter the right one of these two numbers'],
	},
	{
		name: 'a number that is none',
		parameters: upsert('call me'),
		title: 'The phone number contains characters that no phone number has ("call me")',
		texts: ['Give it with country code, e.g. +49 1512 3456789'],
	},
	{
		name: 'an empty field',
		// What is typed, the editor looks at by itself, and does not run the step.
		parameters: upsert('={{ "" }}'),
		title: "'Phone' is set by an expression that gives nothing",
		texts: ['each field that it reads must exist and have a value'],
	},
	{
		name: 'an ID that is none',
		parameters: { resource: 'contact', operation: 'get', contactId: byId('={{ 42 }}') },
		title: '"42" is not a contact ID',
		texts: ["choose 'Phone' in the drop-down in front of the field"],
	},
	{
		name: 'a number that nobody has',
		parameters: {
			resource: 'contact',
			operation: 'get',
			contactId: { __rl: true, mode: 'phone', value: '+4915100000000' },
		},
		title: 'No contact has the phone number +4915100000000',
		texts: ['Check the number and its country code'],
	},
	{
		name: 'a broken JSON',
		parameters: upsert('+4915123456780', { attributesJson: '{ "plan": }' }),
		title: "'Attributes (JSON)' is not valid JSON",
		texts: ['Check quotes, commas and brackets. The parser says:'],
	},
	// The last one, because all who use the key are then told the same for five minutes.
	{
		...refused(429, 'The rate limit of the service is used up', 'Wait 6 minutes, then run again.'),
		fault: {
			kind: { status: 429, detail: 'because of 429', headers: { 'retry-after': '301' } },
		},
	},
];
