import * as fc from 'fast-check';

import { enrollRoles, sendRoles } from '../../../nodes/WorkspaceCrm/api/bodyRoles';
import { readBodyFields } from '../../../nodes/WorkspaceCrm/api/bodyFields';
import { CrmError } from '../../../nodes/WorkspaceCrm/api/crmError';
import {
	SUBSCRIPTION_CONFLICT,
	toCrmError,
	type FailedRequest,
} from '../../../nodes/WorkspaceCrm/api/errors';
import type { Failure } from '../../../nodes/WorkspaceCrm/api/retry';

const BASE_URL = 'https://crm.example.com';
const MAY_HAVE = 'may have taken effect';
const NO_REASON = 'The service gave no reason.';

const read: FailedRequest = { repeatable: true };
const write: FailedRequest = { repeatable: false };
const send: FailedRequest = { repeatable: false, sendsMessage: true };

const status = (code: number, body?: unknown, retryAfterMs?: number): Failure => ({
	kind: 'status',
	status: code,
	body,
	retryAfterMs,
});
const detail = (text: unknown) => ({ detail: text });

const others: Failure[] = [
	{ kind: 'unreadable', status: 200, content: 'page' },
	{ kind: 'unreachable', reason: 'ECONNREFUSED' },
	{ kind: 'broken', reason: 'ECONNRESET' },
	{ kind: 'timeout', reason: 'ETIMEDOUT' },
	{ kind: 'queueTooLong' },
	{ kind: 'notSent', reason: 'The credential is missing' },
];
/** Those after which it is certain that the request had no effect. */
const withoutEffect = ['unreachable', 'queueTooLong', 'notSent'];

const anyFailure = fc.oneof(
	fc
		.tuple(
			fc.integer({ min: 300, max: 599 }),
			fc.option(fc.jsonValue().map(detail), { nil: undefined }),
			fc.option(fc.nat(1e7), { nil: undefined }),
		)
		.map(([code, body, retryAfterMs]) => status(code, body, retryAfterMs)),
	fc.constantFrom(...others),
);
const anyRequest = fc.constantFrom(read, write, send);

function describeError(failure: Failure, request = read): string {
	const { message, description } = toCrmError(request, failure, BASE_URL);
	return `${message}\n${description}`;
}

