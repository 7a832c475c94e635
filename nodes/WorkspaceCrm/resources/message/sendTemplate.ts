import { CrmError } from '../../api/crmError';
import { defineOperation } from '../../operations/define';
import type { Field } from '../../operations/fieldKinds';
import { findContact, readWholeContact, type FoundContact } from '../contactReference';
import { conflictIn, onConflictField, skipConflict } from '../onConflict';
import { bodyOptionsField } from '../requestBody';
import { campaignKeyField } from './campaign/campaignFields';
import { readCampaignKey } from '../../domain/campaignMark';
import { campaignOutput, recipientOf } from './campaign/campaignOutput';
import { sendOnce, type SendResult } from './campaign/sendOnce';
import { skipOf } from './campaign/skip';
import { readMessage, sendBlankVariablesField, templateMessageFields } from './templateMessage';

const optionsField = {
	...bodyOptionsField,
	options: [
		...bodyOptionsField.options,
		{
			...campaignKeyField,
			required: false,
			neverBlank: true,
			description:
				'The name of a campaign, to send nobody the same message twice, also when the workflow runs again. Each contact is marked before its message is sent, and skipped if it is marked or has not confirmed. Takes two more requests for each message.',
		},
		onConflictField,
		sendBlankVariablesField,
	],
} as const satisfies Field;

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
	fields: [...templateMessageFields, optionsField],

	async execute(api, params, run) {
		const { campaignKey, onConflict } = params.options;
		const key = campaignKey === undefined ? undefined : readCampaignKey(campaignKey);
		const prepareFor = readMessage(api, params);
		const found = await findContact(api, params);
		if (key === undefined) {
			const { contact, send } = await prepareFor(found);
			const sent = await skipConflict(send(), onConflict);
			const known = 'skipped' in sent ? { contact_id: contact.id } : {};
			return { ...known, ...sent, ...recipientOf(contact) };
		}
		const contact: FoundContact = await readWholeContact(api, found);
		const skip = skipOf(contact, key);
		if (skip) return campaignOutput(contact, key, { status: 'skipped', ...skip });
		const result = await sendOnce(api, key, await prepareFor(contact), run);
		if ('error' in result) {
			const conflict =
				result.status === 'failed' && !result.isMarked && conflictIn(result.error, onConflict);
			if (conflict) return campaignOutput(contact, key, { status: 'skipped', ...conflict });
			throw errorOf(result);
		}
		return campaignOutput(contact, key, result);
	},
});

/** Another try would find the mark of this one, and take it for that of a message that was sent. */
function errorOf(result: Extract<SendResult, { error: unknown }>): Error {
	const { error } = result;
	const isMarked = result.status === 'failed' && result.isMarked !== false;
	return isMarked && error instanceof CrmError ? error.asUnclear() : error;
}
