import type {
	IAuthenticate,
	Icon,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { authenticate } from '../nodes/WorkspaceCrm/crm/apiKey';
import { SETTINGS } from '../nodes/WorkspaceCrm/crm/assumptions';
import { endpoints } from '../nodes/WorkspaceCrm/crm/endpoints';
import { TRY_AGAIN } from '../nodes/WorkspaceCrm/crm/crmError';
import { statusFailure } from '../nodes/WorkspaceCrm/crm/failure';
import { InputProblem } from '../nodes/WorkspaceCrm/domain/inputProblem';

/** The statuses whose meaning the test shows; for others, n8n shows the bare words of HTTP. */
const SHOWN = [301, 302, 303, 307, 308, 401, 402, 404, 429, 500, 502, 503, 504];

/** What a status of the test means. There is no record that may be missing. */
function meaningOf(status: number): string {
	if (status === 404) return 'The API was not found at this address. Check the base URL.';
	const { title, remedy, retryable } = statusFailure(status);
	return [`${title}.`, remedy, retryable === 'soon' ? TRY_AGAIN : ''].filter(Boolean).join(' ');
}

/** For what the API reference does not show: how the bodies of sending and enrolling look. */
function otherFieldNames(): INodeProperties[] {
	const displayOptions = { show: { otherFieldNames: [true] } };
	const fieldName = (
		name: keyof typeof SETTINGS,
		[assumed, other]: [string, string],
		what: string,
	): INodeProperties => ({
		displayName: SETTINGS[name],
		name,
		type: 'string',
		default: '',
		placeholder: `e.g. ${other}`,
		description: `The field that holds ${what}. For a field inside an object, use a dot. If this is empty, the node sends '${assumed}'.`,
		displayOptions,
	});
	const contactAs = (name: keyof typeof SETTINGS): INodeProperties => ({
		displayName: SETTINGS[name],
		name,
		type: 'options',
		default: 'id',
		options: [
			{ name: 'ID', value: 'id' },
			{ name: 'Phone Number', value: 'phone' },
		],
		description:
			'What names the contact. With the phone number, the node may need one more request to look the contact up.',
		displayOptions,
	});
	return [
		{
			displayName: SETTINGS.switch,
			name: 'otherFieldNames',
			type: 'boolean',
			default: false,
			description:
				'Whether the service uses other field names when it sends templates and enrolls contacts. Leave it off unless an error tells you what to set.',
		},
		fieldName(
			'contactField',
			['contact_id', 'recipient.id'],
			'the contact when a template is sent',
		),
		contactAs('contactAs'),
		fieldName('templateField', ['template', 'template_name'], 'the template'),
		fieldName('variablesField', ['variables', 'params'], "the template's variables"),
		{
			displayName: SETTINGS.variablesAs,
			name: 'variablesAs',
			type: 'options',
			default: 'object',
			description: 'How the variables are written',
			options: [
				{ name: 'Object', value: 'object', description: 'As in { "1": "Anna", "2": "1042" }' },
				{
					name: 'List of Values',
					value: 'list',
					description: 'As in ["Anna", "1042"], for variables that have numbers',
				},
				{
					name: 'List of Names and Values',
					value: 'pairs',
					description: 'As in [{ "name": "1", "value": "Anna" }]',
				},
			],
			displayOptions,
		},
		fieldName(
			'enrollContactField',
			['contact_id', 'member_id'],
			'the contact when it is enrolled in an automation',
		),
		contactAs('enrollContactAs'),
	];
}

export class WorkspaceCrmApi implements ICredentialType {
	name = 'workspaceCrmApi';

	displayName = 'Workspace CRM API';

	icon: Icon = {
		light: 'file:../icons/workspaceCrm.svg',
		dark: 'file:../icons/workspaceCrm.dark.svg',
	};

	documentationUrl =
		'https://github.com/workspace-crm/n8n-nodes-workspace-crm/blob/main/docs/credential.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://crm.example.com',
			description: 'The address of the API. It starts with https://, and may end with /v1.',
			hint: 'If you do not know it, ask the person or the company that runs your CRM.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			hint: 'Created in the app under the REST API integration settings, by an Admin. It is shown only once.',
		},
		{
			displayName: 'Send Key As',
			name: 'authHeader',
			type: 'options',
			default: 'bearer',
			description:
				"Change this only if your company's proxy needs the key in another header. The service accepts both.",
			options: [
				{ name: 'Standard (Authorization: Bearer)', value: 'bearer' },
				{ name: 'X-API-Key Header', value: 'xApiKey' },
			],
		},
		...otherFieldNames(),
	];

	/** A function, and not a template, because it has to refuse what would give the key away. */
	authenticate: IAuthenticate = async (credential, options) => {
		try {
			return authenticate(credential, options);
		} catch (error) {
			// n8n shows nothing but the message, so what to do has to be in it.
			if (error instanceof InputProblem) throw new Error(`${error.message}. ${error.description}`);
			throw error;
		}
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "").replace(/\\/v1$/, "") }}',
			url: endpoints.getWorkspace().path,
			disableFollowRedirect: true,
		},
		rules: [
			...SHOWN.map((status) => ({
				type: 'responseCode',
				properties: { value: status, message: meaningOf(status) },
			})),
			{
				type: 'responseSuccessBody',
				properties: {
					key: 'id',
					value: undefined,
					message:
						'Something answered at this address, but not the API of the CRM. Check the base URL.',
				},
			},
			// The types want all rules of one kind; n8n looks at each by itself.
		] as ICredentialTestRequest['rules'],
	};
}
