import type { INode } from 'n8n-workflow';

import type { Fault } from '../sandbox';
import { runNode } from './runNode';
import { addContact, chosen, contactId, patientRuntime, textsIn, useSandbox } from './support';

const apiKey = 'key-that-must-stay-secret';
const sandbox = useSandbox({ apiKey });

const echo = `the key ${apiKey} of Bearer ${apiKey}`;
const faults: Array<[name: string, fault: Fault | undefined]> = [
	['an answer', undefined],
	['an answer that echoes it', { kind: { status: 200, body: JSON.stringify({ id: 1, echo }) } }],
	...[400, 401, 402, 403, 404, 409, 418, 422, 500, 502, 503].map((status): [string, Fault] => [
		`${status} that echoes it`,
		{ times: 9, kind: { status, detail: echo } },
	]),
	['429', { times: 99, kind: { status: 429, detail: echo, headers: { 'retry-after': '999' } } }],
	['a page that echoes it', { kind: { status: 200, body: `<html>${echo}</html>` } }],
	['text that echoes it', { kind: { status: 200, body: echo } }],
	['a redirect', { kind: { status: 302, headers: { location: `http://127.0.0.1:1/${apiKey}` } } }],
	['a broken connection', { times: 9, kind: { drop: 'beforeEffect' } }],
	['a truncated answer', { kind: { truncated: true } }],
];
const modes: Array<INode['onError']> = [
	'stopWorkflow',
	'continueRegularOutput',
	'continueErrorOutput',
];

describe.each(['bearer', 'xApiKey'])(
	'the key sent as %s is nowhere in the execution',
	(authHeader) => {
		describe.each(modes)('with %s', (onError) => {
			test.each(faults)('after %s', async (_name, fault) => {
				addContact(sandbox, { id: contactId });
				if (fault) sandbox.fail(fault);
				const { runtime } = patientRuntime();
				const result = await runNode(sandbox, {
					parameters: {
						resource: 'contact',
						operation: 'get',
						contactId: chosen('id', contactId),
					},
					credential: { authHeader },
					onError,
					runtime,
				});
				expect(sandbox.requests.length).toBeGreaterThan(0);
				expect(JSON.stringify(result)).not.toContain(apiKey);
				expect(textsIn(result).filter((text) => text.includes(apiKey))).toEqual([]);
				const cause = result.error?.cause;
				expect(textsIn([cause, result.error?.context]).join()).not.toContain(apiKey);
			});
		});
	},
);

test('a service that cannot be reached does not give the key away', async () => {
	const { runtime } = patientRuntime();
	const result = await runNode(sandbox, {
		parameters: { resource: 'workspace', operation: 'get' },
		credential: { baseUrl: 'http://127.0.0.1:1' },
		runtime,
	});
	expect(result.error?.message).toBe('The service could not be reached [item 0]');
	expect(textsIn(result).filter((text) => text.includes(apiKey))).toEqual([]);
});

test('a key that the service echoes is shown as what it is', async () => {
	sandbox.fail({ kind: { status: 422, detail: echo } });
	const { error } = await runNode(sandbox, {
		parameters: { resource: 'workspace', operation: 'get' },
	});
	expect(error?.description).toContain('"the key (the API key) of Bearer (the API key)"');
});
