/** A request that failed for good, in the words that the user reads. */
export class CrmError extends Error {
	constructor(
		/** What happened. */
		message: string,
		/** What to do next, and what the service said. */
		readonly description: string,
		private readonly facts: {
			/** Of the answer, if there was one. */
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
	 * Whether every other request would fail like this one: a key that was refused once is refused for
	 * all, and so is one whose limit others use up for minutes; and a reached send limit or an inactive
	 * subscription (402) is the workspace's. Asking again only takes time.
	 */
	get concernsAll(): boolean {
		return [401, 402, 429].includes(this.status ?? 0);
	}

	/** The same failure, with what led up to it or what it means put in front. */
	withContext(context: string): CrmError {
		return new CrmError(this.message, `${context} ${this.description}`, this.facts);
	}

	/** The same failure with another message, and the old message in the description. */
	withMessage(message: string): CrmError {
		return new CrmError(message, `${this.message}. ${this.description}`, this.facts);
	}
}

/** A request that waited for the rate limit until what it says may no longer hold. It was not sent. */
export class OutdatedError extends CrmError {
	constructor() {
		super(
			'The request waited too long for the rate limit to be sent as it was',
			'Run it again when less other work uses the API key.',
			{ status: 429 },
		);
	}
}

/** For a request that is then judged anew. */
export function unlessOutdated(error: unknown): void {
	if (!(error instanceof OutdatedError)) throw error;
}

/** For handlers that pass on what they do not handle. */
export function rethrow(error: unknown): never {
	throw error;
}

/** For removing what somebody else may have removed meanwhile: that is as good, any other failure is not. */
export function unlessGone(error: unknown): void {
	if (!(error instanceof CrmError) || error.status !== 404) throw error;
}
