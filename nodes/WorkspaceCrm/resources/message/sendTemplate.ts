import { sendTemplateBody, withAnswer } from '../../api/assumptions';
import { path } from '../../domain/path';
import { defineOperation } from '../../operations/define';
import { bodyOptionsField, contactField, templateField } from '../fields';
import { chooseBody, findContactId } from '../references';

export const sendTemplate = defineOperation({
	value: 'sendTemplate',
	name: 'Send Template',
	action: 'Send template message',
	description: 'Send an approved message template to a contact. This cannot be taken back.',
	atMostOnce: true,
	fields: [
		contactField,
		templateField,
		{
			displayName: 'Variables',
			name: 'variables',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Variable' },
			default: {},
			placeholder: 'Add Variable',
			description: 'Values for the placeholders of the template; one left blank is not sent',
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

	async execute(api, { contactId, template, variables, options }) {
		const id = await findContactId(api, contactId);
		const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
		const chosen = chooseBody(sendTemplateBody(id, template.value, values), options);
		const answer = await api.send({
			method: 'POST',
			path: path`/v1/messages/template`,
			...chosen,
			repeatable: false,
			sendsMessage: true,
		});
		return withAnswer(chosen.body, answer);
	},
});
