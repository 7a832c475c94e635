import { isJsonObject } from '../domain/plainData';
import { formatDuration, plainText } from '../domain/text';
import { SETTINGS } from './assumptions';
import type { Call } from './endpoints';
import { statusFailure, type Failure } from './failure';

/** A request that finally failed, or an answer that cannot be used, with the texts that the user reads. */
export class CrmError extends Error {
	constructor(
		/** What happened. */
		message: string,
		/** What to do next, then the reason that the service gave. */
		readonly description: string,
		/**
		 * Why the request failed, with `mayHaveHappened` for all its tries. By default, the answer does not
		 * fit the API reference, and the next one may.
		 */
		readonly failure: Readonly<Partial<Failure>> = { retryable: 'soon' },
	) {
		super(message);
		this.name = 'CrmError';
	}

	/** The same failure, with a text in front of its description. */
	withContext(context: string): CrmError {
		return new CrmError(this.message, `${context} ${this.description}`, this.failure);
	}

	/** The same failure with another message, and the old message in the description. */
	withMessage(message: string): CrmError {
		return new CrmError(message, `${this.message}. ${this.description}`, this.failure);
	}
}

/** A request that waited until its data was outdated. It was not sent, or not again. */
export class OutdatedError extends CrmError {
	/** @param failed why it was to be sent again; by default, it waited for the rate limit */
	constructor(failed?: CrmError) {
		super(
			failed?.message ?? 'The request waited too long for the rate limit, so its data is outdated',
			failed?.description ?? 'Run it again when fewer workflows use the API key.',
			failed?.failure ?? statusFailure(429),
		);
	}
}

/** For `catch`: treats 404 as success, because the record is gone either way. */
export function unlessNotFound(error: unknown): void {
	if (!isNotFound(error)) throw error;
}

/** Whether the service says that the record does not exist. */
export function isNotFound(error: unknown): boolean {
	return error instanceof CrmError && error.failure.status === 404;
}

/** Whether what failed may have been done nevertheless. */
export function mayBeDone(error: unknown): boolean {
	return error instanceof CrmError && error.failure.mayHaveHappened === true;
}

/** What happened, and what to do next. n8n's toast shows only the title. */
type Advice = readonly [title: string, remedy: string];

export const TRY_AGAIN = 'Try again in a few minutes.';

/** What 409 means when a subscription is created. */
export const SUBSCRIPTION_CONFLICT: Advice = [
	'The service refused to make this webhook subscription',
	'The workspace may already have a subscription for this URL, or it may have as many subscriptions as the service allows (20). List them with Subscription > Get Many in the Workspace CRM node, and delete one that is no longer needed.',
];

/** What a caller adds to the error texts of a request. */
export interface ErrorTexts {
	/** For requests whose body is our assumption: the names of the fields that were sent. */
	assumedFields?: string[];
	/** By status: the remedy, or title and remedy, in place of those in `crm/failure`. */
	advice?: Readonly<Record<number, string | Advice>>;
	/** What to do if the outcome is unknown; with a title for requests that must not be repeated. */
	unclear?: string | Advice;
}

/** A request that must not be repeated says when its outcome is unknown. */
type FailedRequest = ErrorTexts & Pick<Call, 'once'>;

/** The title says that the outcome is unknown, because n8n's toast shows nothing else. */
const MAY_HAVE_HAPPENED: Advice = [
	'It is not known whether this was done',
	'The request may have taken effect, so the node did not repeat it. Check in the CRM before you run the node again.',
];

const MAY_BE_REPEATED = 'The request may have taken effect. Repeating it does no harm.';

/**
 * The error for a request that is not sent again.
 *
 * @param mayHaveHappened whether one of its tries may have taken effect
 */
