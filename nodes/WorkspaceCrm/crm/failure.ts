import { isJsonObject } from '../domain/plainData';
import { asWords } from '../domain/sameText';

/** Why a request failed, and what that means for the request, the run and the user. */
export interface Failure {
	/** What happened; n8n's toast shows nothing else. `{reason}` and `{status}` are filled in. */
	title: string;
	/** What to do next. `{baseUrl}` and `{reason}` are filled in. */
	remedy: string;
	/**
	 * Whether the same request may succeed: `soon`, so that it is retried after a second or two, or
	 * `afterPause`: once the rate limit allows it, and until then nothing else is sent either.
	 */
	retryable?: 'soon' | 'afterPause';
	/** Whether the request may have taken effect: yes, unless it was clearly refused or never sent. */
	mayHaveHappened?: boolean;
	/** Whether it certainly never reached the service, so that it does not count against the rate limit. */
	isUnsent?: boolean;
	/** Whether every other request would fail, too, so that the run ends. */
	endsRun?: boolean;
	/** n8n's machine-readable cause, set only if the answer proves it. */
	cause?: 'credential-invalid' | 'rate-limited' | 'temporarily-unavailable';
	/** The HTTP status, if there was an answer. */
	status?: number;
	/** How long the service asks to wait. */
	retryAfterMs?: number;
	body?: unknown;
	/** Why the connection failed. */
	reason?: string;
}

const REDIRECT: Failure = {
	title: 'The service answered with a redirect, which was not followed',
	remedy:
		'The API key must not reach another address. Check the base URL in the credential; it may need https:// or another domain.',
	mayHaveHappened: true,
};

const REFUSED: Failure = {
	title: 'The service refused the request with status {status}',
	remedy: 'Check the fields of this node and the base URL in the credential.',
};

const SERVER_PROBLEM: Failure = {
	title: 'The CRM is having problems right now',
	remedy: '',
	retryable: 'soon',
	mayHaveHappened: true,
};

const UNAVAILABLE: Failure = { ...SERVER_PROBLEM, cause: 'temporarily-unavailable' };

/** What a status means (API reference, errors, and a few more); for others, see `statusFailure`. */
const STATUSES: Readonly<Record<number, Failure>> = {
	401: {
		title: 'The API key was not accepted',
		remedy:
			'Open the credential and paste the key again. It may be mistyped, or it was revoked; an Admin can create a new one in the CRM under the REST API integration settings.',
		endsRun: true,
		cause: 'credential-invalid',
	},
	402: {
		title: 'The plan of the workspace is inactive, or its monthly send limit is reached',
		remedy: 'Check the plan and the usage of the workspace in the CRM, then run again.',
		endsRun: true,
	},
	404: {
		title: 'The record does not exist in this workspace',
		remedy:
			'Check the ID. The record may have been deleted, or the credential may belong to another workspace. If every request gets this error, check the base URL in the credential.',
	},
	// Gateways send it when the service was too slow.
	408: SERVER_PROBLEM,
	409: {
		title: 'The service refused this because of the state of the record',
		remedy: 'Check the record in the CRM, then run again.',
	},
	422: {
		title: 'The service did not accept the data',
		remedy: 'Correct the value of the field that the service names.',
	},
	429: {
		title: 'The rate limit of the service is used up',
		remedy:
			'The service allows 120 requests a minute per API key. Something else may be using the same key; give each system a key of its own.',
		retryable: 'afterPause',
		endsRun: true,
		cause: 'rate-limited',
	},
	500: UNAVAILABLE,
	503: UNAVAILABLE,
};

/** The messaging platform rejected a message, which certainly did not go out. */
const REJECTED: Failure = {
	title: 'The messaging platform rejected the message',
	remedy: 'The message was not sent. Solve the problem that the service names, then run again.',
};

/** What it means if there is no answer, or none that can be used. */
const OTHERS = {
	/** No connection could be made. */
	unreachable: {
		title: 'The service could not be reached',
		remedy:
			'Nothing was sent. Reason: {reason}. Check the base URL in the credential ({baseUrl}) and whether the service is up.',
		retryable: 'soon',
		isUnsent: true,
	},
	/** The connection was refused because of the certificate of the service. */
	untrusted: {
		title: 'The certificate of the service is not trusted',
		remedy:
			'Nothing was sent. Reason: {reason}. If it comes from an authority of your own, such as that of your company, whoever runs n8n can add the authority with NODE_EXTRA_CA_CERTS. Otherwise check the base URL in the credential ({baseUrl}), or ask the provider of the service.',
		retryable: 'soon',
		isUnsent: true,
	},
	timeout: {
		title: 'The service did not answer in time',
		remedy: 'No complete answer came within a minute.',
		retryable: 'soon',
		mayHaveHappened: true,
	},
	broken: {
		title: 'The connection to the service broke before its answer arrived',
		remedy:
			'Reason: {reason}. If this happens again, check the base URL in the credential ({baseUrl}), also its http:// or https://.',
		retryable: 'soon',
		mayHaveHappened: true,
	},
	/** n8n itself did not send the request. */
	notSent: { title: 'n8n did not send the request', remedy: '{reason}', isUnsent: true },
	/** A success status with a body that cannot be read. */
	unreadable: {
		title: 'The service answered with {reason}',
		remedy:
			'Check the base URL in the credential ({baseUrl}): it must be the address of the API. A web page or a proxy may have answered instead.',
		mayHaveHappened: true,
	},
	noRecord: {
		title: 'The service answered without a record',
		remedy: '{reason} should return an object.',
		retryable: 'soon',
		mayHaveHappened: true,
	},
} satisfies Record<string, Failure>;

/** The facts about one failed try. */
type Facts = Pick<Failure, 'status' | 'retryAfterMs' | 'body' | 'reason'>;

export function otherFailure(kind: keyof typeof OTHERS, facts: Facts): Failure {
	return { ...OTHERS[kind], ...facts };
}

/**
 * What a status other than success means. "502: the messaging platform rejected a send; `detail` carries
 * that platform's error" (API reference, errors). Without `detail`, a gateway answered, and the message
 * may have been sent.
 */
export function statusFailure(status: number, facts: Facts = {}, sendsMessage = false): Failure {
	const { body } = facts;
	const isRejected = sendsMessage && status === 502 && isJsonObject(body) && saysMore(body.detail);
	const meaning = isRejected ? REJECTED : (STATUSES[status] ?? classOf(status));
	return { ...meaning, ...facts, status };
}

const STATUS_TEXTS = ['', '502', 'bad gateway', '502 bad gateway'];

/** Whether a detail is one of the platform: some gateways write their own status into such a field. */
function saysMore(detail: unknown): boolean {
	return typeof detail === 'string' && !STATUS_TEXTS.includes(asWords(detail));
}

/**
 * The registered statuses of HTTP from 400 on are refusals. Gateways have made up others, such as 444 and 499, for a
 * request that they have given up, which may have arrived.
 */
const LAST_REFUSAL = 431;

function classOf(status: number): Failure {
	if (status === 451 || (status >= 400 && status <= LAST_REFUSAL)) return REFUSED;
	return status < 400 ? REDIRECT : SERVER_PROBLEM;
}