describe('the error of a request', () => {
	it('always says what happened and what to do, in words that alarm nobody', () => {
		fc.assert(
			fc.property(anyFailure, anyRequest, (failure, request) => {
				const error = toCrmError(request, failure, BASE_URL);
				expect(error).toBeInstanceOf(CrmError);
				expect(error.message).toMatch(/^\S.*[^.\s]$/);
				expect(error.message).not.toMatch(/error|failure|failed|mistake/i);
				expect(error.description).toMatch(/^\S.{10,}/s);
				expect(`${error.message} ${error.description}`).not.toMatch(
					/undefined|NaN|Infinity|\[object/,
				);
			}),
			{ numRuns: 300 },
		);
	});

	it.each([
		[401, 'API key', 'Open the credential'],
		[402, 'subscription is inactive, or the monthly send limit', 'the plan'],
		[404, 'does not exist in this workspace', 'Check the ID'],
		[409, 'conflicts', 'Check in the app'],
		[407, 'proxy', 'HTTPS_PROXY'],
		[422, 'did not accept the data', 'Correct the field'],
		[429, 'rate limit', '120 requests a minute'],
		[502, 'gateway', 'Try again'],
		[400, 'could not read the request', 'Check the fields'],
		[403, 'not allowed to do this', 'Admin'],
		[300, 'redirect', 'Check the base URL'],
		[301, 'redirect', 'Check the base URL'],
		[399, 'redirect', 'Check the base URL'],
		[418, 'status 418', 'Check the fields'],
		[500, 'having problems', 'Try again'],
		[503, 'having problems', 'Try again'],
	])(
		'with status %i says which it is, what to do, and what the service said',
		(code, what, todo) => {
			const error = toCrmError(read, status(code, detail('In its own words')), BASE_URL);
			expect(error.message).toContain(what);
			expect(error.description).toContain(todo);
			expect(error.description).toContain('"In its own words"');
			expect(error.description).toContain(`(HTTP ${code})`);
			expect(error.status).toBe(code);
			expect(toCrmError(read, status(code), BASE_URL).description).toContain(NO_REASON);
		},
	);

	it('is one text, sentence after sentence', () => {
		const error = toCrmError(write, status(503, detail('Busy')), BASE_URL);
		expect(String(error)).toBe('CrmError: It is not known whether this was done');
		expect(error.description).toBe(
			'The CRM is having problems right now. The request may have taken effect, so the node did not repeat it. Check in the app before you run the node again. The service says: "Busy" (HTTP 503)',
		);
	});

	it('concerns all other requests when the key is refused, or its limit used up, and no other time', () => {
		const concernsAll = (failure: Failure) => toCrmError(read, failure, BASE_URL).concernsAll;
		expect([401, 429].map((code) => concernsAll(status(code)))).toEqual([true, true]);
		for (const code of [301, 400, 403, 404, 409, 422, 500, 502, 503, 504]) {
			expect(concernsAll(status(code))).toBe(false);
		}
		expect(concernsAll({ kind: 'timeout', reason: 'ETIMEDOUT' })).toBe(false);
	});

	it('says what is missing, after a 404, where that is not what the ID stands for', () => {
		const request = { ...write, advice: { 404: 'The contact has no such tag.' } };
		expect(describeError(status(404), request)).toContain('The contact has no such tag.');
		expect(describeError(status(404), request)).not.toContain('Check the ID');
		expect(describeError(status(409), request)).not.toContain('The contact has no such tag.');
	});

	it('says what a conflict of subscriptions may be about', () => {
		const request = { ...write, advice: { 409: SUBSCRIPTION_CONFLICT } };
		expect(toCrmError(request, status(409), BASE_URL).description).toBe(
			`The workspace may already have a subscription for this URL, or it may have as many subscriptions as the service allows (20). List them with Subscription > Get Many in the Workspace CRM node, and delete one that is no longer needed. ${NO_REASON} (HTTP 409)`,
		);
	});

	it('names the base URL where that may be wrong', () => {
		for (const failure of others.filter(({ kind }) => /^unrea/.test(kind))) {
			expect(describeError(failure)).toContain(BASE_URL);
		}
	});

	it.each([
		['unreachable', 'Nothing was sent', 'ECONNREFUSED'],
		['broken', 'before its answer arrived', 'ECONNRESET'],
		['timeout', 'did not answer in time', 'Try again'],
		[
			'queueTooLong',
			'rate limit of the service is used up',
			'Workflows that run at the moment use all',
		],
		['notSent', 'n8n did not send', 'The credential is missing'],
	])('without an answer (%s) says how far it came and why', (kind, what, why) => {
		const failure = others.find((each) => each.kind === kind) ?? others[0];
		expect(describeError(failure)).toContain(what);
		expect(describeError(failure)).toContain(why);
		expect(describeError(failure)).not.toContain('HTTP');
		expect(describeError(failure)).not.toContain(NO_REASON);
		expect(toCrmError(read, failure, BASE_URL).status).toBeUndefined();
	});

	it.each([
		['page', 'a web page instead of JSON'],
		['broken', 'broken JSON'],
		['text', 'text instead of JSON'],
		['large', 'more than 32 MB'],
		['deep', 'JSON of more than 100 levels'],
	] as const)('with an answer that is not read says why: %s is %s', (content, what) => {
		const failure: Failure = { kind: 'unreadable', status: 200, content };
		expect(describeError(failure)).toContain(
			`The service answered with ${what}\nCheck the base URL`,
		);
		expect(describeError(failure)).toContain('(HTTP 200)');
		expect(describeError(failure)).not.toContain(MAY_HAVE);
		expect(describeError(failure, write)).toContain(MAY_HAVE);
	});
});

describe('what the service says', () => {
	it.each([undefined, null, {}, { detail: '' }, { detail: null }, [], 'text', 5])(
		'is no reason in %j',
		(body) => {
			expect(describeError(status(404, body))).toContain(NO_REASON);
		},
	);

	it('may be under other names than the reference has', () => {
		const said = describeError(status(404, { message: 'Nobody', secret: 'hidden' }));
		expect(said).toContain('The service says: "{"message":"Nobody"}"');
	});

	it('is shown as JSON when it is not text', () => {
		const errors = [{ loc: ['body', 'phone'], msg: 'field required' }];
		expect(describeError(status(422, detail(errors)))).toContain(JSON.stringify(errors));
	});

	it('never shows the secret of a subscription', () => {
		const subscription = { url: 'https://a.example', secret: 'whsec_1' };
		const text = describeError(status(409, detail({ existing: [subscription] })));
		expect(text).toContain('{"existing":[{"url":"https://a.example"}]}');
	});

	it('is shown whole up to 1,000 characters, and cut with a note beyond', () => {
		expect(describeError(status(500, detail('x'.repeat(1_000))))).toContain(
			`"${'x'.repeat(1_000)}"`,
		);
		const long = describeError(status(500, detail('x'.repeat(1_234))));
		expect(long).toContain(`"${'x'.repeat(1_000)}… (234 more characters)"`);
	});
});

describe('whether a request may have taken effect', () => {
	it('is said of a request that could do harm, when its end is unclear, and of no other', () => {
		const unclear = [408, 500, 503, 504].map((code) => status(code));
		const unclearKinds = others.filter(({ kind }) => !withoutEffect.includes(kind));
		const clear = [301, 400, 401, 402, 403, 404, 409, 422, 429].map((code) => status(code));
		const clearKinds = others.filter((failure) => !unclearKinds.includes(failure));

		for (const failure of [...unclear, status(502), ...unclearKinds]) {
			expect(toCrmError(write, failure, BASE_URL).mayHaveHappened).toBe(true);
			expect(toCrmError(read, failure, BASE_URL).mayHaveHappened).toBe(false);
		}
		for (const failure of [...clear, ...clearKinds]) {
			expect(toCrmError(write, failure, BASE_URL).mayHaveHappened).toBe(false);
			expect(toCrmError(send, failure, BASE_URL).mayHaveHappened).toBe(false);
		}
		for (const failure of [...unclear, ...unclearKinds]) {
			expect(toCrmError(send, failure, BASE_URL).mayHaveHappened).toBe(true);
		}
	});

	it('is said in the text exactly when it is so', () => {
		fc.assert(
			fc.property(anyFailure, anyRequest, (failure, request) => {
				const error = toCrmError(request, failure, BASE_URL);
				const told = error.message.startsWith('It is not known whether');
				const isAdvised = error.description.includes(MAY_HAVE);
				expect([told, isAdvised]).toEqual(Array(2).fill(error.mayHaveHappened));
				if (error.mayHaveHappened)
					expect(error.description).not.toMatch(/^Try again in|\. Try again/);
			}),
			{ numRuns: 200 },
		);
	});

	it('is certain when the messaging platform rejects a message: it was not sent', () => {
		const error = toCrmError(send, status(502, detail('(#131026) Undeliverable')), BASE_URL);
		expect(error.message).toContain('messaging platform rejected');
		expect(error.description).toContain('not sent');
		expect(error.description).toContain('(#131026) Undeliverable');
		expect(error.description).not.toContain(MAY_HAVE);
		expect(error.mayHaveHappened).toBe(false);
	});

	it.each([
		['a 502 of a gateway, which gives no detail', status(502)],
		['a 502 of a gateway that answers in JSON', status(502, { message: 'Bad gateway' })],
		['a 502 whose detail is no text', status(502, detail({ code: 1 }))],
		['a 503 with a detail', status(503, detail('Busy'))],
		['a 500 with a detail', status(500, detail('Oops'))],
	])('is unclear for a message after %s', (_case, failure) => {
		const error = toCrmError(send, failure, BASE_URL);
		expect(error.message).not.toContain('messaging platform');
		expect(error.mayHaveHappened).toBe(true);
	});

	it('is unclear after a 502 with a detail for what sends no message', () => {
		expect(toCrmError(write, status(502, detail('x')), BASE_URL).mayHaveHappened).toBe(true);
	});
});

describe('a refused body that is our assumption', () => {
	const fields = readBodyFields({});
	const assumed = { sent: ['contact_id', 'template'], roles: sendRoles(fields), areChosen: false };
	const request = { ...send, assumed };
	const told = (body: unknown, more: object = {}, code = 422) =>
		toCrmError({ ...send, assumed: { ...assumed, ...more } }, status(code, body), BASE_URL)
			.description;
	const chosen = (credential: object) => {
		const names = readBodyFields({ otherFieldNames: true, ...credential });
		return { roles: sendRoles(names), areChosen: true };
	};

	it('names the fields that were sent, but never their values, where the service names none', () => {
		const description = told(detail('Unprocessable'));
		expect(description).toContain('the fields: contact_id, template.');
		expect(description).toContain("under 'Other Field Names'");
		expect(description).toContain("in 'Body' under 'Options'");
		expect(told(undefined, { sent: [] })).toContain('The node sent it without fields.');
	});

	it.each([
		[
			'field required: template_name',
			"The service expects 'template_name'. In the credential, turn on 'Other Field Names', and set 'Template Field' to \"template_name\".",
		],
		[
			'TemplateName is required',
			"The service expects 'TemplateName'. In the credential, turn on 'Other Field Names', and set 'Template Field' to \"template_name\".",
		],
		[
			'missing field `to`',
			"The service expects 'to'. In the credential, turn on 'Other Field Names', and set 'Contact Field' to \"to\".",
		],
		[
			'missing field `template_params`',
			"The service expects 'template_params'. In the credential, turn on 'Other Field Names', and set 'Variables Field' to \"template_params\".",
		],
		[
			'missing field `channel`',
			"The service expects 'channel'. Its name does not tell what it stands for. If a setting under 'Other Field Names' in the credential stands for it, enter it there. Otherwise add it in 'Body' under 'Options'.",
		],
		[
			'unknown field `contact_id`',
			"The service does not know 'contact_id'. In the credential, turn on 'Other Field Names', and set 'Contact Field' to the name that it expects.",
		],
		[
			'unknown field `contact_id`, expected one of `profile`, `template`',
			"The service expects 'profile'. In the credential, turn on 'Other Field Names', and set 'Contact Field' to \"profile\".",
		],
		[
			"field 'variables' must be an array",
			"The service expects a list of values in 'variables'. In the credential, turn on 'Other Field Names', and set 'Variables As' to 'List of Values'.",
		],
		[
			"field 'template' must be an object",
			"The service expects an object in 'template'. In the credential, turn on 'Other Field Names', and set 'Template Field' to \"template.name\".",
		],
		[
			"field 'contact_id' must be a phone number",
			"The service expects a phone number in 'contact_id'. In the credential, turn on 'Other Field Names', and set 'Contact As' to 'Phone Number'.",
		],
	])('%s: says which setting cures it', (said, expected) => {
		expect(told(detail(said))).toBe(
			`${expected} The service says: "${said.replaceAll('`', "'")}" (HTTP 422)`,
		);
		expect(told(detail(said), {}, 400)).toContain(expected);
	});

	it('goes from a list of values to one of names and values, and back', () => {
		const said = (credential: object, text: string) => told(detail(text), chosen(credential));
		expect(said({ variablesAs: 'list' }, "'variables.0' must be an object")).toContain(
			"set 'Variables As' to 'List of Names and Values'.",
		);
		expect(said({ variablesAs: 'pairs' }, "'variables.0' must be a string")).toContain(
			"set 'Variables As' to 'List of Values'.",
		);
		expect(said({ contactAs: 'phone' }, "'contact_id' must be a UUID")).toContain(
			"set 'Contact As' to 'ID'.",
		);
	});

	// What is wrong with a value, no setting cures; a wrong setting would do harm.
	it.each<[string, unknown]>([
		[
			'a text too long',
			detail([
				{
					type: 'string_too_long',
					loc: ['body', 'variables', '1'],
					msg: 'String should have at most 60 characters',
				},
			]),
		],
		[
			'a number for a text',
			detail([
				{
					type: 'string_type',
					loc: ['body', 'variables', '1'],
					msg: 'Input should be a valid string',
				},
			]),
		],
		['a number for a text, by Ajv', { message: 'body/variables/2 must be string' }],
		[
			'a variable that is missing',
			detail([{ type: 'missing', loc: ['body', 'variables', '2'], msg: 'Field required' }]),
		],
		['a variable that is blank', { errors: { 'variables.2': ["can't be blank"] } }],
		['variables that lack one', { errors: { variables: ['Missing value for variable 2'] } }],
		['all placeholders', { errors: { variables: ['all placeholders are mandatory'] } }],
		[
			'a template in another language',
			{ errors: { template: ['is not supported in this language'] } },
		],
		['a template at night', { errors: { template: ['sending is forbidden at night'] } }],
		['a template that nobody knows', detail("Unknown template 'x'")],
		['a template that is paused', detail('Invalid parameter: template is paused')],
		['a template that is not there', { template: ['Object with name=x does not exist.'] }],
		[
			'a contact that may not get it',
			{ errors: { contact_id: ['is not allowed to receive marketing messages'] } },
		],
		['a contact without a phone', { errors: { contact_id: ['Contact has no phone number'] } }],
		['a contact that is not there', { contact_id: ['Invalid pk "3" - object does not exist.'] }],
		['a variable by its name', detail('Missing variable: first_name')],
		['a variable in quotes', detail("variable 'name' is missing")],
		['a variable called as a field', detail("Variable 'to' is required by this template")],
		['a phone that is needed', detail('A valid phone number is required')],
		['an approval', detail('Template approval is required')],
		['a language', detail('Template language is required')],
		['a picture', detail('Template header image is required')],
		[
			'a list of placeholders',
			{ errors: { variables: ['does not match the list of placeholders'] } },
		],
		[
			'a code of a messaging platform',
			{
				error: {
					message: '(#131008) Required parameter is missing',
					type: 'OAuthException',
					code: 131008,
					error_data: { messaging_product: 'whatsapp', details: 'Required parameter is missing' },
				},
			},
		],
		[
			'an undeliverable number',
			{
				code: 21604,
				message: "A 'To' phone number is required.",
				more_info: 'https://example.com',
				status: 400,
			},
		],
		['a hint', { message: 'No', hint: 'missing permission' }],
		['the whole body', { errors: { dto: ['The dto field is required.'], $: ['Invalid JSON'] } }],
	])('names no setting for what is wrong with a value: %s', (_case, body) => {
		expect(told(body, { sent: ['contact_id', 'template', 'variables'] })).not.toContain(
			'In the credential, ',
		);
	});

	it('takes the sender, or the language, for no contact', () => {
		for (const field of [
			'phone_number_id',
			'from_phone',
			'contact_locale',
			'template_language',
			'template.language',
		]) {
			const description = told(detail(`missing field \`${field}\``));
			expect(description).not.toContain('In the credential, ');
			expect(description).toContain(`The service expects '${field}'.`);
		}
		expect(told(detail('missing field `user_id`'))).toContain(
			"If it is the one that 'Contact Field' stands for:",
		);
	});

	it('never says to set what is set already', () => {
		const phone = chosen({ contactAs: 'phone' });
		expect(told(detail("'contact_id' must be a valid phone number"), phone)).not.toContain(
			" As' to",
		);
		expect(
			told(detail("'variables' must be an array"), chosen({ variablesAs: 'pairs' })),
		).not.toContain(" As' to");
	});

	it('says of variables that were not given that they were not sent', () => {
		expect(told(detail('field required: variables'))).toContain(
			"The service expects 'variables'. It was not sent, because it has no value.",
		);
	});

	it('names no setting where the user has replaced the body', () => {
		const description = told(detail('field required: template_name'), { roles: [], sent: ['x'] });
		expect(description).toContain(
			"The service expects 'template_name'. Add it in 'Body' under 'Options'.",
		);
	});

	it('names only the contact of an enrolment', () => {
		const { enroll } = readBodyFields({});
		const roles = enrollRoles({ ...readBodyFields({}), enroll });
		expect(told(detail('missing field `template`'), { roles, sent: ['contact_id'] })).not.toContain(
			'Template Field',
		);
	});

	it('turns on the switch once, and only while it is off', () => {
		const body = detail([
			{ loc: ['body', 'to'], msg: 'Field required', type: 'missing' },
			{ loc: ['body', 'hsm'], msg: 'Field required', type: 'missing' },
		]);
		expect(told(body)).toContain(
			"The service expects 'to'. In the credential, turn on 'Other Field Names', and set 'Contact Field' to \"to\". The service expects 'hsm'. In the credential, set 'Template Field' to \"hsm\".",
		);
		expect(told(body, chosen({}))).not.toContain('turn on');
	});

	it('tries another spelling for a name of a program that was not right', () => {
		const body = detail('TemplateName is required');
		expect(told(body, chosen({ templateField: 'template_name' }))).toContain('to "templateName".');
	});

	it('says what to remove from a body of the user', () => {
		expect(told(detail('unknown field `note`'), { sent: ['contact_id', 'note'] })).toContain(
			"The service does not know 'note'. Remove it in 'Body' under 'Options'.",
		);
	});

	it('is the only status, and the only body, of which that is said', () => {
		for (const code of [402, 404, 409, 429, 500, 502]) {
			expect(describeError(status(code), request)).not.toContain('contact_id');
		}
		expect(describeError(status(422), send)).not.toContain('The API reference');
	});
});

