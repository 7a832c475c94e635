import { isJsonObject } from '../domain/json';
import { formatDuration, plainText } from '../domain/text';
import { SETTINGS } from './assumptions';
import { CrmError } from './crmError';
import type { Call } from './endpoints';
import { isPassing, mayHaveHappened, type Failure, type StatusFailure } from './failure';

/** What happened, and what to do next. n8n's toast shows only the title. */
export type Advice = readonly [title: string, remedy: string];

export const TRY_AGAIN = 'Try again in a few minutes.';

/** Title and remedy by status: those in the API reference's table of errors, and a few more. */
const ADVICE: Readonly<Record<number, Advice>> = {
	401: [
		'The API key was not accepted',
		'Open the credential and paste the key again. It may be mistyped, or it was revoked; an Admin can create a new one in the app under the REST API integration settings.',
	],
	402: [
		'The subscription is inactive, or the monthly send limit is reached',
		'Check the plan and the usage of the workspace in the app, then run again.',
	],
	404: [
		'The record does not exist in this workspace',
		'Check the ID. The record may have been deleted, or the credential may belong to another workspace. If every request gets this error, check the base URL in the credential.',
	],
	409: [
		'The request conflicts with the current state',
		'Check the current state of the record in the app, then run again.',
	],
	429: [
		'The rate limit of the service is used up',
		'The service allows 120 requests a minute per API key. Something else may be using the same key; give each system a key of its own, or run this later.',
	],
};

/** The remedy for 409 when a subscription is created. */
export const SUBSCRIPTION_CONFLICT =
	'The workspace may already have a subscription for this URL, or it may have as many subscriptions as the service allows (20). List them with Subscription > Get Many in the Workspace CRM node, and delete one that is no longer needed.';

const SENDING_REJECTED: Advice = [
	'The messaging platform rejected the message',
	'The message was not sent. Correct the problem that the platform names at the end of this text.',
];

const REDIRECT: Advice = [
	'The service answered with a redirect, which was not followed',
	'The API key must not reach another address. Check the base URL in the credential; it may need https:// or a different host.',
];

const SERVER_PROBLEM: Advice = ['The CRM is having problems right now', ''];

/** What a caller adds to the error texts of a request. */
export interface ErrorTexts {
	/** For requests whose body is our assumption: the names of the fields that were sent. */
	assumedFields?: string[];
	/** By status: the remedy, or title and remedy, in place of those in `ADVICE`. */
	advice?: Readonly<Record<number, string | Advice>>;
	/** Title and remedy if the outcome is unknown; by default, `MAY_HAVE_HAPPENED`. */
	unclear?: Advice;
}

/** A request that must not be repeated says when its outcome is unknown. */
type FailedRequest = ErrorTexts & Pick<Call, 'once'>;

/** The title says that the outcome is unknown, because n8n's toast shows nothing else. */
const MAY_HAVE_HAPPENED: Advice = [
	'It is not known whether this was done',
	'The request may have taken effect, so the node did not repeat it. Check in the app before you run the node again.',
];

/**
 * The error for a request that is not sent again.
 *
 * @param mayBeDone whether one of its tries may have taken effect
 */
export function toCrmError(
	request: FailedRequest,
	failure: Failure,
	mayBeDone: boolean,
	{ baseUrl }: { baseUrl: string },
): CrmError {
	const status = 'status' in failure ? failure.status : undefined;
	const retryAfterMs = failure.kind === 'status' ? failure.retryAfterMs : undefined;
	const [title, remedy] = advise(request, failure, baseUrl);
	const said = 'body' in failure ? saidByService(failure.body) : '';
	const code = status === undefined ? '' : `(HTTP ${status})`;
	const isUnclear = request.once && mayHaveHappened(failure);
	const [unclear, whatToDo] = request.unclear ?? MAY_HAVE_HAPPENED;
	const texts = isUnclear
		? [`${title}.`, remedy, whatToDo]
		: [remedy, bodyRemedy(request, failure), isPassing(failure) ? TRY_AGAIN : ''];
	return new CrmError(
		isUnclear ? unclear : title,
		[...texts, said, code].filter((text) => text !== '').join(' '),
		{ status, retryAfterMs, mayHaveHappened: mayBeDone },
	);
}

function advise(request: FailedRequest, failure: Failure, baseUrl: string): Advice {
	switch (failure.kind) {
		case 'status':
			return adviseOnStatus(request, failure);
		case 'rejected':
			return SENDING_REJECTED;
		case 'unreadable':
			return [
				`The service answered with ${failure.isTooLarge ? 'more than 32 MB' : 'something other than JSON'}`,
				`Check the base URL in the credential (${baseUrl}); a web page or a proxy may have answered instead of the API.`,
			];
		case 'unreachable':
			return [
				'The service could not be reached',
				`Nothing was sent. Reason: ${failure.reason}. Check the base URL in the credential (${baseUrl}) and whether the service is up.`,
			];
		case 'timeout':
			return ['The service did not answer in time', 'No complete answer came within a minute.'];
		case 'broken':
			return [
				'The connection to the service broke before its answer arrived',
				`Reason: ${failure.reason}. If this happens again, check whether the base URL (${baseUrl}) should start with http:// or https://.`,
			];
		case 'notSent':
			return ['n8n did not send the request', failure.reason];
	}
}

function adviseOnStatus(request: FailedRequest, failure: StatusFailure): Advice {
	const { status, retryAfterMs } = failure;
	const known = status === 422 ? notAccepted(failure.body) : ADVICE[status];
	if (known) {
		const own = request.advice?.[status] ?? known;
		const [title, remedy] = typeof own === 'string' ? [known[0], own] : own;
		const wait =
			retryAfterMs === undefined ? '' : `Wait ${formatDuration(retryAfterMs)}, then run again. `;
		return [title, `${wait}${remedy}`];
	}
	if (status >= 300 && status < 400) return REDIRECT;
	if (status >= 500) return SERVER_PROBLEM;
	return [
		`The service refused the request with status ${status}`,
		'Check the fields of this node and the base URL in the credential.',
	];
}

/** Longer reasons are in the description only. */
const MAX_TITLE_REASON = 80;

/** The service names the field, so its detail goes into the title, which n8n's toast shows. */
function notAccepted(body: unknown): Advice {
	const detail = detailOf(body);
	const isShort = detail !== '' && detail.length <= MAX_TITLE_REASON;
	const reason = isShort ? `: ${plainText(detail, MAX_TITLE_REASON)}` : '';
	return [
		`The service did not accept the data${reason}`,
		'Correct the field that the service names.',
	];
}

/** For a refused body that is our assumption: the fields that were sent, and where to change them. */
function bodyRemedy({ assumedFields }: FailedRequest, failure: Failure): string {
	const isRefused = failure.kind === 'status' && [400, 422].includes(failure.status);
	if (!assumedFields || !isRefused) return '';
	return `The API reference does not show the body of this request. The node sent these fields: ${assumedFields.join(', ') || 'none'}. If the service expects others, turn on '${SETTINGS.switch}' in the credential, or enter them in 'Body' under 'Options'.`;
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
