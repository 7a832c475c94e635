import type { Api } from '../../api/client';
import { sendTemplateBody, SETTINGS, withAnswer, type SendFields } from '../../api/assumptions';
import { endpoints } from '../../api/endpoints';
import type { SendOptions } from '../../api/connection';
import type { WireRecord } from '../../api/records';
import { checkJson, valueAt, type JsonObject } from '../../domain/json';
import { InputProblem, quoted } from '../../domain/problem';
import { trimmed } from '../../domain/text';
import { readAsText } from '../../domain/typedValues';
import type { Field, MappedColumns, Params } from '../../operations/fieldKinds';
import { contactForBody } from '../fields/contactReference';
import type { FoundContact } from '../../api/lookUp';
import { templateField } from '../fields/recordField';
import { chooseBody, type bodyOptionsField } from '../fields/requestBody';

/** The fields for the content of a message. */
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
		mayBeNothing: true,
		accepts: 'message',
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
] as const satisfies readonly Field[];

export const variableOptions = [
	{
		displayName: 'Other Variables',
		name: 'variables',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Variable' },
		default: {},
		placeholder: 'Add Variable',
		description:
			"Variables of the template that are not listed under 'Variables'. A variable left blank is not sent. If a name is in both, the value here is used.",
		mayBeNothing: true,
		accepts: 'message',
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
	{
		displayName: 'Send Blank Variables',
		name: 'sendBlankVariables',
		type: 'boolean',
		default: true,
		description: 'Whether to send the message even if some of its variables are blank',
	},
] as const satisfies readonly Field[];

/** The settings of a message. */
type MessageText = Params<typeof messageFields> & {
	options: Partial<
		Params<readonly [...typeof variableOptions, ...typeof bodyOptionsField.options]>
	>;
};

/** A message that is ready to be sent. */
export interface Message {
	body: JsonObject;
	/** Sends it once. Returns the body, merged with the answer. */
	send: Send;
}

type Send = (how?: Pick<SendOptions, 'onSend' | 'isPersistent'>) => Promise<WireRecord>;

/** Prepares a message for a contact. Reads the contact if the body needs its phone and that is unknown. */
export type PrepareFor = (contact: FoundContact) => Promise<Message>;

/**
 * Checks the settings of a message, without a request.
 *
 * @param mustHold what a body changed by the user must still contain: the contact, because it gets the
 * mark or its reply counts, and the approval text
 * @throws InputProblem for invalid variables or an invalid body
 */
export function readMessage(
	api: Api,
	message: MessageText,
	mustHold?: { contact: true; text?: string },
): PrepareFor {
	const { template, options } = message;
	const { send: names } = api.bodyFields();
	const values = readVariables(message, names);
	checkJson(options.body ?? {}, 'Body');
	return async (contact) => {
		const recipient = await contactForBody(api, contact, names);
		const chosen = chooseBody(sendTemplateBody(recipient, template.value, values, names), options);
		const { body } = chosen;
		const isAddressed = valueAt(body, names.contactField) === recipient;
		const text = mustHold?.text ?? '';
		const holdsText = text === '' || JSON.stringify(body).includes(JSON.stringify(text));
		if (mustHold && !(isAddressed && holdsText)) throw wrongBody();
		const request = { ...ERROR_TEXTS, ...chosen };
		const send: Send = async (how) =>
			withAnswer(body, await api.send(endpoints.sendTemplate(), { ...request, ...how }));
		return { body, send };
	};
}

const ERROR_TEXTS = {
	unclear: [
		'It is not known whether this message was sent',
		"The request may have taken effect, so the node did not repeat it. Look at the contact's chat first, and run the node again only if the message is not there.",
	],
	advice: {
		404: [
			'There is no such template, or no such contact, in this workspace',
			`No message was sent. Choose both from their lists. If the template in the list is not found, choose it 'By Name'. The credential may also belong to another workspace, or use another form of the contact than the service ('${SETTINGS.contactAs}').`,
		],
		409: ['The service refused to send this message', 'No message was sent.'],
	},
} as const;

function wrongBody(): InputProblem {
	return new InputProblem(
		"'Body' does not send the message to the contact chosen in 'Contact', or leaves out its text",
		"No message was sent. Take the contact out of 'Body' under 'Options', and use the Body Mode 'Add to Default Body'. If the service calls the field of the contact by another name, set it in the credential under 'Different Field Names (Advanced)'.",
	);
}

/**
 * Reads the variables of a message, by name. If the service expects a list, the names must be numbers,
 * and a blank variable becomes an empty text.
 *
 * @throws InputProblem for blank variables, or names that have no place in a list: a sent message cannot
 * be undone
 */
function readVariables(
	{ templateVariables, options }: MessageText,
	{ variablesAs, variablesField }: Pick<SendFields, 'variablesAs' | 'variablesField'>,
): JsonObject {
	const { schema, values: mapped } = templateVariables;
	const { body = {}, bodyMode, sendBlankVariables, variables = [] } = options;
	const others = variables.map(({ name, value }): [string, unknown] => [name, value]);
	const texts = [...Object.entries(mapped), ...others].map(([name, value]) => [
		name,
		readVariable(name, value),
	]);
	const values = Object.fromEntries(texts) as JsonObject;
	// Then the user's own JSON contains the variables.
	if (bodyMode === 'replace' || valueAt(body, variablesField) !== undefined) return values;

	// A field that was removed is still a variable of the template.
	if (!sendBlankVariables) checkFilled(schema, values);
	if (variablesAs !== 'list') return values;
	const places = schema.map(({ id }) => [id, ''] as const);
	return checkPlaces(Object.fromEntries([...places, ...Object.entries(values)]));
}

/** @throws InputProblem for a list or an object, which no message could show */
function readVariable(name: string, value: unknown): string {
	const expected =
		'a text. To write a list as text, use an expression such as {{ $json.items.join(", ") }}';
	return trimmed(readAsText(value, `Variables: ${name}`, expected));
}

function checkFilled(schema: MappedColumns['schema'], values: JsonObject): void {
	const blank = schema.filter(({ id }) => !Object.hasOwn(values, id));
	if (blank.length === 0) return;
	const names = blank.map(({ id, displayName = id }) => quoted(displayName)).join(', ');
	throw new InputProblem(
		`Variables of the template are blank: ${names}`,
		"No message was sent. Fill in the fields under 'Variables', and check that this item has the values that they read. If the template has no such variable any more, refresh the list in the menu beside 'Variables'. To send the message without them, turn on 'Send Blank Variables' under 'Options'.",
	);
}

/** @throws InputProblem unless the names are 1, 2 and so on */
function checkPlaces(values: JsonObject): JsonObject {
	// JavaScript orders keys that are whole numbers first.
	const names = Object.keys(values);
	if (names.every((name, index) => name === String(index + 1))) return values;
	throw new InputProblem(
		`The variables have no places in a list: ${names.map(quoted).join(', ')}`,
		"No message was sent. The credential says that the service takes the variables as a list, in which each has its place. Use numbers as their names, and give each a value, from 1 on. Or give the body in 'Body' under 'Options'.",
	);
}
