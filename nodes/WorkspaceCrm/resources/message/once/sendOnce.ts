import type { Api } from '../../../crm/client';
import { CrmError, isNotFound, unlessNotFound } from '../../../crm/crmError';
import { endpoints } from '../../../crm/endpoints';
import type { SendOptions } from '../../../crm/connection';
import { readContact, type Contact, type WireRecord } from '../../../crm/records';
import {
	holdsMark,
	isRevoked,
	newMark,
	revokedMark,
	type Mark,
} from '../../../domain/campaignMark';
import { missingConsent, OPTED_OUT } from '../../../domain/consent';
import { isJsonObject, type JsonObject } from '../../../domain/plainData';
import type { Run } from '../../../operations/define';
import { readWholeContact, type FoundContact } from '../../../crm/lookUp';
import type { Message, PrepareFor } from '../templateMessage';
import {
	NO_CONTACT,
	reasonOf,
	outcomeOfError,
	skipOf,
	skipOfTwin,
	type MessageOutcome,
	type OnceRule,
} from './outcome';
import { rethrow } from '../../../domain/inputProblem';

/**
 * Sends a message to a contact unless another run with the same key did: marks the contact, checks the
 * answer for other marks, looks at the contact's twins, and sends. If the message is certainly not
 * sent, revokes the mark; if that is unclear, the mark stays.
 *
 * The service merges attributes, so of two simultaneous runs at least one sees the mark of the other: at
 * most one sends. So it is with the twins, which are read once the mark is there.
 *
 * @param twins the IDs of other contacts whose number is or may be the same
 * @throws an error of the message before the contact is marked, or of a stopped execution; n8n's log then names a
 * contact that may be marked without a message
 */
export async function sendOnce(
	api: Api,
	rule: OnceRule,
	contact: FoundContact,
	prepareFor: PrepareFor,
	{ context, runtime: { clock } }: Run,
	twins: readonly string[] = [],
): Promise<MessageOutcome> {
	// Find problems of the message before the contact is marked.
	await prepareFor(contact);
	const executionId = context.getExecutionId();
	const own = newMark(rule.key, { nowMs: clock.now(), random: clock.random(), executionId });
	const marking = new Marking(api, contact.id, own);
	const send = async (): Promise<MessageOutcome> => {
		const marked = await marking.set();
		if (!marked) return NO_CONTACT;
		if (!marking.isShown) return notShown(own.attribute);
		const skip = skipOf(marked, rule, own) ?? (await skipOfTwins(api, twins, rule));
		// Prepare it again, because the answer shows the current phone.
		return skip ?? (await marking.send(await prepareFor(marked)));
	};
	try {
		const [tried] = await Promise.allSettled([send()]);
		const now = marking.isOpen && !marking.mayBeSent ? await marking.revoke() : undefined;
		// Rethrows the error of a stopped execution.
		const result = tried.status === 'fulfilled' ? tried.value : outcomeOfError(tried.reason);
		if (now instanceof CrmError) return stillMarked(result, now, own.attribute);
		return isOptOut(result, now) ? { result: 'skipped', ...OPTED_OUT } : result;
	} finally {
		// A stopped execution has no output, so log it.
		const isStopped = context.getExecutionCancelSignal()?.aborted;
		if (marking.isOpen && isStopped) context.logger.warn(interrupted(contact.id, own.attribute));
	}
}

/** Why a twin decides against the message: it has opted out meanwhile, or another run marked it. */
async function skipOfTwins(
	api: Api,
	twins: readonly string[],
	rule: OnceRule,
): Promise<MessageOutcome | undefined> {
	for (const id of twins) {
		const twin = await readWholeContact(api, { id }).catch(unlessNotFound);
		const skip = twin && skipOfTwin(twin, rule);
		if (skip) return skip;
	}
	return undefined;
}

/** Whether the service refused the message because the contact has opted out: 409 has several causes. */
function isOptOut({ error }: MessageOutcome, now: Contact | undefined): boolean {
	const isConflict = error instanceof CrmError && error.failure.status === 409;
	return isConflict && missingConsent(now?.optInStatus) === OPTED_OUT;
}

/** The mark of one try at its contact: it is set, and revoked unless the message may be sent. */
class Marking {
	/** Whether the contact may be marked without a message. A request that was stopped may have marked it. */
	isOpen = false;
	/** Whether the answer showed the mark. */
	isShown = true;
	/** Whether the contact may have the message. */
	mayBeSent = false;

