import type { IHttpRequestOptions, INodeParameters } from 'n8n-workflow';

import { WorkspaceCrmApi } from '../../credentials/WorkspaceCrmApi.credentials';
import { statusFailure } from '../../nodes/WorkspaceCrm/crm/failure';
import type { Field } from '../../nodes/WorkspaceCrm/operations/fieldKinds';
import { runNode } from '../../tools/engine/runNode';
import { operations } from '../support/operations';
import { sentLines, useSandbox } from './support';

const sandbox = useSandbox();
const getWorkspace: INodeParameters = { resource: 'workspace', operation: 'get' };

async function runWith(credential: Record<string, unknown>) {
	return await runNode(sandbox, { parameters: getWorkspace, credential: credential as never });
}

test.each([
	['bearer', { authorization: 'Bearer sandbox-key', 'x-api-key': undefined }],
	['xApiKey', { authorization: undefined, 'x-api-key': 'sandbox-key' }],
])('sends the key only as chosen: %s', async (authHeader, expected) => {
	const { error } = await runWith({ authHeader });
	expect(error).toBeUndefined();
	const { authorization, 'x-api-key': xApiKey } = sandbox.requests[0].headers;
	expect({ authorization, 'x-api-key': xApiKey }).toEqual(expected);
	expect(sandbox.requests[0].query).toEqual({});
});

test('a path in the base URL precedes the path of the API', async () => {
	const { error } = await runWith({ baseUrl: `${sandbox.url}/crm/v1/` });
	expect(error?.httpCode).toBe('404');
	expect(sentLines(sandbox)).toEqual(['GET /crm/v1/workspace']);
});

test('the editor shows dots in place of the key', () => {
	const { properties } = new WorkspaceCrmApi();
	const hidden = properties.filter(({ typeOptions }) => typeOptions?.password === true);
	expect(hidden).toMatchObject([{ name: 'apiKey', required: true }]);
});

test("n8n's test of the credential says what a run would say", () => {
	const { rules = [] } = new WorkspaceCrmApi().test;
	const texts = rules.flatMap(({ type, properties }) =>
		type === 'responseCode' ? [[Number(properties.value), properties.message] as const] : [],
	);
	const redirects = [301, 302, 303, 307, 308];
	const others = [401, 402, 404, 429, 500, 502, 503, 504];
	expect(texts.map(([status]) => status)).toEqual([...redirects, ...others]);
	for (const [status, text] of texts) {
		const { title } = status === 404 ? { title: 'The API was not found' } : statusFailure(status);
		expect(text).toMatch(new RegExp(`^${title}.* .+\\.$`));
	}
});

/** `unit/crm/authentication` tests all other requests. */
describe('for any request that n8n makes', () => {
	const { authenticate } = new WorkspaceCrmApi();
	const credential = { baseUrl: 'https://crm.example.com/v1', apiKey: 'secret' };

	async function authenticated(options: object, more = {}) {
		if (typeof authenticate !== 'function') throw new Error('expected a function');
		return await authenticate({ ...credential, ...more }, options as IHttpRequestOptions);
	}

	// n8n shows nothing but the message.
	test.each([
		[
			'another host',
			{ uri: 'https://evil.example.com/v1' },
			{},
			'The API key is only sent to https://crm.example.com, the base URL in the credential, not to https://evil.example.com/v1. Check the URL of the request.',
		],
		[
			'http to a public host',
			{ uri: 'http://crm.example.com/v1' },
			{ baseUrl: 'http://crm.example.com' },
			'The base URL starts with http://, so the API key would be sent over the internet unencrypted. In the credential, use https://. Plain http is accepted only for addresses on this machine or its own network.',
		],
		[
			'a base URL that is none',
			{ url: '/v1/workspace', baseURL: 'a b' },
			{ baseUrl: 'a b' },
			'The base URL is not a web address. In the credential, enter the address of the service, e.g. https://crm.example.com',
		],
	])('refuses %s, with what to do', async (_what, options, more, message) => {
		await expect(authenticated(options, more)).rejects.toThrow(new Error(message));
	});
});

test.each([
	[
		'a base URL that is no address',
		{ baseUrl: 'crm.example.com' },
		'The base URL is not a web address',
	],
	[
		'a base URL on the internet without https',
		{ baseUrl: 'http://example.com' },
		'The base URL starts with http://',
	],
	['a key that cannot be sent', { apiKey: 'key\u2013x' }, 'The API key contains a character'],
])('%s fails every item', async (_case, credential, message) => {
	const items = [{ name: 'Anna' }, { name: 'Ben' }, { name: 'Cem' }];
	const isNeeded = ({ type, required }: Field) => type !== 'resourceMapper' && required;
	const uses: Array<{ resource: string; operation: string }> = [
		{ resource: 'workspace', operation: 'get' },
		...operations
			.filter(({ takes, fields }) => takes === 'all' && !fields.some(isNeeded))
			.slice(0, 1),
		{ resource: 'nothing', operation: 'get' },
	];
	for (const { resource, operation } of uses) {
		const parameters = { resource, operation };
		const run = await runNode(sandbox, {
			parameters,
			items,
			credential,
			onError: 'continueErrorOutput',
		});
		expect(run.json).toEqual([]);
		expect(run.failed).toHaveLength(3);
		if (parameters.resource !== 'nothing') {
			for (const { error } of run.failed) expect(String(error)).toContain(message);
		}
		expect(run.hints[0]).toContain('3 of 3 items failed.');
		const stopped = await runNode(sandbox, { parameters, items, credential });
		expect(stopped.error?.message).toBeTruthy();
	}
	expect(sandbox.requests).toEqual([]);
});
