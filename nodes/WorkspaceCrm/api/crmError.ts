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

/** A request that waited for the rate limit until its data was outdated. It was not sent. */
export class OutdatedError extends CrmError {
	constructor() {
		super(
			'The request waited too long for the rate limit, so its data is outdated',
			'Run it again when fewer workflows use the API key.',
			statusFailure(429),
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
export function unlessNotFound(error: unknown): void {
	if (!isNotFound(error)) throw error;
}

/** Whether the service says that the record does not exist. */
export function isNotFound(error: unknown): boolean {
	return error instanceof CrmError && error.failure.status === 404;
}
