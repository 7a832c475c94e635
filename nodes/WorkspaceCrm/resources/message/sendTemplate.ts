import { sendTemplateBody, withAnswer } from '../../api/assumptions';
import { checkJson, type JsonObject } from '../../domain/json';
import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { contactField, findContactId } from '../contactReference';
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
				'A message is sent at most once: if the connection breaks before the answer comes, it is not sent again, and the item fails. Opted-out contacts are never messaged.',
		},
	],
	effect: 'once',
	fields: [
		contactField,
		templateField,
		{
			displayName: 'Variables',
			name: 'templateVariables',
			type: 'resourceMapper',
			noDataExpression: true,
			default: { mappingMode: 'defineBelow', value: null },
			description: 'Values for the variables of the template; a variable left blank is not sent',
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
		bodyOptionsField,
	],

	async execute(api, { contactId, template, templateVariables, variables, options }) {
		const filled = Object.entries(templateVariables.values).filter(([, value]) => !isBlank(value));
		const values = checkJson<JsonObject>(
			Object.fromEntries([...filled, ...variables.map(({ name, value }) => [name, value])]),
			'Variables',
		);
		const id = await findContactId(api, contactId);
		const chosen = chooseBody(sendTemplateBody(id, template.value, values), options);
		const answer = await api.send({
			method: 'POST',
			path: path`/v1/messages/template`,
			...chosen,
			sendsMessage: true,
			remedies: {
				409: 'The contact may have opted out. Check the contact in the app. The service never sends messages to opted-out contacts.',
			},
		});
		return withAnswer(chosen.body, answer);
	},
});

function isBlank(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
