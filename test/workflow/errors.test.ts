import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startSandbox, type FaultKind } from '../../tools/sandbox';
import { contactParameters, sendParameters } from './parameters';
import { runNode, type NodeResult } from '../../tools/engine/runNode';
import { addContact, chosen, contactId, patientRuntime, useSandbox } from './support';

const contact = chosen('id', contactId);
const sandbox = useSandbox();

const getWorkspace: INodeParameters = { resource: 'workspace', operation: 'get' };
const getContact = contactParameters('get', contact);
const send = sendParameters(contact);

async function errorOf(parameters: INodeParameters, credential = {}) {
	const { runtime } = patientRuntime();
	return (await runNode(sandbox, { parameters, credential, runtime })).error;
}

describe('an error answer', () => {
	test.each([
		[400, 'The service refused the request with status 400'],
		[410, 'The service refused the request with status 410'],
		[418, 'The service refused the request with status 418'],
		[500, 'The CRM is having problems right now'],
		[502, 'The CRM is having problems right now'],
		[504, 'The CRM is having problems right now'],
	])('%d has its own title, and the detail', async (status, title) => {
		sandbox.fail({ times: Infinity, kind: { status, detail: 'because of this' } });
		const error = await errorOf(getWorkspace);
		expect(error).toMatchObject({ name: 'NodeApiError', message: title, httpCode: `${status}` });
		expect(error?.description).toMatch(
			new RegExp(`\\. The service says: "because of this" \\(HTTP ${status}\\)$`),
		);
	});

	test.each([
		[401, { cause: 'credential-invalid' }],
		[429, { cause: 'rate-limited', retryAfterMs: 900_000 }],
		[500, { cause: 'temporarily-unavailable' }],
		[502, undefined],
		[404, undefined],
	])('%d gives n8n the cause if the answer proves it', async (status, failure) => {
		sandbox.fail({ times: Infinity, kind: { status, headers: { 'retry-after': '900' } } });
		expect(await errorOf(getWorkspace)).toMatchObject({ failure });
	});

	test.each<[string, FaultKind]>([
		['502 of a gateway', { html: true, status: 502 }],
		['502 of a gateway that answers in JSON', { status: 502, body: '{"message":"Bad gateway"}' }],
		['502 whose detail is no text', { status: 502, body: '{"detail":{"code":1}}' }],
		['503 with a detail', { status: 503, detail: 'Busy' }],
	])('%s is not a rejection by the messaging platform', async (_name, kind) => {
		sandbox.fail({ kind });
		const error = await errorOf(send);
		expect(error?.message).toBe('It is not known whether this message was sent');
		expect(error?.description).toContain('may have taken effect');
	});

	test('without detail shows the body', async () => {
		sandbox.fail({ kind: { status: 404, body: '{"message":"Nobody"}' } });
		const error = await errorOf(getWorkspace);
		expect(error?.message).toBe(
			'The record does not exist in this workspace: {"message":"Nobody"}',
		);
	});

	test.each([
		['no detail', { status: 418, body: '{}' }],
		['no body', { status: 418, body: '' }],
		['an empty detail', { status: 418, detail: '' }],
	] as Array<[string, FaultKind]>)(
		'with %s says that the service gave no reason',
		async (_case, kind) => {
			sandbox.fail({ kind });
			const error = await errorOf(getWorkspace);
			expect(error?.description).toMatch(/\. The service gave no reason\. \(HTTP 418\)$/);
		},
	);

	test('with a detail that is not text shows it as JSON', async () => {
		const detail = [{ loc: ['body', 'phone'], msg: 'field required' }];
		sandbox.fail({ kind: { status: 422, body: JSON.stringify({ detail }) } });
		const error = await errorOf(getWorkspace);
		const text = JSON.stringify(detail);
		expect(error?.message).toBe(`The service did not accept the data: ${text}`);
	});

	test.each([
		[80, `: ${'x'.repeat(80)}`],
		[81, ''],
	])('shows a detail of %i characters in the title only if it is short', async (length, reason) => {
		sandbox.fail({ kind: { status: 422, detail: 'x'.repeat(length) } });
		const error = await errorOf(getWorkspace);
		expect(error?.message).toBe(`The service did not accept the data${reason}`);
		const said = `The service says: "${'x'.repeat(length)}"`;
		expect(error?.description?.includes(said)).toBe(reason === '');
	});

	test('cuts a very long detail, and says how much is left', async () => {
		sandbox.fail({ kind: { status: 422, detail: 'x'.repeat(50_000) } });
		const error = await errorOf(getWorkspace);
		expect(error?.message).toBe('The service did not accept the data');
		expect(error?.description).toContain(`"${'x'.repeat(1_000)}… (49000 more characters)"`);
		expect(error?.description?.length).toBeLessThan(1_200);
	});

	test.each([301, 302, 303, 307, 308])('a redirect (%d) is not followed', async (status) => {
		const other = await startSandbox();
		try {
			sandbox.fail({
				kind: { status, headers: { location: `${other.url}/v1/workspace` } },
			});
			expect(await errorOf(getWorkspace)).toMatchObject({
				message: 'The service answered with a redirect, which was not followed',
				description: expect.stringMatching(/^The API key must not reach another address\./),
				httpCode: String(status),
			});
			expect(other.requests).toEqual([]);
			expect(sandbox.requests).toHaveLength(1);
		} finally {
			await other.close();
		}
	});
});