	constructor(
		private readonly api: Api,
		private readonly id: string,
		private readonly own: Mark,
	) {}

	/** Marks the contact. Returns it from the answer, undefined if there is none. @throws CrmError if it is not marked */
	async set(): Promise<Contact | undefined> {
		const { attribute, value } = this.own;
		const onSend = () => (this.isOpen = true);
		const marked = await this.change({ [attribute]: value }, { onSend }).catch((error: unknown) =>
			this.notSet(error),
		);
		if (marked) this.isShown = holdsMark(marked.attributes, this.own);
		return marked;
	}

	private notSet(error: unknown): undefined {
		if (!(error instanceof CrmError)) throw error;
		const { failure, message, description } = error;
		this.isOpen = !isNotFound(error) && failure.mayHaveHappened === true;
		if (isNotFound(error)) return;
		const title = 'The contact could not be marked, so no message was sent';
		const unmarked = { ...failure, mayHaveHappened: false };
		throw new CrmError(title, `${message}. ${description}`, unmarked);
	}

	async send({ send }: Message): Promise<MessageOutcome> {
		const onSend = () => (this.mayBeSent = true);
		try {
			const record = await send({ isPersistent: true, onSend });
			this.isOpen = false;
			return { result: 'sent', record };
		} catch (error) {
			if (!(error instanceof CrmError)) return rethrow(error);
			if (error.failure.mayHaveHappened) {
				return { result: 'unclear', error: error.withContext(staysMarked(this.own.attribute)) };
			}
			this.mayBeSent = false;
			return rethrow(error);
		}
	}

	/** Revokes the mark. Returns the contact as it is now, undefined if there is none, or why the mark may be left. */
	async revoke(): Promise<Contact | CrmError | undefined> {
		try {
			const revoked = this.change(revokedMark(this.own), { isPersistent: true });
			const now = (await revoked.catch(unlessNotFound)) ?? undefined;
			// As with setting it, only the answer shows whether it was done.
			if (now && this.isShown && !isRevoked(now.attributes, this.own)) return NOT_REVOKED;
			this.isOpen = false;
			return now;
		} catch (error) {
			return error instanceof CrmError ? error : rethrow(error);
		}
	}

	/** Changes attributes of the contact. Returns the contact from the answer. */
	private async change(
		attributes: JsonObject,
		how: Pick<SendOptions, 'onSend' | 'isPersistent'>,
	): Promise<Contact> {
		const call = endpoints.changeContact(this.id);
		// The caller finds out whether the mark is there.
		const answer = await this.api.send(call, { body: { attributes }, unclear: '', ...how });
		return { ...readContact(isJsonObject(answer) ? (answer as WireRecord) : {}), id: this.id };
	}
}

function stillMarked(result: MessageOutcome, cause: CrmError, attribute: string): MessageOutcome {
	const error = new CrmError(
		'No message was sent, but the mark of its key could not be removed',
		`${cause.message}. Later runs may skip the contact. To send it the message, empty the attribute '${attribute}' with Contact > Update, then run this again. Why no message was sent: ${reasonOf(result)}`,
		{ ...cause.failure, mayHaveHappened: false },
	);
	return { result: 'failed', error, endsCampaign: cause, isMarked: true };
}

const interrupted = (id: string, attribute: string) =>
	`The execution was stopped while it sent a message to contact ${id}. The contact may be marked with the attribute '${attribute}' without having got the message: look at its chat. Runs with the same key skip it while this attribute has a value.`;

const staysMarked = (attribute: string) =>
	`The contact stays marked: later runs with this key do not send it the message, unless you empty the attribute '${attribute}' with Contact > Update.`;

const NOT_REVOKED = new CrmError(
	'The service does not show that the mark was removed',
	'Look at the attributes of the contact.',
);

/** The service does not store marks, or does not show them, so sending would be unsafe for every contact. */
function notShown(attribute: string): MessageOutcome {
	const error = new CrmError(
		'The service does not return the mark of the key, so no message was sent',
		`To send nobody the same message twice, this node writes the attribute '${attribute}' to the contact, and checks the answer for it. The answer did not contain it. Use Message > Send Template without a key instead.`,
	);
	return { result: 'failed', error, endsCampaign: error };
}
