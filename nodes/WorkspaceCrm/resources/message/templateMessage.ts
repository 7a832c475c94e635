import type { Api, ApiRequest } from '../../api/client';
import { CrmError } from '../../api/crmError';
import { sendTemplateBody, withAnswer } from '../../api/assumptions';
import { SETTINGS } from '../../api/bodyFields';
import { path } from '../../api/urls';
import { checkJson, valueAt, type JsonObject } from '../../domain/json';
import type { WireRecord } from '../../api/types';
import type { Field, Params } from '../../operations/fieldKinds';
import {
	contactFields,
	findContact,
	readWholeContact,
	valueForBody,
	type ChosenContact,
	type FoundContact,
} from '../contactReference';
import { templateField } from '../recordField';
import { bodyOptionsField, chooseBody } from '../requestBody';
import { readVariables } from './messageVariables';

/** What a message says. */
export const messageFields = [
	templateField,
	{
		displayName: 'Variables',
		name: 'templateVariables',
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		description:
			"Values for the variables of the template. A blank one is an error, unless 'Send Blank Variables' under 'Options' is on.",
		role: 'adds',
		typeOptions: {
			loadOptionsDependsOn: ['template.value'],
			resourceMapper: {
				resourceMapperMethod: 'getTemplateVariables',
				mode: 'map',
				valuesLabel: 'Variables',
				fieldWords: { singular: 'variable', plural: 'variables' },
				addAllFields: true,
				multiKeyMatch: false,
				supportAutoMap: false,
				hideNoDataError: true,
			},
		},
	},
	{
		displayName: 'Other Variables',
		name: 'variables',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Variable' },
		default: {},
		placeholder: 'Add Variable',
		description:
			"Variables of the template that are not listed under 'Variables'. A variable left blank is not sent. If a name is in both, the value here is used.",
		role: 'adds',
		options: [
			{
				displayName: 'Variable',
				name: 'values',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. 1 or first_name',
					},
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				],
			},
		],
	},
] as const satisfies readonly Field[];

/** To whom a message goes, and what it says. */
export const templateMessageFields = [...contactFields, ...messageFields] as const;

export const sendBlankVariablesField = {
	displayName: 'Send Blank Variables',
	name: 'sendBlankVariables',
	type: 'boolean',
	default: true,
	description: 'Whether to send the message even if some of its variables are blank',
} as const satisfies Field;

/** What a message says, and how it is sent. */
type MessageText = Params<typeof messageFields> & {
	options: Partial<
		Params<readonly [...typeof bodyOptionsField.options, typeof sendBlankVariablesField]>
	>;
};

/** The same, with whom it goes to. */
export type TemplateMessage = MessageText & ChosenContact;

/** A message that is ready to be sent, once. */
export interface PreparedMessage {
	contact: FoundContact;
	/** What stands for the contact in the body. */
	recipient: string;
	body: JsonObject;
	/** Whether the body still says so, where the user has changed it. */
	isAddressed: boolean;
	/** Gives what was sent, and what the service answered. */
	send(how?: Pick<ApiRequest, 'onSend' | 'isPersistent'>): Promise<WireRecord>;
}

/** Makes a message ready for a contact. Asks the service for the phone if that is what bodies name. */
export type PrepareFor = (contact: FoundContact) => Promise<PreparedMessage>;

/**
 * Checks what a message says, which takes no request.
 *
 * @throws InputProblem for variables or a body that cannot be sent
 */
export function readMessage(api: Api, message: MessageText): PrepareFor {
	const { template, options } = message;
	const { send: names } = api.bodyFields();
	const values = readVariables(message, names);
	checkJson(options.body ?? {}, 'Body');
	return async (contact) => {
		const recipient = await valueForBody(api, contact, names);
		const body = sendTemplateBody(recipient, template.value, values, names);
		const chosen = chooseBody(body, options);
		const request = {
			method: 'POST',
			path: path`/v1/messages/template`,
			...chosen,
			sendsMessage: true,
			unclear: MAY_BE_SENT,
			advice: {
				404: [
					'There is no such template, or no such contact, in this workspace',
					`No message was sent. Choose both from their lists. If the template is chosen from there, and is what is not found, choose the template 'By Name'. The credential may also belong to another workspace, or name the contact in another way than the service does ('${SETTINGS.contactAs}').`,
				],
				409: ['The service refused to send this message', 'No message was sent.'],
			},
		} as const;
		const send: PreparedMessage['send'] = async (how) =>
			withAnswer(chosen.body, await api.send({ ...request, ...how }));
		const isAddressed = valueAt(chosen.body, names.contactField) === recipient;
		return { contact, recipient, body: chosen.body, isAddressed, send };
	};
}

/**
 * Looks up what is needed and checks all there is to check, before anything is sent.
 *
 * @throws InputProblem for a contact that is not found, or variables that cannot be sent
 */
export async function prepareMessage(api: Api, message: TemplateMessage): Promise<PreparedMessage> {
	const prepareFor = readMessage(api, message);
	return await prepareFor(await findContact(api, message));
}

/**
 * Handles a failed send. A conflict is an opt-out only if the contact's state says so.
 *
 * @throws the failure
 */
export function explainConflict(api: Api, contact: FoundContact) {
	return async (error: unknown): Promise<never> => {
		if (!(error instanceof CrmError) || error.status !== 409) throw error;
		const now = await readWholeContact(api, { id: contact.id }).catch(() => undefined);
		if (now?.optInStatus !== 'opted_out') throw error;
		throw error.withMessage('This contact has opted out, so no message was sent');
	};
}

const MAY_BE_SENT = [
	'It is not known whether this message was sent',
	"The request may have taken effect, so the node did not repeat it. Look at the contact's chat first, and run the node again only if the message is not there.",
] as const;
