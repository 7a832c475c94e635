import * as fc from 'fast-check';

import {
	readFieldProblems,
	type FieldProblem,
} from '../../../nodes/WorkspaceCrm/api/fieldProblems';

const missing = (field: string): FieldProblem => ({ field, kind: 'missing' });
const unknown = (field: string): FieldProblem => ({ field, kind: 'unknown' });
const wrong = (field: string, wants?: FieldProblem['wants']): FieldProblem => ({
	field,
	kind: 'wrong',
	...(wants && { wants }),
});

/** Answers in the words of the frameworks themselves. */
const answers: Array<[framework: string, body: unknown, problems: FieldProblem[]]> = [
	[
		'FastAPI with Pydantic 2',
		{
			detail: [
				{
					type: 'missing',
					loc: ['body', 'template_name'],
					msg: 'Field required',
					input: { contact_id: 'x' },
				},
				{
					type: 'extra_forbidden',
					loc: ['body', 'contact_id'],
					msg: 'Extra inputs are not permitted',
					input: 'x',
				},
			],
		},
		[missing('template_name'), unknown('contact_id')],
	],
	[
		'FastAPI with Pydantic 1',
		{
			detail: [
				{ loc: ['body', 'template', 'name'], msg: 'field required', type: 'value_error.missing' },
				{ loc: ['body', 'variables'], msg: 'value is not a valid list', type: 'type_error.list' },
			],
		},
		[missing('template.name'), wrong('variables', 'list')],
	],
	[
		'Pydantic on types',
		{
			detail: [
				{
					type: 'list_type',
					loc: ['body', 'params'],
					msg: 'Input should be a valid list',
					input: {},
				},
				{
					type: 'dict_type',
					loc: ['body', 'params', 0],
					msg: 'Input should be a valid dictionary',
					input: 'Anna',
				},
			],
		},
		[wrong('params', 'list'), wrong('params.0', 'object')],
	],
	['a sentence in detail', { detail: 'field required: template_name' }, [missing('template_name')]],
	[
		'Rails, by field',
		{ errors: { template_name: ["can't be blank"], contact: ['must exist'] } },
		[missing('template_name'), wrong('contact')],
	],
	[
		'Rails, in full sentences',
		{ errors: ["Template name can't be blank"] },
		[missing('template_name')],
	],
	[
		'Rails, strong parameters',
		{ status: 400, error: 'param is missing or the value is empty or invalid: template' },
		[missing('template')],
	],
	[
		'Laravel',
		{
			message: 'The template name field is required. (and 1 more error)',
			errors: {
				template_name: ['The template name field is required.'],
				'recipient.phone': ['The recipient.phone field is required.'],
			},
		},
		[missing('template_name'), missing('recipient.phone')],
	],
	['Django REST framework', { to: ['This field is required.'] }, [missing('to')]],
	[
		'Spring',
		{
			timestamp: '2026-01-01T00:00:00Z',
			status: 400,
			error: 'Bad Request',
			path: '/v1/messages/template',
			errors: [
				{
					codes: ['NotNull.sendRequest.templateName'],
					objectName: 'sendRequest',
					field: 'templateName',
					rejectedValue: null,
					defaultMessage: 'must not be null',
					code: 'NotNull',
				},
			],
		},
		[missing('templateName')],
	],
	[
		'ASP.NET',
		{
			type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
			title: 'One or more validation errors occurred.',
			status: 400,
			errors: { TemplateName: ['The TemplateName field is required.'] },
			traceId: '00-1-2-00',
		},
		[missing('TemplateName')],
	],
	[
		'Symfony',
		{
			type: 'https://symfony.com/errors/validation',
			title: 'Validation Failed',
			detail: 'templateName: This value should not be blank.',
			violations: [
				{
					propertyPath: 'templateName',
					title: 'This value should not be blank.',
					parameters: { '{{ value }}': 'null' },
				},
			],
		},
		[missing('templateName')],
	],
	[
		'express-validator 7',
		{
			errors: [
				{ type: 'field', msg: 'to is required', path: 'to', location: 'body' },
				{ type: 'unknown_fields', msg: 'Unknown field(s)', location: 'body', fields: [] },
			],
		},
		[missing('to')],
	],
	[
		'express-validator 6',
		{ errors: [{ msg: 'template must not be empty', param: 'template', location: 'body' }] },
		[missing('template')],
	],
	[
		'NestJS with class-validator',
		{
			statusCode: 400,
			message: [
				'property contact_id should not exist',
				'templateName should not be empty',
				'templateName must be a string',
			],
			error: 'Bad Request',
		},
		[unknown('contact_id'), missing('templateName'), wrong('templateName', 'text')],
	],
	[
		'Joi',
		{
			statusCode: 400,
			error: 'Bad Request',
			message: '"template.name" is required. "contact_id" is not allowed',
		},
		[unknown('contact_id'), missing('template.name')],
	],
	[
		'Zod',
		{
			success: false,
			error: {
				name: 'ZodError',
				issues: [
					{
						code: 'invalid_type',
						expected: 'string',
						received: 'undefined',
						path: ['recipient', 'phone'],
						message: 'Required',
					},
					{
						code: 'unrecognized_keys',
						keys: ['contact_id'],
						path: [],
						message: "Unrecognized key(s) in object: 'contact_id'",
					},
				],
			},
		},
		[missing('recipient.phone'), unknown('contact_id')],
	],
	[
		'Fastify with Ajv',
		{
			statusCode: 400,
			code: 'FST_ERR_VALIDATION',
			error: 'Bad Request',
			message: "body must have required property 'templateName'",
		},
		[missing('templateName')],
	],
	[
		'Ajv errors',
		{
			errors: [
				{
					instancePath: '/template',
					schemaPath: '#/properties/template/required',
					keyword: 'required',
					params: { missingProperty: 'name' },
					message: "must have required property 'name'",
				},
				{
					instancePath: '/variables',
					schemaPath: '#/properties/variables/type',
					keyword: 'type',
					params: { type: 'array' },
					message: 'must be array',
				},
			],
		},
		[missing('template.name'), wrong('variables', 'list')],
	],
	[
		'Go, validator',
		{
			error:
				"Key: 'SendRequest.TemplateName' Error:Field validation for 'TemplateName' failed on the 'required' tag",
		},
		[missing('TemplateName')],
	],
	[
		'Go, validator, a field in an object',
		{
			error:
				"Key: 'SendRequest.Template.Name' Error:Field validation for 'Name' failed on the 'required' tag",
		},
		[missing('Template.Name')],
	],
	[
		'Fastify with Ajv, a field in an object',
		{ statusCode: 400, message: "body/template must have required property 'name'" },
		[missing('template.name')],
	],
	['Go, encoding/json', { error: 'json: unknown field "contact_id"' }, [unknown('contact_id')]],
	[
		'Rust, serde',
		{ detail: 'missing field `template_name` at line 1 column 61' },
		[missing('template_name')],
	],
	[
		'Rust, serde, with the fields that it knows',
		{ detail: 'unknown field `contact_id`, expected one of `to`, `template` at line 1 column 14' },
		[unknown('contact_id'), missing('to'), missing('template')],
	],
	[
		'JSON:API',
		{
			errors: [
				{
					status: '422',
					source: { pointer: '/data/attributes/template_name' },
					title: 'Invalid Attribute',
					detail: "can't be blank",
				},
			],
		},
		[missing('template_name')],
	],
	[
		'RFC 9457',
		{
			type: 'https://example.com/probs/validation',
			title: 'Your request is not valid.',
			'invalid-params': [{ name: 'recipient', reason: 'is required' }],
		},
		[missing('recipient')],
	],
	['a sentence', { message: 'Missing required parameter "to".' }, [missing('to')]],
	['a bare text', 'template_name is required', [missing('template_name')]],
	[
		'a phone',
		{ detail: "field 'to' must be a phone number in E.164 format" },
		[wrong('to', 'phone')],
	],
	['an id', { detail: { contact: ['must be a valid UUID'] } }, [wrong('contact', 'id')]],
	['nothing of use', { detail: 'Unprocessable Entity' }, []],
	['nothing', undefined, []],
	['a web page', '<html><body>Bad Request</body></html>', []],
];

test.each(answers)('%s', (_framework, body, problems) => {
	expect(readFieldProblems(body)).toEqual(problems);
});

test('whatever a service answers, it ends, and names at most ten fields', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (body) => {
			const problems = readFieldProblems(body);
			expect(problems.length).toBeLessThanOrEqual(10);
			expect(problems.every(({ field }) => field !== '')).toBe(true);
		}),
		{ numRuns: 500 },
	);
});

test.each([
	{ detail: `${'a '.repeat(200_000)} is required` },
	{ detail: 'missing field '.repeat(20_000) },
	JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as unknown,
])('an answer made to take for ever ends', (body) => {
	expect(readFieldProblems(body).length).toBeLessThanOrEqual(10);
});
