import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../../../crm/client';
import { CrmError } from '../../../crm/crmError';
import type { Contact, WireRecord } from '../../../crm/records';
import { keysOf, Subscribers, type Named } from '../../../domain/sameNumber';
import { defineBulkOperation, readableParams, type BulkResult } from '../../../operations/define';
import { memoryOf, runAll } from '../../../operations/engine';
import { namedBy } from '../../fields/contactReference';
import { lookUpAll, onlyOf, SeenContacts } from '../../../crm/lookUp';
import { checkIn, readTemplates } from '../templateCheck';
import { readMessage, type PrepareFor, type ReadMessage } from '../templateMessage';
import { campaignFields, readCampaignSettings, type CampaignItem } from './campaignFields';
import {
	campaignOutput,
	NO_CONTACT,
	resultOfError,
	decides,
	skipOf,
	skipOfTwin,
	skipped,
	type SendResult,
} from '../once/outcome';
import { sendOnce } from '../once/sendOnce';
import { CampaignEnd, mayBeSent } from './campaignEnd';
import { summarizeCampaign, type RecipientOutcome } from './summary';
import { rethrow } from '../../../domain/problem';

export const sendCampaign = defineBulkOperation({
	value: 'sendCampaign',
	name: 'Send Campaign',
	action: 'Send campaign to contacts of the input',
	description:
		'Send an approved template to each input contact that has confirmed. Running it again sends nothing twice.',
	hints: [
		{
			message:
				"The confirmed contacts of the input get the message, each once: put Segment > Get Contacts or Contact > Get Many in front of this node. Execute step sends real messages, and notes the campaign in an attribute of each contact. To preview who would get one, turn on 'Dry Run' under 'Options'.",
			when: '!$parameter["options"]?.["dryRun"]',
		},
	],
	effect: 'once',
	takes: 'all',
	forAgents: false,
	fields: campaignFields,
	searchHint:
		'To send one template to many, use Message > Send Campaign, not a loop with Send Template. A campaign reaches only contacts whose opt_in_status is confirmed.',

	async executeAll(api, items, run) {
		const { key, isDryRun, stopAfterFailures, stopAfterMessages } = readCampaignSettings(
			run.context,
			items,
		);
		const outcomes = outcomesOf(run.context, items);
		const read = readRecipients(api, items, outcomes, key);
		// Stop before anything is sent, so that the user can correct the input.
		const mustStop = () => !run.context.continueOnFail() && !isDryRun && outcomes.some(hasFailed);
		if (mustStop()) return toResult(api, outcomes, isDryRun);

		const done = outcomes.filter(isFinal);
		const recipients = await checkRecipients(api, read).catch((error: unknown) => {
			if (done.length === 0 || !(error instanceof CrmError)) throw error;
			for (const { outcome } of read) outcome.result = resultOfError(error);
			return [];
		});
		if (mustStop()) return toResult(api, outcomes, isDryRun);

		const { find, twinsOf, othersOf } = await lookUpRecipients(api, recipients, key).catch(
			(error: unknown) => {
				// What an earlier try has sent stays sent.
				if (done.length === 0 || !(error instanceof CrmError)) return asNothingSent(error);
				return { find: () => rethrow(error), twinsOf: () => [], othersOf: () => [] };
			},
		);
		const begun = new Begun();
		for (const outcome of done) begun.add(outcome);
		const end = new CampaignEnd(stopAfterFailures, stopAfterMessages - done.length);
		const send = async ({ outcome, named, prepareFor }: Recipient): Promise<SendResult> => {
			const contact = find(named);
			if (!contact) return NO_CONTACT;
			outcome.contact = contact;
			const skip =
				begun.duplicateOf(outcome) ??
				skipOf(contact, key) ??
				twinsOf(contact).map((twin) => skipOfTwin(twin, key))[0] ??
				end.begin();
			if (skip) return skip;
			// Whoever is skipped keeps nobody else from the message.
			begun.add(outcome);
			if (isDryRun) {
				const { body, text } = await prepareFor(contact);
				const record = { ...(text !== undefined && { text }), ...body } as WireRecord;
				return { status: 'wouldSend', record };
			}
			const others = othersOf(contact);
			const sent = await sendOnce(api, key, contact, prepareFor, run, others).catch(resultOfError);
			return end.count(outcome.item, sent);
		};
		// Contacts after the end get it as their reason.
		await runAll(run, recipients, {
			order: 'parallel',
			async act(recipient) {
				recipient.outcome.result = await send(recipient).catch(resultOfError);
			},
		});
		return toResult(api, outcomes, isDryRun);
	},
});

/** Returns `notSent` for each item, or the final outcome of an earlier try. */
function outcomesOf(
	context: IExecuteFunctions,
	items: readonly CampaignItem[],
): RecipientOutcome[] {
	const memory = memoryOf<RecipientOutcome>(context);
	return items.map(({ item }): RecipientOutcome => {
		const before = memory(item).result;
		if (before && isFinal(before)) return before;
		const outcome: RecipientOutcome = { item, contact: {}, result: { status: 'notSent' } };
		memory(item).result = outcome;
		return outcome;
	});
}

