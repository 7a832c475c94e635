import { enrollBody, withAnswer } from '../../api/assumptions';
import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { contactFields, findContactId } from '../contactReference';
import { automationField } from '../recordField';
import { bodyOptionsField, chooseBody } from '../requestBody';

export const enroll = defineOperation({
	value: 'enroll',
	name: 'Enroll Contact',
	action: 'Enroll contact in automation',
	description: 'Start an automation for a contact. This cannot be taken back.',
	hints: [
		{
			message:
				'A contact is enrolled at most once per item: if the connection breaks before the answer comes, it is not tried again, and the item fails.',
		},
	],
	effect: 'once',
	fields: [automationField, ...contactFields, bodyOptionsField],

	async execute(api, { automationId, options, ...contact }) {
		const id = await findContactId(api, contact);
		const chosen = chooseBody(enrollBody(id), options);
		const answer = await api.send({
			method: 'POST',
			path: path`/v1/automations/${automationId.value}/enroll`,
			...chosen,
			advice: {
				409: [
					'The contact was not enrolled: already enrolled, opted out, or the automation is inactive',
					'Check the contact and the automation in the app. A contact who is in the automation already needs nothing more.',
				],
			},
		});
		return withAnswer({ automation_id: automationId.value, ...chosen.body }, answer);
	},
});
