import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { path } from '../../../api/urls';
import { readContact, type Contact, type WireRecord } from '../../../api/types';
import { holdsMark, newMark, otherMark, takenBack, type Mark } from '../../../domain/campaignMark';
import { isJsonObject, type JsonObject } from '../../../domain/json';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import type { Run } from '../../../operations/define';
import { assertAddressed } from '../messageText';
import type { PreparedMessage } from '../templateMessage';
import { markedMeanwhile, skipByConsent, type Skip } from './skip';

/** Whether a contact that was not sent the message stays marked, so that later runs skip it all the same. */
type IsMarked = boolean | 'perhaps';

/** What came of a recipient. */
export type SendResult =
	| { status: 'sent'; record: WireRecord }
	| ({ status: 'skipped'; isMarked?: IsMarked } & Skip)
	| { status: 'failed'; error: CrmError | InputProblem; isMarked: IsMarked }
	/** It is not known whether the message was sent; later runs skip the contact. */
	| { status: 'unclear'; error: CrmError };

/** The service does not keep marks, or does not show them: then nothing may be sent to anybody. */
export class MarkNotShown extends CrmError {
	constructor(message: string, description: string) {
		// The mark may be there, so n8n's "Retry On Fail" must not take it for that of a message.
		super(message, description, { mayHaveHappened: true });
	}
}

/**
 * Sends a message to a contact that no other try with the same campaign key has sent it to: marks the
 * contact, looks at the answer, and sends. Two requests, if nothing is in the way.
 *
 * As the service merges attributes, of two tries at the same time at least one sees the mark of the
 * other; so at most one sends.
 *
 * @param onMark called before the first request: from then on the contact may be marked
 * @throws MarkNotShown if the answer does not hold the mark; then nothing was sent
 * @throws what a stopped execution throws; then the contact may be marked, and the message sent
 */
export async function sendOnce(
	api: Api,
	key: string,
	message: PreparedMessage,
	{ clock, executionId }: Run,
	onMark?: () => void,
): Promise<SendResult> {
	const { id } = message.contact;
	assertAddressed(message);
	const mark = newMark(key, { nowMs: clock.now(), random: clock.random(), executionId });
	onMark?.();
	const marked = await change(api, id, { [mark.attribute]: mark.value });
	if (marked instanceof CrmError) return notMarked(marked, id, mark);
	if (!isShown(marked, id, mark)) throw markNotShown(id, mark);

	const skip = skipMarked(marked, key, mark);
	if (skip) return await skipAndTakeBack(api, id, mark, skip);
	if (hasMoved(marked, message)) return await failAndTakeBack(api, id, mark, numberChanged());
	const sent = await message.send().catch(asCrmError);
	if (!(sent instanceof CrmError)) return { status: 'sent', record: sent };
	if (sent.mayHaveHappened) return { status: 'unclear', error: sent.withContext(STAYS_MARKED) };
	return await failAndTakeBack(api, id, mark, sent);
}

const STAYS_MARKED =
	'The contact stays marked: later runs with this campaign key do not send it the message.';

/** Where bodies name the phone: it may be that of somebody else by now. */
function hasMoved({ id, phone }: Contact, { recipient }: PreparedMessage): boolean {
	const isPhone = recipient.toLowerCase() !== id.toLowerCase();
	return isPhone && phone !== '' && phoneDigits(phone) !== phoneDigits(recipient);
}

function numberChanged(): CrmError {
	return new CrmError(
		'The phone number of the contact changed meanwhile, so no message was sent',
		'Run it again with the same campaign key to send the message to the new number.',
	);
}

/**
 * Changes attributes of a contact. Gives the contact as it is then, or what failed; for a change that was
 * accepted with an answer that cannot be read, an error with the status of success.
 */
async function change(api: Api, id: string, attributes: JsonObject): Promise<Contact | CrmError> {
	const request = {
		method: 'PATCH',
		path: path`/v1/contacts/${id}`,
		body: { attributes },
	} as const;
	const answer = await api.send(request).catch(asCrmError);
	if (answer instanceof CrmError) return answer;
	return readContact(isJsonObject(answer) ? (answer as WireRecord) : {});
}

