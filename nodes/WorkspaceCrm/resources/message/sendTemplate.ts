import { defineOperation } from '../../operations/define';
import type { Field } from '../../operations/fieldKinds';
import { findContact, readWholeContact, type FoundContact } from '../contactReference';
import { conflictIn, onConflictField, skipConflict } from '../onConflict';
import { bodyOptionsField } from '../requestBody';
import { campaignKeyField } from './campaign/campaignFields';
import { readCampaignKey } from '../../domain/campaignMark';
import {
	campaignOutput,
	errorOf,
	recipientOf,
	type CampaignResult,
} from './campaign/campaignOutput';
import { sendOnce } from './campaign/sendOnce';
import { skipOf } from './campaign/skip';
import {
	explainConflict,
	readMessage,
	sendBlankVariablesField,
	templateMessageFields,
} from './templateMessage';

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
	description: 'Send an approved message template to a contact. This cannot be undone.',
	hints: [
		{
			message:
				'Execute step sends a real message. If the outcome is unknown, it is not sent again, and the item fails.',
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
			const sending = send().catch(explainConflict(api, contact));
			const sent = await skipConflict(sending, onConflict);
			const known = 'skipped' in sent ? { contact_id: contact.id } : {};
			return { ...known, ...sent, ...recipientOf(contact) };
		}
		const contact: FoundContact = await readWholeContact(api, found);
		const output = (result: CampaignResult) => campaignOutput({ contact, key, result });
		const skip = skipOf(contact, key, run);
		if (skip) return output(skip);
		const result = await sendOnce(api, key, contact, prepareFor, run);
		if (!('error' in result)) return output(result);
		const conflict = 'stillMarked' in result ? undefined : conflictIn(result.error, onConflict);
		if (conflict) return output({ status: 'skipped', ...conflict });
		throw errorOf(result);
	},
});
