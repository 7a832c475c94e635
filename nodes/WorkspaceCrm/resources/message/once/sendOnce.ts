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
import { isJsonObject, type JsonObject } from '../../../domain/json';
import type { Run } from '../../../operations/define';
import { readWholeContact, type FoundContact } from '../../../crm/lookUp';
import type { Message, PrepareFor } from '../templateMessage';
import {
	NO_CONTACT,
	NotSent,
	reasonOf,
	resultOfError,
	skipOf,
	skipOfTwin,
	type SendResult,
} from './sendResult';
import { rethrow } from '../../../domain/problem';

/**
 * Sends a message to a contact unless another run with the same campaign key did: marks the contact,
 * checks the answer for other marks, and sends. If the message is certainly not sent, revokes the mark; if that is
 * unclear, the mark stays.
 *
 * The service merges attributes, so of two simultaneous runs at least one sees the mark of the other: at
 * most one sends. So it is with the other contacts of the same person, which are read once the mark is there.
 *
 * @param others the IDs of other contacts whose number is or may be the same
 * @throws an error of the message before the contact is marked, or of a stopped execution; n8n's log then names a contact that may be marked without a
 * message
 */
export async function sendOnce(
	api: Api,
	key: string,
	contact: FoundContact,
	prepareFor: PrepareFor,
	{ context, runtime: { clock } }: Run,
	others: readonly string[] = [],
): Promise<SendResult> {
	// Find problems of the message before the contact is marked.
	await prepareFor(contact);
	const executionId = context.getExecutionId();
	const own = newMark(key, { nowMs: clock.now(), random: clock.random(), executionId });
	const marking = new Marking(api, contact.id, own);
	try {
		const marked = await marking.mark(key);
		for (const id of others) await assertNotDecided(api, id, key);
		// Prepare it again, because the answer shows the current phone.
		return await marking.send(await prepareFor(marked));
	} catch (error) {
		return await marking.takeBack(resultOfError(error));
	} finally {
		// A stopped execution has no output, so log it.
		const isStopped = context.getExecutionCancelSignal()?.aborted;
		if (marking.isOpen && isStopped) context.logger.warn(interrupted(contact.id, own.attribute));
	}
}

/** @throws NotSent if another contact of the person has meanwhile opted out, or been marked by another run */
async function assertNotDecided(api: Api, id: string, key: string): Promise<void> {
	const other = await readWholeContact(api, { id }).catch(unlessNotFound);
	const skip = other && skipOfTwin(other, key);
	if (skip) throw new NotSent(skip);
}

/** Marks a contact, then sends its message or revokes the mark. */
class Marking {
	/** Whether the contact may be marked without a message. */
	isOpen = false;
	/** Whether answers show marks, as far as known. */
	private showsMarks = true;

	constructor(
		private readonly api: Api,
		private readonly id: string,
		private readonly own: Mark,
	) {}

	/** Marks the contact, and returns it. @throws NotSent or CrmError if it must not get the message */
	async mark(key: string): Promise<Contact> {
		const { attribute, value } = this.own;
		const onSend = () => (this.isOpen = true);
		const marked = await this.change({ [attribute]: value }, { onSend }).catch(
			async (error: unknown) => await this.notMarked(error),
		);
		this.showsMarks = holdsMark(marked.attributes, this.own);
		if (!this.showsMarks) throw notShown(attribute);
		const skip = skipOf(marked, key, this.own);
		if (skip) throw new NotSent(skip);
		return marked;
	}

	private async notMarked(error: unknown): Promise<never> {
		if (!(error instanceof CrmError)) {
			// The execution was stopped.
			await this.takeBack(NO_CONTACT);
			throw error;
		}
		const { failure, message, description } = error;
		this.isOpen = !isNotFound(error) && failure.mayHaveHappened === true;
		if (isNotFound(error)) throw new NotSent(NO_CONTACT);
		const title = 'The contact could not be marked, so no message was sent';
		const unmarked = { ...failure, mayHaveHappened: false };
		throw new CrmError(title, `${message}. ${description}`, unmarked);
	}

	async send({ send }: Message): Promise<SendResult> {
		try {
			const record = await send({ isPersistent: true });
			this.isOpen = false;
			return { status: 'sent', record };
		} catch (error) {
			const isUnclear = error instanceof CrmError && error.failure.mayHaveHappened;
			if (!isUnclear) return rethrow(error);
			return { status: 'unclear', error: error.withContext(staysMarked(this.own.attribute)) };
		}
	}

	/** Revokes the mark if there may be one. The answer also shows an opt-out. */
	async takeBack(result: SendResult): Promise<SendResult> {
		if (!this.isOpen) return result;
		try {
			const now = await this.change(revokedMark(this.own), { isPersistent: true });
			// As with marking, only the answer shows whether it was done.
			const isDone = isRevoked(now.attributes, this.own) || !this.showsMarks;
			if (!isDone) return this.stillMarked(result, NOT_REVOKED);
			this.isOpen = false;
			const isConflict = result.error instanceof CrmError && result.error.failure.status === 409;
			const consent = missingConsent(now.optInStatus);
			return isConflict && consent === OPTED_OUT ? { status: 'skipped', ...consent } : result;
		} catch (error) {
			if (!(error instanceof CrmError)) return rethrow(error);
			this.isOpen = !isNotFound(error);
			return this.isOpen ? this.stillMarked(result, error) : result;
		}
	}

	private stillMarked(result: SendResult, cause: CrmError): SendResult {
		const error = new CrmError(
			'No message was sent, but the mark of the campaign could not be removed',
			`${cause.message}. Later runs may skip the contact. To send it the message, empty the attribute '${this.own.attribute}' with Contact > Update, then run this again. Why no message was sent: ${reasonOf(result)}`,
			// Then Retry On Fail does not try again: it would find the mark.
			{ ...cause.failure, mayHaveHappened: true },
		);
		return { status: 'failed', error, endsCampaign: cause, isMarked: true };
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

const interrupted = (id: string, attribute: string) =>
	`The execution was stopped while it sent a message to contact ${id}. The contact may be marked with the attribute '${attribute}' without having got the message: look at its chat. Runs with the same campaign key skip it while this attribute has a value.`;

const staysMarked = (attribute: string) =>
	`The contact stays marked: later runs with this campaign key do not send it the message, unless you empty the attribute '${attribute}' with Contact > Update.`;

const NOT_REVOKED = new CrmError(
	'The service does not show that the mark was removed',
	'Look at the attributes of the contact.',
);

/** The service does not store marks, or does not show them, so sending would be unsafe for every contact. */
function notShown(attribute: string): NotSent {
	const error = new CrmError(
		'The service does not return the mark of the campaign, so no message was sent',
		`To send nobody the same message twice, this node writes the attribute '${attribute}' to the contact, and checks the answer for it. The answer did not contain it. Use Message > Send Template without 'Campaign Key' instead.`,
	);
	return new NotSent({ status: 'failed', error, endsCampaign: error });
}
