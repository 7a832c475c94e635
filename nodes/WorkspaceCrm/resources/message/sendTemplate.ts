import { defineOperation } from '../../operations/define';
import type { FoundContact } from '../contactReference';
import { prepareMessage, sendTemplateFields } from './templateMessage';

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
	fields: sendTemplateFields,

	async execute(api, params) {
		const { contact, send } = await prepareMessage(api, params);
		return { ...(await send()), ...recipientOf(contact) };
	},
});

/** Who gets the message, where it is known without another request. */
function recipientOf({ name, phone }: FoundContact): { [field: string]: string } {
	return {
		...(phone !== undefined && { contact_phone: phone }),
		...(name !== undefined && { contact_name: name }),
	};
}
