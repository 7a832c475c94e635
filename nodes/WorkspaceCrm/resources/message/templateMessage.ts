import type { Api } from '../../crm/client';
import {
	PLACEHOLDER,
	sendTemplateBody,
	SETTINGS,
	withAnswer,
	type SendFields,
} from '../../crm/assumptions';
import { endpoints } from '../../crm/endpoints';
import type { SendOptions } from '../../crm/connection';
import type { WireRecord } from '../../crm/records';
import type { Template } from '../../crm/templates';
import {
	isJsonObject,
	isNothing,
	type JsonObject,
	ownValue,
	valueAt,
} from '../../domain/plainData';
import { readAsText } from '../../domain/typedValues';
import { InputProblem, quoted } from '../../domain/inputProblem';
import { on, text } from '../../operations/fieldBuilders';
import { asStored } from '../../domain/sameText';
import type { Field, Params } from '../../operations/fieldKinds';
import { contactForBody } from '../fields/contactReference';
import type { FoundContact } from '../../crm/lookUp';
import { templateField } from '../fields/recordField';
import { bodyOptionsField, chooseBody, readBody } from '../fields/requestBody';

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
				refreshStaleSchemaOnOpen: true,
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
					text('Name', 'name', {
						placeholder: 'e.g. 1 or first_name',
					}),
					text('Value', 'value'),
				],
			},
		],
	},
	on('Send Blank Variables', 'sendBlankVariables', {
		description:
			'Whether to send the message even if some of its variables are blank, without looking up the template',
	}),
] as const satisfies readonly Field[];

const [bodyField, bodyModeField] = bodyOptionsField.options;

/** Those of a body that goes to people. */
export const messageBodyOptions = [{ ...bodyField, accepts: 'message' }, bodyModeField] as const;

/** The settings of a message. */
type MessageText = Params<typeof messageFields> & {
	options: Partial<
		Params<readonly [...typeof variableOptions, ...typeof bodyOptionsField.options]>
	>;
};

/** A message that is ready to be sent. */
export interface Message {
	body: JsonObject;
	/** The text of its template with the variables filled in, if the template was looked up and shows one. */
	text?: string;
	/** Sends it once. Returns the body, merged with the answer. */
	send: Send;
}

type Send = (how?: Pick<SendOptions, 'isPersistent' | 'onSend'>) => Promise<WireRecord>;

/** Prepares a message for a contact. Reads the contact if the body needs its phone and that is unknown. */
export type PrepareFor = (contact: FoundContact) => Promise<Message>;

/** What a body changed by the user must still contain: the contact, because it gets the mark or its reply counts, and the approval text. */
interface MustHold {
	contact: true;
	text?: string;
}

/** The settings of a message, read without a request. */
export interface ReadMessage {
	/** The ID or the name of its template. */
	template: string;
	/** Whether a blank variable of the template would be an error. */
	mustBeFilled: boolean;
	/**
	 * Checks the variables, without a request.
	 *
	 * @param template as the service has it. Without it, or if the service does not show its variables, those
	 * count that the editor saved
	 * @throws InputProblem for blank variables, those that it does not have, or names that have no place in a list
	 */
	check(template?: Template): PrepareFor;
}

/**
 * Reads the settings of a message, without a request.
 *
 * @throws InputProblem for variables that are no texts, or an invalid body
 */
export function readMessage(api: Api, message: MessageText, mustHold?: MustHold): ReadMessage {
	const { template, templateVariables, options } = message;
	const { send: names } = api.bodyFields();
	const given = readVariables(message);
	readBody(options);
	const isOwn = hasOwnVariables(options, names);
	const ownBlank = blankIn(valueAt(options.body ?? {}, names.variablesField));
	const isList = names.variablesAs === 'list' && !isOwn;
	if (isList && !Object.keys(given).every(isPlace)) throw haveNoPlaces(given);
	const { schema } = templateVariables;
	const labels = new Map(schema.map(({ id, displayName = id }) => [id, displayName]));
	// A field that was removed is still a variable of the template.
	const saved = [...labels.keys()];
	const mustBeFilled = !isOwn && !options.sendBlankVariables;
	return {
		template: template.value,
		mustBeFilled,
		check({ variables: known, text } = {}) {
			const variables = known ?? saved;
			if (!options.sendBlankVariables && ownBlank.length > 0) throw areBlank(ownBlank, labels);
			const places = isList ? placesOf(variables) : variables;
			const values = isList ? inPlaces(places, given) : given;
			const blank = variables.filter((_, index) => !Object.hasOwn(given, places[index] ?? ''));
			if (mustBeFilled && blank.length > 0) throw areBlank(blank, labels);
			// 'Other Variables' may name what the service does not show.
			const fields = known ? [...templateVariables.cells.keys()] : [];
			const gone = fields.filter((name) => !places.includes(name));
			if (gone.length > 0) throw areGone(gone, labels);
			const filled = text?.replace(PLACEHOLDER, (placeholder, name: string) =>
				String(ownValue(values, places[variables.indexOf(name)] ?? name) ?? placeholder),
			);
			return preparing(api, message, { values, mustHold, text: filled });
		},
	};
}