const isAccepted = ({ status = 0 }: CrmError) => status >= 200 && status < 300;

function asCrmError(error: unknown): CrmError {
	if (error instanceof CrmError) return error;
	throw error;
}

/** @throws MarkNotShown if the contact may be marked, but the answer cannot be read */
function notMarked(error: CrmError, id: string, mark: Mark): SendResult {
	if (isAccepted(error)) throw markNotShown(id, mark, error);
	if (error.status === 404) {
		return { status: 'skipped', code: 'noContact', reason: 'The contact does not exist any more.' };
	}
	const { status = 0 } = error;
	const isRefused = status >= 400 && status < 500 && status !== 408;
	const what = isRefused ? 'The contact is not marked.' : `The contact may be marked. ${IF_MARKED}`;
	const whole = error.withMessage('The contact could not be marked, so no message was sent');
	return {
		status: 'failed',
		error: whole.withContext(what),
		isMarked: isRefused ? false : 'perhaps',
	};
}

const IF_MARKED = 'If it is, later runs with this campaign key do not send it the message.';

function isShown({ id, attributes }: Contact, ownId: string, mark: Mark): boolean {
	return id.toLowerCase() === ownId.toLowerCase() && holdsMark(attributes, mark);
}

function markNotShown(id: string, mark: Mark, cause?: CrmError): MarkNotShown {
	const why = cause ? `${cause.message}. ${cause.description} ` : '';
	return new MarkNotShown(
		'The service does not show the mark of the campaign, so no message was sent',
		`${why}To send nobody the same message twice, this node writes the attribute '${mark.attribute}' to the contact, and looks for it in the answer. It was not there, although the contact may be marked. Look at the attributes of contact ${id} in the app. Without marks, use Message > Send Template without 'Campaign Key'.`,
	);
}

function skipMarked(
	{ attributes, optInStatus }: Contact,
	key: string,
	own: Mark,
): Skip | undefined {
	const other = otherMark(attributes, key, own);
	return other === undefined ? skipByConsent(optInStatus) : markedMeanwhile(other);
}

async function skipAndTakeBack(api: Api, id: string, mark: Mark, skip: Skip): Promise<SendResult> {
	const after = await change(api, id, takenBack(mark));
	if (!(after instanceof CrmError)) return { status: 'skipped', ...skip };
	const { isMarked, text } = notTakenBack(after);
	return {
		status: 'skipped',
		...skip,
		reason: `${skip.reason} ${text} ${after.message}.`,
		isMarked,
	};
}

/** A web page with the status of success may come from a proxy, and not from the service. */
function notTakenBack(error: CrmError): { isMarked: IsMarked; text: string } {
	return isAccepted(error)
		? { isMarked: 'perhaps', text: `${MAY_STAY_MARKED} ${IF_MARKED}` }
		: { isMarked: true, text: `The mark of this run could not be taken back. ${STAYS_MARKED}` };
}

const MAY_STAY_MARKED =
	'The contact may still be marked: the answer to taking back the mark of this run could not be read.';

/** A conflict is an opt-out only if the contact shows one; it may be something else. */
async function failAndTakeBack(
	api: Api,
	id: string,
	mark: Mark,
	error: CrmError,
): Promise<SendResult> {
	const after = await change(api, id, takenBack(mark));
	if (after instanceof CrmError) {
		const { isMarked, text } = notTakenBack(after);
		return { status: 'failed', error: error.withContext(text), isMarked };
	}
	if (error.status !== 409) return { status: 'failed', error, isMarked: false };
	const skip = skipByConsent(after.optInStatus);
	if (skip?.code === 'optedOut') return { status: 'skipped', ...skip };
	const conflict = error.withTexts((text) => (text === error.message ? OTHER_CONFLICT : text));
	return { status: 'failed', error: conflict, isMarked: false };
}

const OTHER_CONFLICT =
	'The service refused the message, but does not show that the contact has opted out';
