import type { net } from '../../support/platform';
import type { ListEnvelope } from '../records';

/** One request to the API, as it came over the wire. */
export interface RecordedRequest {
	method: string;
	/** As sent, still percent-encoded, without the query. */
	path: string;
	/** A parameter given more than once is an array. */
	query: Record<string, string | string[]>;
	/** Names in lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** Parsed when it is JSON, otherwise the text; undefined without a body. */
	body: unknown;
	/** 0 until answered, and for good when the connection was dropped. */
	status: number;
	/** Whether the rate limit counted it or refused it; undefined when the key was refused. */
	rate?: 'counted' | 'refused';
	/** From its arrival to the end of its answer or of its connection; undefined before. */
	tookMs?: number;
	/** Milliseconds of the clock since 1970. */
	atMs: number;
}

export type FaultKind =
	/** `body` replaces the JSON `detail`, for example by an HTML page. */
	| {
			status: number;
			detail?: string;
			headers?: Record<string, string>;
			body?: string;
			afterEffect?: boolean;
	  }
	/** Destroys the connection before or after the request did its work, or within its answer. */
	| { drop: 'beforeEffect' | 'afterEffect' | 'midAnswer' }
	/** Does the work at once and answers late. */
	| { delayMs: number }
	/** A page as a proxy would return; the request has no effect. */
	| { html: true; status?: number }
	/** Does the work and answers with half of the JSON. */
	| { truncated: true }
	/** Does the work and adds so many blanks after the JSON, which stays the same. */
	| { paddedBy: number }
	/** Does the work and answers with other headers. */
	| { answerHeaders: Record<string, string> }
	/** Does the work and rewrites the text of the answer, at once or later. */
	| { rewrite: (payload: string, request: RecordedRequest) => string | Promise<string> }
	/** Does the work, and leaves the answer to whoever writes it to the connection. */
	| { raw: (socket: net.Socket) => void }
	/** Does the work, lets something else happen, and answers once that is over. */
	| { meanwhile: () => unknown }
	/** Rewrites the envelope of a list. */
	| { page: (envelope: ListEnvelope) => unknown };

export interface Fault {
	/** Default: any request. `path` matches, or is a part of, the path without its query. */
	match?: { method?: string; path?: RegExp | string };
	/** How many requests it strikes. Default 1. */
	times?: number;
	/** How many matching requests pass first. Default 0. */
	skip?: number;
	kind: FaultKind;
}

const has = (text: string, wanted: RegExp | string) =>
	typeof wanted === 'string' ? text.includes(wanted) : text.search(wanted) >= 0;

/** Faults waiting for their request, oldest first. */
export class Faults {
	private waiting: Array<Fault & { times: number; skip: number }> = [];

	get pending(): readonly Fault[] {
		return this.waiting;
	}

	add(fault: Fault): void {
		this.waiting.push({ ...fault, times: fault.times ?? 1, skip: fault.skip ?? 0 });
	}

	clear(): void {
		this.waiting = [];
	}

	/** Takes the fault that strikes this request; it then strikes one request less. */
	take(method: string, path: string): FaultKind | undefined {
		for (const fault of this.waiting) {
			const { match } = fault;
			if (match?.method && match.method.toUpperCase() !== method) continue;
			if (match?.path && !has(path, match.path)) continue;
			if (fault.skip > 0) {
				fault.skip -= 1;
				continue;
			}
			fault.times -= 1;
			this.waiting = this.waiting.filter(({ times }) => times > 0);
			return fault.kind;
		}
		return undefined;
	}
}
