import type { Api } from '../../crm/client';
import { CrmError } from '../../crm/crmError';
import { readCampaignKey, readSendOnceKey } from '../../domain/campaignMark';
import { missingConsent } from '../../domain/consent';
import { defineOperation } from '../../operations/define';
import { on, text } from '../../operations/fieldBuilders';
import { failedResult } from '../../operations/result';
import { contactFields, findContact, namedBy } from '../fields/contactReference';
import { readWholeContact, type FoundContact } from '../../crm/lookUp';
import { onConflictField, skipConflict } from '../fields/onConflict';
import { bodyOptionsField } from '../fields/requestBody';
import { campaignKeyField } from './once/campaignKeyField';
import { messageOutput, skipOf, type MessageOutcome, type OnceRule } from './once/outcome';
import { sendOnce } from './once/sendOnce';
import { checkMessage } from './templateCheck';
import { messageBodyOptions, messageFields, readMessage, variableOptions } from './templateMessage';
import { InputProblem, rethrow } from '../../domain/inputProblem';

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
	ifFailed: failedResult,
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
						"Whether to skip a contact that has not confirmed; 'code' in the output says why. Takes one more request.",
				}),
				...variableOptions,
				text('Send Once Key', 'sendOnceKey', {
					required: true,
					placeholder: 'e.g. order-1042-paid',
					description:
						'For messages that a contact expects, such as about an order or an appointment: what the message is about, to send nobody the same one twice if an event or a run is repeated. Also contacts that have not confirmed get it, but none that has opted out. For a campaign, use Campaign Key instead. Each message needs two more requests.',
					hint: 'One key for each message. Lowercase letters, digits, - and _.',
				}),
				...messageBodyOptions,
			],
		},
	],

	async execute(api, params, run) {
		const { onConflict, onlyConfirmed = false } = params.options;
		const { key, reach } = readOnceRule(params.options);
		const mustHold = key === undefined ? undefined : ({ contact: true } as const);
		const message = readMessage(api, params, mustHold);
		// An invented contact is refused before any request.
		namedBy(params);
		const prepareFor = await checkMessage(api, message);
		const found = await findContact(api, params);
		if (key !== undefined) {
			const rule = { key, reach };
			const contact = await readWholeContact(api, found);
			const outcome =
				skipOf(contact, rule) ?? (await sendOnce(api, rule, contact, prepareFor, run));
			// Another try would find the mark.
			if (outcome.isMarked) run.memory.mayHaveHappened = true;
			if (outcome.error) throw outcome.error;
			return messageOutput({ ...outcome, contact }, key);
		}
		const contact = onlyConfirmed ? await readWholeContact(api, found) : found;
		const noConsent = onlyConfirmed ? missingConsent(contact.optInStatus, reach) : undefined;
		if (noConsent) return messageOutput({ result: 'skipped', ...noConsent, contact });
		const { send } = await prepareFor(contact);
		const outcome = await send().then(
			(record): MessageOutcome => ({ result: 'sent', record, contact: withoutId(contact) }),
			async (error: unknown): Promise<MessageOutcome> => {
				const optOut = (await optOutOf(api, contact.id, error)) ?? rethrow(error);
				return { ...skipConflict(optOut, 'optedOut', IF_OPTED_OUT, onConflict), contact };
			},
		);
		return messageOutput(outcome);
	},
});

/** Of a sent message, the body says to whom it went: the user may have changed that. */
const withoutId = ({ name, phone }: FoundContact) => ({ name, phone });

/**
 * The key against repeats, if there is one, and whom the message may reach.
 *
 * @throws InputProblem for a key that is not valid, or two of them
 */
function readOnceRule({
	campaignKey,
	sendOnceKey,
	onlyConfirmed,
}: {
	campaignKey?: string;
	sendOnceKey?: string;
	onlyConfirmed?: boolean;
}): Pick<OnceRule, 'reach'> & Partial<OnceRule> {
	const reach = campaignKey !== undefined || onlyConfirmed ? 'confirmed' : 'notOptedOut';
	if (campaignKey === undefined) {
		return { reach, key: sendOnceKey === undefined ? undefined : readSendOnceKey(sendOnceKey) };
	}
	if (sendOnceKey === undefined) return { reach, key: readCampaignKey(campaignKey) };
	throw new InputProblem(
		"'Campaign Key' and 'Send Once Key' are both set",
		"No message was sent. Remove one of them. Both send nobody the same message twice, but with 'Campaign Key' only confirmed contacts get it.",
	);
}

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