describe('an answer that cannot be read', () => {
	test.each([
		['an empty answer', ''],
		['a text', '"ok"'],
		['null', 'null'],
		['a list', '[]'],
	])('%s where a record is due', async (_case, body) => {
		addContact(sandbox, { id: contactId });
		sandbox.fail({ kind: { status: 200, body } });
		expect(await errorOf(getContact)).toMatchObject({
			message: 'The service answered without a record',
			description: `GET /v1/contacts/${contactId} should return an object. Try again in a few minutes.`,
		});
	});

	test.each([
		['an empty answer', ''],
		['a record that has a list', '{ "id": "1", "tags": ["a"] }'],
		['two lists', '{ "a": [], "b": [] }'],
		['a list in an object', '{ "data": { "items": [] } }'],
	])('%s where a list is due', async (_case, body) => {
		sandbox.fail({ kind: { status: 200, body } });
		const error = await errorOf({ resource: 'tag', operation: 'getAll' });
		expect(error?.message).toBe('The service answered without a list');
	});
});

describe('a node that continues on errors shows in a hint', () => {
	const parameters = contactParameters('get', chosen('id', '={{ $json.id }}'));
	const isBad = (id: string, label = '') => `"${id}" is not a contact ID${label}`;
	const continuing = ['continueRegularOutput', 'continueErrorOutput'] as const;
	const failuresOf = ({ json, failed }: NodeResult) =>
		[...json, ...failed].filter(({ error }) => error !== undefined);
	const reasonOf = ({ error, errorDetails }: IDataObject) => {
		const { description } = errorDetails as IDataObject;
		expect(description).toMatch(/^[A-Z].+\.$/);
		return `${String(error)}. ${String(description)}`;
	};
	beforeEach(() => addContact(sandbox, { id: contactId }));

	const good = { id: contactId };
	test.each([
		[
			[good, { id: 'x', Name: 'Anna' }, good, { id: 'y' }],
			[isBad('x', ' [item 2, Anna]'), isBad('y', ' [item 4]')],
			'2 of 4 items failed. The first:',
		],
		[[good, { id: 'y' }], [isBad('y', ' [item 2]')], '1 of 2 items failed.'],
		[[{ id: 'x', name: 'Anna' }], [isBad('x')], 'The item failed.'],
	])('how many items failed, and why the first did: %j', async (items, errors, count) => {
		for (const onError of continuing) {
			const result = await runNode(sandbox, { parameters, items: items as IDataObject[], onError });
			const failures = failuresOf(result);
			expect(failures.map(({ error }) => error)).toEqual(errors);
			expect(result.run.data.resultData.runData.CRM[0].hints).toEqual([
				{
					message: `${count} ${reasonOf(failures[0])}`,
					type: 'warning',
					location: 'outputPane',
				},
			]);
		}
	});

	test('nothing if all items succeeded', async () => {
		const items = [{ id: contactId }, { id: contactId }];
		const { hints, json } = await runNode(sandbox, { parameters, items, onError: continuing[1] });
		expect(json).toHaveLength(2);
		expect(hints).toEqual([]);
	});

	test('nothing if the run stopped, as the error says it', async () => {
		const items = [{ id: contactId }, { id: 'x' }];
		const { hints, error } = await runNode(sandbox, { parameters, items });
		expect(error?.message).toBe(isBad('x', ' [item 2]'));
		expect(hints).toEqual([]);
	});
});
