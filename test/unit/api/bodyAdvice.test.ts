import { enrollRoles, sendRoles } from '../../../nodes/WorkspaceCrm/api/bodyRoles';
import { readBodyFields } from '../../../nodes/WorkspaceCrm/api/bodyFields';
import { toCrmError, type FailedRequest } from '../../../nodes/WorkspaceCrm/api/errors';
import type { Failure } from '../../../nodes/WorkspaceCrm/api/retry';

const BASE_URL = 'https://crm.example.com';
const send: FailedRequest = { repeatable: false, sendsMessage: true };

const status = (code: number, body?: unknown): Failure => ({ kind: 'status', status: code, body });
const detail = (text: unknown) => ({ detail: text });

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
			expect(toCrmError(request, status(code), BASE_URL).description).not.toContain('contact_id');
		}
		expect(toCrmError(send, status(422), BASE_URL).description).not.toContain('The API reference');
	});
});
