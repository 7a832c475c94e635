import type { Api } from '../../crm/client';
import { CrmError } from '../../crm/crmError';
import { readCampaignKey } from '../../domain/campaignMark';
import { missingConsent } from '../../domain/consent';
import { defineOperation } from '../../operations/define';
import { on } from '../../operations/fieldBuilders';
import { contactFields, findContact, namedBy } from '../fields/contactReference';
import { readWholeContact } from '../../crm/lookUp';
import { onConflictField, skipConflict } from '../fields/onConflict';
import { bodyOptionsField } from '../fields/requestBody';
import { campaignKeyField } from './once/campaignKeyField';
import { campaignOutput, recipientOf, skipOf } from './once/outcome';
import { sendOnce } from './once/sendOnce';
import { checkMessage } from './templateCheck';
import { messageBodyOptions, messageFields, readMessage, variableOptions } from './templateMessage';
import { rethrow } from '../../domain/inputProblem';

const IF_OPTED_OUT = 'If Opted Out';

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
		{
			message:
				"The message also goes to a contact that has not confirmed (opt-in status 'none' or 'pending'). To skip such contacts, turn on 'Only to Confirmed Contacts' under 'Options'.",
			when: '!$parameter["options"]?.["campaignKey"] && !$parameter["options"]?.["onlyConfirmed"]',
		},
	],
	effect: 'once',
	fields: [
		...contactFields,
		...messageFields,
		{
			...bodyOptionsField,
			options: [
				{
					...campaignKeyField,
					description:
						'The name of a campaign, to send nobody the same message twice, also when the workflow runs again. Each contact is marked before its message is sent, and skipped if it is marked or has not confirmed. Each message needs two more requests.',
				},
				{
					...onConflictField,
					displayName: IF_OPTED_OUT,
					description:
						'What to do if the service refuses the message because the contact has opted out',
				},
				on('Only to Confirmed Contacts', 'onlyConfirmed', {
					// Left blank in JSON, it must not count as off.
					required: true,
					description:
						"Whether to skip a contact that has not confirmed; 'skipped' in the output says why. Takes one more request.",
				}),
				...variableOptions,
				...messageBodyOptions,
			],
		},
	],

	async execute(api, params, run) {
		const { campaignKey, onConflict, onlyConfirmed = false } = params.options;
		const key = campaignKey === undefined ? undefined : readCampaignKey(campaignKey);
		const mustHold = key === undefined ? undefined : ({ contact: true } as const);
		const message = readMessage(api, params, mustHold);
		// An invented contact is refused before any request.
		namedBy(params);
		const prepareFor = await checkMessage(api, message);
		const found = await findContact(api, params);
		if (key !== undefined) {
			const contact = await readWholeContact(api, found);
			const outcome = skipOf(contact, key) ?? (await sendOnce(api, key, contact, prepareFor, run));
			if (outcome.error) throw outcome.error;
			return campaignOutput({ ...outcome, contact }, key);
		}
		const contact = onlyConfirmed ? await readWholeContact(api, found) : undefined;
		const skipped = contact && missingConsent(contact.optInStatus);
		if (skipped) return { contact_id: found.id, skipped: { ...skipped }, ...recipientOf(contact) };
		const { send } = await prepareFor(contact ?? found);
		const sent = await send().catch(async (error: unknown) => {
			const optOut = (await optOutOf(api, found.id, error)) ?? rethrow(error);
			return { contact_id: found.id, ...skipConflict(optOut, IF_OPTED_OUT, onConflict) };
		});
		return { ...sent, ...recipientOf(contact ?? found) };
	},
});

/**
 * The error for a message refused because of an opt-out: 409 has several causes, so this reads the
 * contact's state.
 */
async function optOutOf(api: Api, id: string, error: unknown) {
	if (!(error instanceof CrmError) || error.failure.status !== 409) return undefined;
	const now = await readWholeContact(api, { id }).catch(() => undefined);
	if (now?.optInStatus !== 'opted_out') return undefined;
	const { description, failure } = error;
	return new CrmError('This contact has opted out, so no message was sent', description, failure);
}
