import type { Api, ApiRequest } from '../../../api/client';
import { CrmError, rethrow } from '../../../api/crmError';
import { path } from '../../../api/urls';
import { readContact, type Contact, type WireRecord } from '../../../api/types';
import { holdsMark, newMark, revokedMark, type Mark } from '../../../domain/campaignMark';
import { isJsonObject, type JsonObject } from '../../../domain/json';
import { InputProblem } from '../../../domain/problem';
import type { Run } from '../../../operations/define';
import type { FoundContact } from '../../contactReference';
import { assertAddressed } from '../messageText';
import type { PrepareFor } from '../templateMessage';
import { OPTED_OUT, skipMarked, unsentMarksOf, type Skip } from './skip';

/** What came of a recipient. */
export type SendResult =
	| { status: 'sent'; record: WireRecord }
	/** It is not known whether the message was sent. The contact stays marked, so later runs skip it. */
	| { status: 'unclear'; error: unknown }
	| NotSent;

/** Certainly nothing was sent. `stillMarked` says what to do about a mark that may still be there. */
type NotSent = (Skip | { status: 'failed'; error: unknown; endsCampaign?: boolean }) & {
	stillMarked?: string;
};

/**
 * Sends a message to a contact that no other try with the same campaign key has sent it to: marks the
 * contact, looks at the answer, and sends. If the message is not sent, the mark is taken back.
 *
 * As the service merges attributes, of two tries at the same time at least one sees the mark of the
 * other; so at most one sends.
 *
 * @throws what a stopped execution throws; n8n's log then names a contact that may be marked in vain
 */
export async function sendOnce(
	api: Api,
	key: string,
	contact: FoundContact,
	prepareFor: PrepareFor,
	run: Run,
): Promise<SendResult> {
	try {
		assertAddressed(await prepareFor(contact));
	} catch (error) {
		return failed(error);
	}
	const marking = new Marking(api, key, contact.id, run);
	try {
		const marked = await marking.mark();
		return 'status' in marked
			? await marking.takeBack(marked)
			: await marking.send(marked, prepareFor);
	} finally {
		// The output of a stopped execution is lost.
		if (marking.isOpen && run.isStopped()) run.warn(marking.interrupted);
	}
}

/** A contact that gets a mark, and then its message, or loses the mark. */
class Marking {
	/** Whether the contact may be marked without having got the message. */
	isOpen: boolean;
	private readonly name: string;
	private readonly unsent: Map<string, Mark>;
	private readonly own: Mark;

	constructor(
		private readonly api: Api,
		private readonly key: string,
		private readonly id: string,
		run: Run,
	) {
		const origin = { ...run, nowMs: run.clock.now(), random: run.clock.random() };
		this.name = `${key} ${id}`;
		this.unsent = unsentMarksOf(run);
		this.isOpen = this.unsent.has(this.name);
		this.own = this.unsent.get(this.name) ?? newMark(key, origin);
		this.unsent.delete(this.name);
	}

	get interrupted(): string {
		return `The execution was stopped while it sent a message to contact ${this.id}. The contact may be marked with the attribute '${this.own.attribute}' without having got the message: look at its chat. Runs with the same campaign key skip it while this attribute has a value.`;
	}

	/** Gives the marked contact, or why the message is not to be sent to it. */
	async mark(): Promise<Contact | NotSent> {
		const { attribute, value } = this.own;
		const wasOpen = this.isOpen;
		const onSend = () => (this.isOpen = true);
		try {
			const marked = await this.change({ [attribute]: value }, { onSend });
			const isShown = marked.id.toLowerCase() === this.id.toLowerCase();
			if (!isShown || !holdsMark(marked.attributes, this.own)) return notShown(attribute);
			return skipMarked(marked, this.key, this.own) ?? marked;
		} catch (error) {
			if (!(error instanceof CrmError)) {
				// The execution was stopped.
				await this.takeBack(NO_CONTACT);
				return rethrow(error);
			}
			const { status = 0 } = error;
			// Whatever the answer says, the service took the change.
			if (status >= 200 && status < 300) {
				return notShown(attribute, `${error.message}. ${error.description} `);
			}
			this.isOpen = status !== 404 && (wasOpen || error.mayHaveHappened);
			if (status === 404) return NO_CONTACT;
			return failed(error.withMessage('The contact could not be marked, so no message was sent'));
		}
	}

	/** To the phone that the contact has now. */
	async send(marked: Contact, prepareFor: PrepareFor): Promise<SendResult> {
		let isOut = false;
		try {
			const message = await prepareFor(marked);
			assertAddressed(message);
			const record = await message.send({ isPersistent: true, onSend: () => (isOut = true) });
			this.isOpen = false;
			return { status: 'sent', record };
		} catch (error) {
			const isUnclear = isOut && error instanceof CrmError && error.mayHaveHappened;
			if (!isUnclear) return await this.takeBack(failed(error));
			return { status: 'unclear', error: error.withContext(STAYS_MARKED) };
		}
	}

	/** Removes the mark if there may be one; the answer also shows whether the contact has opted out. */
	async takeBack(result: NotSent): Promise<NotSent> {
		if (!this.isOpen) return result;
		try {
			const { optInStatus } = await this.change(revokedMark(this.own), { isPersistent: true });
			this.isOpen = false;
			return optInStatus === 'opted_out' && isConflict(result) ? OPTED_OUT : result;
		} catch (error) {
			if (!(error instanceof CrmError)) return rethrow(error);
			this.isOpen = error.status !== 404;
			if (!this.isOpen) return result;
			this.unsent.set(this.name, this.own);
			const stillMarked = `No message was sent, but later runs may skip the contact, because its mark could not be removed (${error.message}). To send it the message, empty the attribute '${this.own.attribute}' with Contact > Update, then run this again.`;
			return { ...result, stillMarked };
		}
	}

	/** Changes attributes of the contact, and gives it as it is then. */
	private async change(
		attributes: JsonObject,
		how: Pick<ApiRequest, 'onSend' | 'isPersistent'>,
	): Promise<Contact> {
		const request = { method: 'PATCH', path: path`/v1/contacts/${this.id}` } as const;
		const answer = await this.api.send({ ...request, body: { attributes }, ...how });
		return readContact(isJsonObject(answer) ? (answer as WireRecord) : {});
	}
}

const STAYS_MARKED =
	'The contact stays marked: later runs with this campaign key do not send it the message.';

const NO_CONTACT: Skip = {
	status: 'skipped',
	code: 'noContact',
	reason: 'The contact does not exist any more.',
};

/** @throws an error that is not the contact's, such as that of an execution that was stopped */
function failed(error: unknown): NotSent {
	if (error instanceof CrmError || error instanceof InputProblem)
		return { status: 'failed', error };
	throw error;
}

const isConflict = (result: NotSent) =>
	'error' in result && result.error instanceof CrmError && result.error.status === 409;

/** The service does not keep marks, or does not show them: then nothing may be sent to anybody. */
function notShown(attribute: string, why = ''): NotSent {
	const error = new CrmError(
		'The service does not show the mark of the campaign, so no message was sent',
		`${why}To send nobody the same message twice, this node writes the attribute '${attribute}' to the contact, and looks for it in the answer. It was not there. Use Message > Send Template without 'Campaign Key' instead.`,
	);
	return { status: 'failed', error, endsCampaign: true };
}
