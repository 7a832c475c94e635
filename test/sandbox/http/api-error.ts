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

export const notFound = (what: string) => new ApiError(404, `${what} not found`);
export const conflict = (detail: string) => new ApiError(409, detail);
export const invalid = (detail: string) => new ApiError(422, detail);
