import { sendTemplateBody, withAnswer } from '../../api/assumptions';
import { otherContactAs } from '../../api/bodyAdvice';
import { sendRoles } from '../../api/bodyRoles';
import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { contactFields, findContact, valueForBody, type FoundContact } from '../contactReference';
import { templateField } from '../recordField';
import { bodyOptionsField, chooseBody } from '../requestBody';
import { readVariables } from './messageVariables';

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
		const { template, options } = params;
		const fields = api.bodyFields();
		const { send: names, areChosen } = fields;
		const values = readVariables(params, names);
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

/** Who gets the message, where it is known without another request. */
function recipientOf({ name, phone }: FoundContact): { [field: string]: string } {
	return {
		...(phone !== undefined && { contact_phone: phone }),
		...(name !== undefined && { contact_name: name }),
	};
}