export function toCrmError(
	request: FailedRequest,
	failed: Failure,
	mayHaveHappened: boolean,
	{ baseUrl }: { baseUrl: string },
): CrmError {
	const { body, ...failure } = failed;
	const { status, retryAfterMs, retryable, isUnsent } = failure;
	const [what, remedy] = advise(request, failed, baseUrl);
	const reason = SAYS_WHY.includes(status ?? 0) ? shortReason(body) : '';
	const title = what + reason;
	const isUnclear = request.once && mayHaveHappened;
	const { unclear = request.once ? MAY_HAVE_HAPPENED : MAY_BE_REPEATED } = request;
	const [unclearTitle, whatToDo] = typeof unclear === 'string' ? [title, unclear] : unclear;
	const wait =
		retryAfterMs === undefined ? '' : `Wait ${formatDuration(retryAfterMs)}, then run again.`;
	const tryAgain = retryable === 'soon' && !isUnsent && wait === '' ? TRY_AGAIN : '';
	const texts = isUnclear
		? [`${title}.`, whatToDo, remedy]
		: [wait, remedy, bodyRemedy(request, status), mayHaveHappened ? whatToDo : '', tryAgain];
	const said = 'body' in failed && reason === '' ? saidByService(body) : '';
	const code = status === undefined ? '' : `(HTTP ${status})`;
	return new CrmError(
		isUnclear ? unclearTitle : title,
		[...texts, said, code].filter((text) => text !== '').join(' '),
		{ ...failure, mayHaveHappened },
	);
}

/** Title and remedy: those of the failure, unless the request has its own for this status. */
function advise({ advice = {} }: FailedRequest, failure: Failure, baseUrl: string): Advice {
	const { status = 0, reason = '' } = failure;
	const facts: Record<string, unknown> = { baseUrl, reason, status };
	const fill = (text: string) =>
		text.replace(/\{(baseUrl|reason|status)\}/g, (_, name: string) => String(facts[name]));
	const title = fill(failure.title);
	const own = advice[status] ?? fill(failure.remedy);
	return typeof own === 'string' ? [title, own] : own;
}

/** The service says what is missing or wrong. */
const SAYS_WHY = [404, 422];
/** Words of HTTP, which say no more than the title. */
const SAYS_NOTHING = /^(?:not found|unprocessable \w+)\.?$/i;

/** Longer reasons are in the description only. */
const MAX_TITLE_REASON = 80;

/** The service names the field or the record, so its detail goes into the title, which n8n's toast shows. */
function shortReason(body: unknown): string {
	const detail = detailOf(body);
	const isShort = detail !== '' && detail.length <= MAX_TITLE_REASON && !SAYS_NOTHING.test(detail);
	return isShort ? `: ${plainText(detail, MAX_TITLE_REASON)}` : '';
}

/** For a refused body that is our assumption: the fields that were sent, and where to change them. */
function bodyRemedy({ assumedFields }: FailedRequest, status = 0): string {
	if (!assumedFields || ![400, 422].includes(status)) return '';
	return `The node sent these fields: ${assumedFields.join(', ') || 'none'}. If the service expects others, turn on '${SETTINGS.switch}' in the credential, or enter them in 'Body' under 'Options'.`;
}

/** Longer details are cut: some services answer with whole stack traces. */
const MAX_DETAIL_CHARACTERS = 1_000;

function saidByService(body: unknown): string {
	const detail = detailOf(body);
	if (detail === '') return 'The service gave no reason.';
	return `The service says: "${plainText(detail, MAX_DETAIL_CHARACTERS)}"`;
}

/** "Error bodies: { detail }" (API reference, errors). Without `detail`, the whole body is quoted. */
function detailOf(body: unknown): string {
	const { detail = body } = isJsonObject(body) ? body : { detail: '' };
	const text = typeof detail === 'string' ? detail : JSON.stringify(detail, withoutSigningSecret);
	return ['null', '{}'].includes(text) ? '' : text.trim();
}

/** A subscription record contains the secret, which lets its holder forge deliveries. */
function withoutSigningSecret(name: string, part: unknown): unknown {
	return name === 'secret' ? undefined : part;
}
