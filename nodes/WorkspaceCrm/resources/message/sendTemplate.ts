import { sendTemplateBody, withAnswer } from '../../api/assumptions';
import { otherContactAs, sendRoles } from '../../api/bodyAdvice';
import { checkJson, isBlank, type JsonObject } from '../../domain/json';
import { InputProblem, shown } from '../../domain/problem';
import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import type { MappedColumns } from '../../operations/fieldKinds';
import { contactFields, findContact, valueForBody, type FoundContact } from '../contactReference';
import { templateField } from '../recordField';
import { bodyOptionsField, chooseBody } from '../requestBody';

export const sendTemplate = defineOperation({
	value: 'sendTemplate',
	name: 'Send Template',
	action: 'Send template message',
	description: 'Send an approved message template to a contact. This cannot be taken back.',
	hints: [
		{
			message:
				'Execute step sends a real message. If the connection breaks before the answer comes, it is not sent again, and the item fails. Opted-out contacts are never messaged.',
		},
	],
	effect: 'once',
	fields: [
		...contactFields,
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
		{
			...bodyOptionsField,
			options: [
				...bodyOptionsField.options,
				{
					displayName: 'Send Blank Variables',
					name: 'sendBlankVariables',
					type: 'boolean',
					default: true,
					description: 'Whether to send the message also if some of its variables have no value',
				},
			],
		},
	],

	async execute(api, params) {
		const { template, templateVariables, variables, options } = params;
		const filled = Object.entries(templateVariables.values).filter(
			([, value]) => value !== undefined && value !== null && value !== '',
		);
		const values = checkJson<JsonObject>(
			Object.fromEntries([...filled, ...variables.map(({ name, value }) => [name, value])]),
			'Variables',
		);
		if (!options.sendBlankVariables) checkFilled(templateVariables, values, options);
		const fields = api.bodyFields();
		const { send: names, areChosen } = fields;
		if (names.variablesAs === 'list') checkPositions(values);
		const contact = await findContact(api, params);
		const recipient = await valueForBody(api, contact, names);
		const body = sendTemplateBody(recipient, template.value, values, names);
		const chosen = chooseBody(body, options, { roles: sendRoles(fields), areChosen });
		const answer = await api.send({
			method: 'POST',
			path: path`/v1/messages/template`,
			...chosen,
			sendsMessage: true,
			unclear: MAY_BE_SENT,
			advice: {
				404: [
					'There is no such template, or no such contact, in this workspace',
					`No message was sent. Choose both from their lists. If the template is chosen from there, and is what is not found, choose the template 'By Name'. ${areChosen ? otherContactAs('contactAs', names) : 'The credential may also belong to another workspace.'}`,
				],
				409: [
					'This contact has opted out, so no message was sent',
					'The service never messages contacts who have opted out. Leave this contact out.',
				],
			},
		});
		return { ...withAnswer(chosen.body, answer), ...recipientOf(contact) };
	},
});

const MAY_BE_SENT = [
	'It is not known whether this message was sent',
	"The request may have taken effect, so the node did not repeat it. Look at the contact's chat first, and run the node again only if the message is not there.",
] as const;

/**
 * A message with a gap in it cannot be taken back.
 *
 * @throws InputProblem for variables that the editor showed, and that have no value
 */
function checkFilled(
	{ schema }: MappedColumns,
	values: JsonObject,
	{ body = {}, bodyMode }: { body?: JsonObject; bodyMode?: string },
): void {
	// Then they are the user's own, in whatever form the service takes them.
	if (bodyMode === 'replace' || 'variables' in body) return;
	const valueOf = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
	const blank = schema
		.filter(({ id, removed }) => !removed && isBlank(valueOf(id)))
		.map(({ id, displayName = id }) => displayName);
	if (blank.length === 0) return;
	const areBlank =
		blank.length === 1
			? 'A variable of the template is blank'
			: `${blank.length} variables of the template are blank`;
	throw new InputProblem(
		`${areBlank}: ${blank.map(shown).join(', ')}`,
		"No message was sent. Fill in the fields under 'Variables', and check that this item has the values that they read. If the template has no such variable, remove its field. To send the message without them, turn on 'Send Blank Variables' under 'Options'.",
	);
}

/**
 * Variables that are sent as a list are told apart by their places.
 *
 * @throws InputProblem for numbers with a gap
 */
function checkPositions(values: JsonObject): void {
	const numbers = Object.keys(values).filter((name) => /^\d+$/.test(name));
	const gap = numbers.findIndex((name, index) => Number(name) !== index + 1);
	if (gap < 0) return;
	throw new InputProblem(
		`Variable ${gap + 1} of the template has no value`,
		`No message was sent. The credential says that the service takes the variables as a list, so that each one has its place: give variables 1 to ${numbers.length + 1} a value.`,
	);
}

/** Who gets the message, where it is known without another request. */
function recipientOf({ name, phone }: FoundContact): { [field: string]: string } {
	return {
		...(phone !== undefined && { contact_phone: phone }),
		...(name !== undefined && { contact_name: name }),
	};
}
