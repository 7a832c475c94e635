/** How services say that a body is not what they expect: one function for each way. */

/** What is wrong with one field of a body. */
export interface BodyProblem {
	/** The name, with dots between objects and what is in them. */
	field: string;
	kind: 'missing' | 'unknown' | 'wrong';
	/** For `wrong`: what the value must be. */
	wants?: 'a string' | 'an object' | 'an array' | 'a phone number' | 'a UUID';
}

type Render = (problems: BodyProblem[]) => unknown;

const words = (field: string) => field.replace(/[._]/g, ' ');
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const pascal = (field: string) =>
	field
		.split('.')
		.map((name) => name.split('_').map(capital).join(''))
		.join('.');

function phrase({ kind, wants }: BodyProblem, missing: string, unknown: string): string {
	return { missing, unknown, wrong: `must be ${wants}` }[kind];
}

/** `{ field: [text] }`, one entry a field. */
function byField(problems: BodyProblem[], textOf: (problem: BodyProblem) => string) {
	return Object.fromEntries(problems.map((problem) => [problem.field, [textOf(problem)]]));
}

/** Only the first problem, in a sentence. */
const sentence =
	(textOf: (problem: BodyProblem) => string): Render =>
	([first]) => ({ detail: textOf(first) });

const plainSentence = (problem: BodyProblem) =>
	({
		missing: `field '${problem.field}' is required`,
		unknown: `unknown field '${problem.field}'`,
		wrong: `field '${problem.field}' must be ${problem.wants}`,
	})[problem.kind];

export const invalidForms = {
	plain: sentence(plainSentence),
	colon: sentence(
		(problem) =>
			({
				missing: `field required: ${problem.field}`,
				unknown: `unexpected field: ${problem.field}`,
				wrong: `${problem.field}: must be ${problem.wants}`,
			})[problem.kind],
	),
	missingFirst: sentence(
		(problem) =>
			({
				missing: `Missing required parameter "${problem.field}".`,
				unknown: `"${problem.field}" is not allowed`,
				wrong: `"${problem.field}" must be ${problem.wants}`,
			})[problem.kind],
	),
	fastApi: (problems) => ({
		detail: problems.map((problem) => ({
			type: phrase(problem, 'missing', 'extra_forbidden').replace(/ /g, '_'),
			loc: ['body', ...problem.field.split('.')],
			msg: phrase(problem, 'Field required', 'Extra inputs are not permitted'),
			input: {},
		})),
	}),
	rails: (problems) => ({
		errors: byField(problems, (problem) => phrase(problem, "can't be blank", 'is not allowed')),
	}),
	laravel: (problems) => ({
		message: `The ${words(problems[0].field)} field ${phrase(problems[0], 'is required', 'is not allowed')}.`,
		errors: byField(
			problems,
			(problem) =>
				`The ${words(problem.field)} field ${phrase(problem, 'is required', 'is not allowed')}.`,
		),
	}),
	django: (problems) =>
		byField(problems, (problem) =>
			phrase(problem, 'This field is required.', 'This field is not allowed.'),
		),
	spring: (problems) => ({
		status: 422,
		error: 'Unprocessable Entity',
		path: '/v1',
		errors: problems.map((problem) => ({
			field: problem.field,
			defaultMessage: phrase(problem, 'must not be null', 'is unknown'),
		})),
	}),
	aspNet: (problems) => ({
		title: 'One or more validation errors occurred.',
		status: 422,
		errors: Object.fromEntries(
			problems.map((problem) => [
				problem.field,
				[`The ${problem.field} field ${phrase(problem, 'is required', 'is unknown')}.`],
			]),
		),
	}),
	symfony: (problems) => ({
		detail: 'Validation failed',
		violations: problems.map((problem) => ({
			propertyPath: problem.field,
			message: phrase(
				problem,
				'This value should not be blank.',
				'This field was not expected, extra.',
			),
		})),
	}),
	expressValidator: (problems) => ({
		errors: problems.map((problem) => ({
			type: problem.kind === 'unknown' ? 'unknown_fields' : 'field',
			location: 'body',
			path: problem.field,
			msg: phrase(problem, 'is required', 'Unknown field'),
		})),
	}),
	nest: (problems) => ({
		statusCode: 422,
		error: 'Unprocessable Entity',
		message: problems.map((problem) =>
			problem.kind === 'unknown'
				? `property ${problem.field} should not exist`
				: `${problem.field} ${phrase(problem, 'should not be empty', '')}`,
		),
	}),
	joi: (problems) => ({
		statusCode: 422,
		message: problems
			.map((problem) => `"${problem.field}" ${phrase(problem, 'is required', 'is not allowed')}`)
			.join('. '),
	}),
	zod: (problems) => ({
		success: false,
		error: {
			name: 'ZodError',
			issues: problems.map((problem) => {
				const path = problem.field.split('.');
				if (problem.kind === 'unknown') {
					const keys = path.slice(-1);
					return {
						code: 'unrecognized_keys',
						keys,
						path: path.slice(0, -1),
						message: `Unrecognized key: "${keys[0]}"`,
					};
				}
				return {
					code: 'invalid_type',
					path,
					message: phrase(problem, 'Required', ''),
				};
			}),
		},
	}),
	ajv: ([problem]) => {
		const names = problem.field.split('.');
		const name = names.at(-1) ?? '';
		const place = ['body', ...names.slice(0, -1)].join('/');
		return {
			statusCode: 422,
			code: 'FST_ERR_VALIDATION',
			message:
				problem.kind === 'wrong'
					? `${['body', ...names].join('/')} must be ${problem.wants}`
					: `${place} ${problem.kind === 'missing' ? 'must have required property' : 'must not have additional property'} '${name}'`,
		};
	},
	goValidator: ([problem]) => ({
		error: {
			missing: `Key: 'SendRequest.${pascal(problem.field)}' Error:Field validation for '${pascal(problem.field).split('.').at(-1)}' failed on the 'required' tag`,
			unknown: `json: unknown field "${problem.field}"`,
			wrong: `json: cannot use this value: field ${problem.field} must be ${problem.wants}`,
		}[problem.kind],
	}),
	rust: ([problem]) => ({
		detail: {
			missing: `missing field \`${problem.field}\` at line 1 column 61`,
			unknown: `unknown field \`${problem.field}\` at line 1 column 14`,
			wrong: `invalid type: \`${problem.field}\` must be ${problem.wants}`,
		}[problem.kind],
	}),
	jsonApi: (problems) => ({
		errors: problems.map((problem) => ({
			status: '422',
			source: { pointer: `/data/attributes/${problem.field.replaceAll('.', '/')}` },
			detail: phrase(problem, "can't be blank", 'is not allowed'),
		})),
	}),
	problemJson: (problems) => ({
		type: 'about:blank',
		title: 'Your request is not valid.',
		'invalid-params': problems.map((problem) => ({
			name: problem.field,
			reason: phrase(problem, 'is required', 'is not allowed'),
		})),
	}),
	/** Says nothing of use. */
	silent: () => ({ detail: 'Unprocessable Entity' }),
} satisfies Record<string, Render>;

export type InvalidForm = keyof typeof invalidForms;