/** The names or places of blank variables in the user's own JSON. */
function blankIn(variables: unknown): string[] {
	if (Array.isArray(variables)) {
		return variables.flatMap((value, index) => (isNothing(value) ? String(index + 1) : []));
	}
	const entries = isJsonObject(variables) ? Object.entries(variables) : [];
	return entries.flatMap(([name, value]) => (isNothing(value) ? name : []));
}

/** Whether the user's own JSON contains the variables. */
function hasOwnVariables(
	{ body = {}, bodyMode }: MessageText['options'],
	{ variablesField }: SendFields,
): boolean {
	return bodyMode === 'replace' || valueAt(body, variablesField) !== undefined;
}

function preparing(
	api: Api,
	{ template, options }: MessageText,
	{ values, mustHold, text }: { values: JsonObject; mustHold?: MustHold; text?: string },
): PrepareFor {
	const { send: names } = api.bodyFields();
	return async (contact) => {
		const recipient = await contactForBody(api, contact, names);
		const chosen = chooseBody(sendTemplateBody(recipient, template.value, values, names), options);
		const { body } = chosen;
		const isAddressed = valueAt(body, names.contactField) === recipient;
		const approval = mustHold?.text ?? '';
		const holdsText = approval === '' || JSON.stringify(body).includes(JSON.stringify(approval));
		if (mustHold && !(isAddressed && holdsText)) throw wrongBody();
		const request = { ...ERROR_TEXTS, ...chosen };
		const send: Send = async (how) =>
			withAnswer(body, await api.send(endpoints.sendTemplate(), { ...request, ...how }));
		const isOfTemplate = valueAt(body, names.templateField) === template.value;
		return { body, text: isOfTemplate ? text : undefined, send };
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
		409: ['The service refused this message, so it was not sent', ''],
	},
} as const;

function wrongBody(): InputProblem {
	return new InputProblem(
		"'Body' does not send the message to the contact chosen in 'Contact', or leaves out its text",
		"No message was sent. Take the contact out of 'Body' under 'Options', and use the Body Mode 'Add to Default Body'. If the service calls the field of the contact by another name, set it in the credential under 'Different Field Names (Advanced)'.",
	);
}

/**
 * Reads the variables that are given, as texts by name. Blank ones are none.
 *
 * @throws InputProblem for one that is no text
 */
function readVariables({ templateVariables, options }: MessageText): JsonObject {
	const { variables = [] } = options;
	const mapped = Array.from(templateVariables.cells, ([name, cell]) => {
		return [name, cell.as(`Variables: ${name}`).text(VARIABLE)] as const;
	});
	const others = variables.map(({ name, value }) => {
		return [name, asStored(readAsText(value, `Variables: ${name}`, VARIABLE))] as const;
	});
	return Object.fromEntries([...mapped, ...others]);
}

/** No message could show a list or an object. */
const VARIABLE =
	'a text. To write a list as text, use an expression such as {{ $json.items.join(", ") }}';

function areGone(gone: readonly string[], labels: ReadonlyMap<string, string>): InputProblem {
	return new InputProblem(
		`The template has no variable ${namesOf(gone, labels)}`,
		"No message was sent: messaging platforms refuse it. The template may have changed since its variables were filled in. Refresh the list in the menu beside 'Variables', or choose the template again.",
	);
}

function namesOf(variables: readonly string[], labels: ReadonlyMap<string, string>): string {
	return variables.map((name) => quoted(labels.get(name) ?? name)).join(', ');
}

function areBlank(blank: readonly string[], labels: ReadonlyMap<string, string>): InputProblem {
	return new InputProblem(
		`Variables of the template are blank: ${namesOf(blank, labels)}`,
		"No message was sent. Fill in the fields under 'Variables', and check that this item has the values that they read. If the fields are not those of the template, refresh the list in the menu beside 'Variables'. To send the message without these variables, turn on 'Send Blank Variables' under 'Options'.",
	);
}

const isPlace = (name: string) => /^[1-9]\d*$/.test(name);

/**
 * The places of variables, if the service expects them as a list: 1, 2 and so on. Variables with other names take
 * the places in the order in which the template has them.
 */
function placesOf(variables: readonly string[]): readonly string[] {
	return variables.every(isPlace) ? variables : variables.map((_, index) => String(index + 1));
}

/** The values in their places. A blank one becomes an empty text. @throws InputProblem if there is a gap */
function inPlaces(places: readonly string[], given: JsonObject): JsonObject {
	const blank = places.map((name) => [name, ''] as const);
	const values = Object.fromEntries([...blank, ...Object.entries(given)]);
	// JavaScript orders keys that are whole numbers first.
	const isWhole = Object.keys(values).every((name, index) => name === String(index + 1));
	if (!isWhole) throw haveNoPlaces(given);
	return values;
}

function haveNoPlaces(given: JsonObject): InputProblem {
	return new InputProblem(
		`The variables have no places in a list: ${Object.keys(given).map(quoted).join(', ')}`,
		"No message was sent. The credential says that the service takes the variables as a list, in which each has its place. Use numbers as their names, and give each a value, from 1 on. Or give the body in 'Body' under 'Options'.",
	);
}
