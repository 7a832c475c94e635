import type { Api, ApiRequest } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { path } from '../../../api/urls';
import { readContact, type Contact, type WireRecord } from '../../../api/types';
import { holdsMark, newMark, takenBack, type Mark } from '../../../domain/campaignMark';
import { isJsonObject, type JsonObject } from '../../../domain/json';
import { phoneDigits } from '../../../domain/phone';
import type { InputProblem } from '../../../domain/problem';
import type { Run } from '../../../operations/define';
import { assertAddressed } from '../messageText';
import type { PreparedMessage } from '../templateMessage';
import { OPTED_OUT, skipMarked, unsentMarksOf, type Skip } from './skip';

/** What came of a recipient. */
export type SendResult =
	| { status: 'sent'; record: WireRecord }
	/** It is not known whether the message was sent. The contact stays marked, so later runs skip it. */
	| { status: 'unclear'; error: CrmError }
	| NotSent;

/** Certainly nothing was sent. */
type NotSent = (({ status: 'skipped' } & Skip) | Failed) & {
	/** What to do about a mark that may still be there, so that later runs skip the contact. */
	stillMarked?: string;
};

interface Failed {
	status: 'failed';
	error: CrmError | InputProblem;
	endsCampaign?: boolean;
}

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
	message: PreparedMessage,
	run: Run,
): Promise<SendResult> {
	assertAddressed(message);
	const marking = new Marking(api, key, message, run);
	try {
		const notSent = await marking.mark();
		return notSent ? await marking.takeBack(notSent) : await marking.send();
	} finally {
		// The output of a stopped execution is lost.
		if (marking.isOpen && run.isStopped()) run.warn(marking.interrupted);
	}
}

/** A contact that gets a mark, and then its message, or loses the mark. */
class Marking {
	/** Whether the contact may be marked without having got the message. */
	isOpen: boolean;
	private readonly id: string;
	private readonly name: string;
	private readonly unsent: Map<string, Mark>;
	private readonly own: Mark;

	constructor(
		private readonly api: Api,
		private readonly key: string,
		private readonly message: PreparedMessage,
		run: Run,
	) {
		const { clock, executionId } = run;
		this.id = message.contact.id;
		this.name = `${key} ${this.id}`;
		this.unsent = unsentMarksOf(run);
		const earlier = this.unsent.get(this.name);
		this.unsent.delete(this.name);
		this.isOpen = earlier !== undefined;
		const origin = { nowMs: clock.now(), random: clock.random(), executionId };
		this.own = earlier ?? newMark(key, origin);
	}

	get interrupted(): string {
		return `The execution was stopped while it sent a message to contact ${this.id}. The contact may be marked with the attribute '${this.own.attribute}' without having got the message: look at its chat. Runs with the same campaign key skip it while this attribute has a value.`;
	}

	/** Gives why the message is not to be sent. */
	async mark(): Promise<NotSent | undefined> {
		const { attribute, value } = this.own;
		const wasOpen = this.isOpen;
		const onSend = () => (this.isOpen = true);
		try {
			return this.reasonAgainst(await this.change({ [attribute]: value }, { onSend }));
		} catch (error) {
			if (!(error instanceof CrmError)) {
				// The execution was stopped.
				await this.takeBack(NO_CONTACT);
				throw error;
			}
			if (isAccepted(error)) return notShown(attribute, error);
			const isGone = error.status === 404;
			this.isOpen = !isGone && (wasOpen || error.mayHaveHappened);
			const whole = error.withMessage('The contact could not be marked, so no message was sent');
			return isGone ? NO_CONTACT : { status: 'failed', error: whole };
		}
	}

	async send(): Promise<SendResult> {
		try {
			const record = await this.message.send({ isPersistent: true });
			this.isOpen = false;
			return { status: 'sent', record };
		} catch (error) {
			if (!(error instanceof CrmError)) throw error;
			if (error.mayHaveHappened) {
				return { status: 'unclear', error: error.withContext(STAYS_MARKED) };
			}
			return await this.takeBack({ status: 'failed', error });
		}
	}

	private reasonAgainst(marked: Contact): NotSent | undefined {
		const isShown = marked.id.toLowerCase() === this.id.toLowerCase();
		if (!isShown || !holdsMark(marked.attributes, this.own)) return notShown(this.own.attribute);
		const skip = skipMarked(marked, this.key, this.own);
		if (skip) return { status: 'skipped', ...skip };
		return hasMoved(marked, this.message) ? NUMBER_CHANGED : undefined;
	}

	/** Removes the mark if there may be one; the answer also shows whether the contact has opted out. */
	async takeBack(result: NotSent): Promise<NotSent> {
		if (!this.isOpen) return result;
		try {
			const { optInStatus } = await this.change(takenBack(this.own), { isPersistent: true });
			this.isOpen = false;
			const isOptOut = optInStatus === 'opted_out' && isConflict(result);
			return isOptOut ? { status: 'skipped', ...OPTED_OUT } : result;
		} catch (error) {
			if (!(error instanceof CrmError)) throw error;
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

const NO_CONTACT: NotSent = {
	status: 'skipped',
	code: 'noContact',
	reason: 'The contact does not exist any more.',
};

const NUMBER_CHANGED: NotSent = {
	status: 'failed',
	error: new CrmError(
		'The phone number of the contact changed meanwhile, so no message was sent',
		'Run it again with the same campaign key to send the message to the new number.',
	),
};

/** The service took a change, whatever it answered. */
const isAccepted = ({ status = 0 }: CrmError) => status >= 200 && status < 300;

const isConflict = (result: NotSent) =>
	'error' in result && result.error instanceof CrmError && result.error.status === 409;

/** The service does not keep marks, or does not show them: then nothing may be sent to anybody. */
function notShown(attribute: string, cause?: CrmError): NotSent {
	const why = cause ? `${cause.message}. ${cause.description} ` : '';
	const error = new CrmError(
		'The service does not show the mark of the campaign, so no message was sent',
		`${why}To send nobody the same message twice, this node writes the attribute '${attribute}' to the contact, and looks for it in the answer. It was not there. Without marks, use Message > Send Template without 'Campaign Key'.`,
	);
	return { status: 'failed', error, endsCampaign: true };
}

/** Where bodies name the phone: it may be that of somebody else by now. */
function hasMoved({ id, phone }: Contact, { recipient }: PreparedMessage): boolean {
	const isPhone = recipient.toLowerCase() !== id.toLowerCase();
	return isPhone && phone !== '' && phoneDigits(phone) !== phoneDigits(recipient);
}
