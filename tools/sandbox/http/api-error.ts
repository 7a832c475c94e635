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

/** A body with fields that are not expected. `Shapes.invalidBody` decides how the answer says so. */
export class InvalidBody extends Error {
	constructor(readonly problems: BodyProblem[]) {
		super('invalid body');
	}
}

export const notFound = (what: string) => new ApiError(404, `${what} not found`);
export const conflict = (detail: string) => new ApiError(409, detail);
export const invalid = (detail: string) => new ApiError(422, detail);

/** What is wrong with one field of a body. */
export interface BodyProblem {
	/** The name, with dots between objects and their fields. */
	field: string;
	kind: 'missing' | 'unknown' | 'wrong';
	/** For `wrong`: what the value must be. */
	wants?: 'a string' | 'an object';
}

const messages = {
	missing: 'Field required',
	unknown: 'Extra inputs are not permitted',
	wrong: 'Wrong type',
};

/** The ways in which services say that a body is not what they expect. */
export const invalidForms = {
	/** The first problem, in a sentence. */
	plain: ([{ field, kind, wants }]: BodyProblem[]) => ({
		detail: {
			missing: `field '${field}' is required`,
			unknown: `unknown field '${field}'`,
			wrong: `field '${field}' must be ${wants}`,
		}[kind],
	}),
	/** FastAPI's list of all problems. */
	fastApi: (problems: BodyProblem[]) => ({
		detail: problems.map(({ field, kind }) => ({
			type: { missing: 'missing', unknown: 'extra_forbidden', wrong: 'type_error' }[kind],
			loc: ['body', ...field.split('.')],
			msg: messages[kind],
			input: {},
		})),
	}),
	/** No details. */
	silent: () => ({ detail: 'Unprocessable Entity' }),
};

export type InvalidForm = keyof typeof invalidForms;
