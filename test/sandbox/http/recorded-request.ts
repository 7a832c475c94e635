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
