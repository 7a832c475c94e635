/** A request that finally failed, with the texts that the user reads. */
export class CrmError extends Error {
	constructor(
		/** What happened. */
		message: string,
		/** What to do next, then the reason that the service gave. */
		readonly description: string,
		private readonly facts: {
			/** The HTTP status, if there was an answer. */
			status?: number;
			retryAfterMs?: number;
			/** Whether the request may still have taken effect on the service. */
			mayHaveHappened?: boolean;
		} = {},
	) {
		super(message);
		this.name = 'CrmError';
	}

	get status(): number | undefined {
		return this.facts.status;
	}

	get retryAfterMs(): number | undefined {
		return this.facts.retryAfterMs;
	}

	get mayHaveHappened(): boolean {
		return this.facts.mayHaveHappened ?? false;
	}

	/**
	 * Whether every other request would fail, too: a refused key (401), a workspace whose subscription is
	 * inactive or whose send limit is reached (402), or a rate limit that others use up for minutes (429).
	 */
	get concernsAll(): boolean {
		return [401, 402, 429].includes(this.status ?? 0);
	}

	/** The same failure, with a text in front of its description. */
	withContext(context: string): CrmError {
		return new CrmError(this.message, `${context} ${this.description}`, this.facts);
	}

	/** The same failure with another message, and the old message in the description. */
	withMessage(message: string): CrmError {
		return new CrmError(message, `${this.message}. ${this.description}`, this.facts);
	}
}

/** A request that waited for the rate limit until its data was outdated. It was not sent. */
export class OutdatedError extends CrmError {
	constructor() {
		super(
			'The request waited too long for the rate limit, so its data is outdated',
			'Run it again when fewer workflows use the API key.',
			{ status: 429 },
		);
	}
}

/** For `catch`: swallows an OutdatedError, so that the caller can plan the request again. */
export function unlessOutdated(error: unknown): void {
	if (!(error instanceof OutdatedError)) throw error;
}

/** Rethrows an error that the handler does not cover. */
export function rethrow(error: unknown): never {
	throw error;
}

/** For `catch`: treats 404 as success, because the record is gone either way. */
export function unlessGone(error: unknown): void {
	if (!(error instanceof CrmError) || error.status !== 404) throw error;
}