/** Another try must not send the message again, or would find the mark. */
const isFinal = ({ result }: RecipientOutcome) => mayBeSent(result);

const hasFailed = (outcome: RecipientOutcome) =>
	outcome.result.status === 'failed' && !isFinal(outcome);

/** An input item that could be read. */
interface ReadRecipient {
	outcome: RecipientOutcome;
	named: Named;
	message: ReadMessage;
}

/** One whose message is complete. */
interface Recipient extends Omit<ReadRecipient, 'message'> {
	prepareFor: PrepareFor;
}

/** Reads the input, without a request. Invalid items get a failed outcome. */
function readRecipients(
	api: Api,
	items: readonly CampaignItem[],
	outcomes: readonly RecipientOutcome[],
	key: string,
): ReadRecipient[] {
	return outcomes.flatMap((outcome, position) => {
		const item = items[position];
		if (!item || isFinal(outcome)) return [];
		try {
			const params = readableParams(item);
			const { contactId, options } = params;
			outcome.key = key;
			const { defaultCountry = '' } = options;
			const named = namedBy({ contactId, defaultCountry }, " under 'Options'");
			const message = readMessage(api, params, { contact: true });
			return [{ outcome, named, message }];
		} catch (error) {
			outcome.result = resultOfError(error);
			return [];
		}
	});
}

/** Checks the messages. One that is not complete gets a failed outcome. */
async function checkRecipients(api: Api, read: readonly ReadRecipient[]): Promise<Recipient[]> {
	const mustCheck = read.some(({ message }) => message.mustBeFilled);
	const templates = mustCheck ? await readTemplates(api) : undefined;
	return read.flatMap(({ message, ...recipient }) => {
		try {
			return [{ ...recipient, prepareFor: checkIn(templates, message) }];
		} catch (error) {
			recipient.outcome.result = resultOfError(error);
			return [];
		}
	});
}

/**
 * Looks up the contacts of the input, each once.
 *
 * @returns `find` returns a contact, undefined if there is none, and throws if that is unclear; `twinsOf` returns other
 * contacts that have or may have its number, as far as the look-up has shown them and they may get no message;
 * `othersOf` returns the IDs of all of those
 */
async function lookUpRecipients(api: Api, recipients: readonly Recipient[], key: string) {
	const keyOf = (named: Named) => keysOf(named).join();
	const wanted = new Map(recipients.map(({ named }) => [keyOf(named), named]));
	const seen = new SeenContacts();
	const all = new Subscribers<Pick<Contact, 'id' | 'phone'>>();
	const excluded = new Map<string, Contact>();
	const unknown = await lookUpAll(api, [...wanted.values()], (contact) => {
		if (keysOf(contact).some((each) => wanted.has(each))) seen.add(contact);
		if (decides(skipOf(contact, key))) excluded.set(contact.id, contact);
		all.add({ id: contact.id, phone: contact.phone });
	});
	const find = (named: Named): Contact | undefined => {
		const failure = unknown.get(wanted.get(keyOf(named)) ?? named);
		if (failure) throw failure;
		const found = seen.of(named);
		return named.id === undefined ? onlyOf(found, named.phone ?? '', BY_ID_INSTEAD) : found[0];
	};
	const othersOf = (contact: Contact) => [...new Set(all.of(contact).map(({ id }) => id))];
	const twinsOf = (contact: Contact) => othersOf(contact).flatMap((id) => excluded.get(id) ?? []);
	return { find, twinsOf, othersOf };
}

const BY_ID_INSTEAD = "No message was sent to any of them. Choose the contact 'By ID' instead.";

/** The items that get the message, unless it fails. */
class Begun {
	private readonly items = new Map<string, number>();
	private readonly numbers = new Subscribers<{ phone?: string; item: number }>();

	/** Skips an item if an earlier one has the same contact, or one whose number is or may be the same. */
	duplicateOf({ contact }: RecipientOutcome): SendResult | undefined {
		const [same] = keysOf(contact).flatMap((key) => this.items.get(key) ?? []);
		if (same !== undefined) return duplicate(same, 'is the same contact, or has');
		const [near] = this.numbers.of({ phone: contact.phone });
		return near && duplicate(near.item, 'may have');
	}

	add({ item, contact }: RecipientOutcome): void {
		for (const key of keysOf(contact)) this.items.set(key, item);
		this.numbers.add({ phone: contact.phone, item });
	}
}

function duplicate(item: number, has: string): SendResult {
	const reason = `Item ${item + 1} ${has} the same phone number. See its result there.`;
	return skipped('duplicate', reason);
}

function toResult(api: Api, outcomes: readonly RecipientOutcome[], isDryRun: boolean): BulkResult {
	return {
		// A dry run never fails: its output shows the errors that a run would meet.
		outcomes: outcomes.map((outcome) => ({
			json: campaignOutput(outcome),
			error: isDryRun ? undefined : outcome.result.error,
		})),
		more: [],
		summary: summarizeCampaign(outcomes, api.requestCount, isDryRun),
	};
}

function asNothingSent(error: unknown): never {
	throw error instanceof CrmError ? error.withContext('No message was sent.') : error;
}
