import { enrollBody, withAnswer } from '../../api/assumptions';
import { path } from '../../api/path';
import { defineOperation } from '../../operations/define';
import { contactField, findContactId } from '../contactReference';
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
	fields: [automationField, contactField, bodyOptionsField],

	async execute(api, { automationId, contactId, options }) {
		const id = await findContactId(api, contactId);
		const chosen = chooseBody(enrollBody(id), options);
		const answer = await api.send({
			method: 'POST',
			path: path`/v1/automations/${automationId.value}/enroll`,
			...chosen,
			remedies: {
				409: 'The contact may have opted out or be enrolled already, or the automation may be inactive. Check both in the app.',
			},
		});
		return withAnswer({ automation_id: automationId.value, ...chosen.body }, answer);
	},
});
