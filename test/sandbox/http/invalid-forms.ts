/** How services say that a body is not what they expect: one function for each way. */

/** What is wrong with one field of a body. */
export interface BodyProblem {
	/** The name, with dots between objects and what is in them. */
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
	/** Nothing of use. */
	silent: () => ({ detail: 'Unprocessable Entity' }),
};

export type InvalidForm = keyof typeof invalidForms;
