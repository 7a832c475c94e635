import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import type { RequestContext } from '../../../nodes/WorkspaceCrm/api/attempt';
import type { VirtualClock } from '../../support/virtualClock';

export const BASE_URL = 'https://crm.example.com';
export const API_KEY = 'key-4f1c';

/** What n8n's HTTP helper gives for an answer. */
export interface Answer {
	statusCode: number;
	headers?: Record<string, string>;
	/** A text on the wire, or its bytes as they come in. */
	body?: string | AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** A body as n8n gives it when it is asked for a stream. */
async function* streamOf(body: Answer['body'] = ''): AsyncGenerator<Buffer> {
	if (typeof body !== 'string') yield* body;
	else if (body !== '') yield Buffer.from(body);
}

/** A request, as n8n's HTTP helper gets it. */
export interface Sent {
	options: IHttpRequestOptions;
	credentialType: string;
	/** What the helper is called with. */
	context: RequestContext;
	atMs: number;
}

/** What comes of a request: an answer, or what n8n throws. */
export type Reply = (sent: Sent, index: number) => Answer | Error | Promise<Answer | Error>;

/** n8n's side of the requests, and all that was sent. */
export class SimulatedService {
	readonly sent: Sent[] = [];

	readonly context: RequestContext;

	/** Hints that were shown to the user. */
	readonly hints: unknown[] = [];

	constructor(
		clock: VirtualClock,
		reply: Reply,
		{ credential, stop }: { credential?: object; stop?: AbortSignal } = {},
	) {
		const { sent, hints } = this;
		const request = async function (
			this: RequestContext,
			credentialType: string,
			options: IHttpRequestOptions,
		) {
			const each = { options, credentialType, context: this, atMs: clock.elapsedMs() };
			sent.push(each);
			const answer = await reply(each, sent.length - 1);
			if (answer instanceof Error) throw answer;
			return { ...answer, headers: answer.headers ?? {}, body: streamOf(answer.body) };
		};
		this.context = {
			getCredentials: async (type: string) =>
				await Promise.resolve(
					type === 'workspaceCrmApi' ? { apiKey: API_KEY, baseUrl: BASE_URL, ...credential } : {},
				),
			getExecutionCancelSignal: () => stop,
			addExecutionHints: (hint) => hints.push(hint),
			helpers: {
				httpRequestWithAuthentication: request as unknown,
			} as IExecuteFunctions['helpers'],
		} as Partial<IExecuteFunctions> as RequestContext;
	}

	/** When each request was sent. */
	get timesMs(): number[] {
		return this.sent.map(({ atMs }) => atMs);
	}

	/** Where each request went, from the base URL on. */
	get urls(): string[] {
		return this.sent.map(({ options }) => options.url.replace(BASE_URL, ''));
	}
}

/** One reply for each request in turn; the last one for all that follow. */
export function inTurn(...replies: Array<Answer | Error>): Reply {
	return (_sent, index) => replies[Math.min(index, replies.length - 1)];
}

/** An answer of JSON. */
export function json(body: unknown, statusCode = 200, headers?: Record<string, string>): Answer {
	return { statusCode, headers, body: JSON.stringify(body) };
}

function thrown(message: string, cause: object): Error {
	return Object.assign(new Error(message), { cause });
}

/** What n8n throws, by how far the request got. `connection.test.ts` has more of them. */
export const failures = {
	/** The connection broke after the request was written. */
	broken: (message = 'socket hang up') =>
		thrown('The connection was aborted', {
			...{ isAxiosError: true, code: 'ECONNRESET', message },
			request: { socket: { _bytesDispatched: 300 } },
		}),
	/** There was no connection. */
	unreachable: () =>
		thrown('The service refused the connection', {
			...{ isAxiosError: true, code: 'ECONNREFUSED', syscall: 'connect', message: 'refused' },
			request: { socket: { _bytesDispatched: 0 } },
		}),
	/** n8n did not let it out. */
	notSent: () => thrown('Blocked', { name: 'UserError', message: 'Not allowed' }),
};
