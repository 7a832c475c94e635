import type { BodyProblem } from './invalid-forms';

/** An answer other than success, in the reference's terms: a status and a `detail`. */
export class ApiError extends Error {
	constructor(
		readonly status: number,
		readonly detail: string,
		readonly headers: Record<string, string> = {},
	) {
		super(detail);
	}
}

/** A body with other fields than are expected. How that is said is one of the sandbox's shapes. */
export class InvalidBody extends Error {
	constructor(readonly problems: BodyProblem[]) {
		super('invalid body');
	}
}

export const notFound = (what: string) => new ApiError(404, `${what} not found`);
export const conflict = (detail: string) => new ApiError(409, detail);
export const invalid = (detail: string) => new ApiError(422, detail);