describe('a 429', () => {
	it.each([
		[0, '1 second,'],
		[1, '1 second,'],
		[1_000, '1 second,'],
		[1_001, '2 seconds,'],
		[119_000, '119 seconds,'],
		[120_000, '2 minutes,'],
		[121_000, '3 minutes,'],
	])('says how long to wait, rounded up: %i ms is %s', (retryAfterMs, shown) => {
		const error = toCrmError(read, status(429, undefined, retryAfterMs), BASE_URL);
		expect(error.description).toContain(`Wait ${shown} then run again.`);
		expect(error.retryAfterMs).toBe(retryAfterMs);
	});

	it.each([502, 503])('is the only status that is said to be about the limit, not %i', (code) => {
		const error = toCrmError(read, status(code, undefined, 5_000), BASE_URL);
		expect(`${error.message} ${error.description}`).not.toMatch(/limit|Wait/);
		expect(error.retryAfterMs).toBe(5_000);
	});

	it('says nothing of the kind when the service does not', () => {
		const error = toCrmError(read, status(429), BASE_URL);
		expect(error.description).not.toMatch(/^Wait/);
		expect(error.retryAfterMs).toBeUndefined();
	});
});

describe('an explanation', () => {
	it('is put in front, and the failure stays the same', () => {
		const error = toCrmError(write, status(503, detail('Busy'), 5_000), BASE_URL);
		const explained = error.withContext('Two of three tags were added.');
		expect(explained).toBeInstanceOf(CrmError);
		expect(explained.description).toBe(`Two of three tags were added. ${error.description}`);
		const { message, status: code, retryAfterMs, mayHaveHappened } = error;
		expect(explained).toMatchObject({ message, status: code, retryAfterMs, mayHaveHappened });
	});

	it('can be the headline, and then nothing that was said is lost', () => {
		const error = toCrmError(write, status(503, detail('Busy'), 5_000), BASE_URL);
		const headed = error.withMessage('Two of three tags were added');
		expect(headed.message).toBe('Two of three tags were added');
		expect(headed.description).toBe(`${error.message}. ${error.description}`);
		const { status: code, retryAfterMs, mayHaveHappened } = error;
		expect(headed).toMatchObject({ status: code, retryAfterMs, mayHaveHappened });
	});
});
