import type { INodeParameters } from 'n8n-workflow';

import { bomb, drip, flood, MEGABYTE, tooLarge, type Answering } from '../support/hostileAnswers';
import { createRuntime } from '../../nodes/WorkspaceCrm/api/runtime';
import type { FaultKind } from '../sandbox';
import { delay } from '../support/platform';
import { sendParameters } from './parameters';
import { runNode } from './runNode';
import { addContact, chosen, contactId, jumpingClock, useSandbox } from './support';

const sandbox = useSandbox();

const get: INodeParameters = { resource: 'workspace', operation: 'get' };
const send = sendParameters(chosen('id', contactId));

async function errorOf(parameters: INodeParameters, raw: Answering, limitMs?: number) {
	sandbox.reset();
	addContact(sandbox, { id: contactId });
	sandbox.fail({ kind: { raw }, times: 9 });
	const clock = { ...jumpingClock(), signalAfter: () => AbortSignal.timeout(limitMs ?? 20_000) };
	const { error } = await runNode(sandbox, { parameters, runtime: createRuntime(clock) });
	const text = `${error?.message}. ${error?.description}`;
	return { text, tries: sandbox.requests.length };
}

const LARGE = /The service answered with more than 32 MB\. Check the base URL in the credential/;

test.each(['gzip', 'br'] as const)(
	'a %s bomb ends a request that may have taken effect, in words of its own',
	async (encoding) => {
		const { text, tries } = await errorOf(send, bomb(encoding));
		expect(text).toMatch(/^It is not known whether this message was sent\. The /);
		expect(text).toMatch(LARGE);
		expect(text).toContain('The request may have taken effect, so the node did not repeat it.');
		expect(tries).toBe(1);
	},
);

test('a read that gets 33 MB is not repeated', async () => {
	const { text, tries } = await errorOf(get, tooLarge);
	expect(text).toMatch(LARGE);
	expect(text).not.toContain('may have taken effect');
	expect(tries).toBe(1);
});

test('a body that drips has no more time than the whole request', async () => {
	const { text } = await errorOf(send, drip, 500);
	expect(text).toMatch(/did not answer in time.*No complete answer came within a minute/);
	expect(text).toContain('may have taken effect');
});

test.each(['402 Payment Required', '500 Internal Server Error'])(
	'of a body of 150 MB no more is taken than 32 MB: %s',
	async (status) => {
		const { sent, answer } = flood(status);
		const { text, tries } = await errorOf(send, answer);
		for (let waits = 0; !sent.isCut && waits < 100; waits += 1) await delay(20);
		expect(sent.isCut).toBe(true);
		// What the system had taken to be sent is on top.
		expect(sent.bytes).toBeLessThan(60 * MEGABYTE);
		expect(text.includes('may have taken effect')).toBe(!status.startsWith('4'));
		expect(text).toContain(`(HTTP ${status.slice(0, 3)})`);
		expect(tries).toBe(1);
	},
);

const nameOf = async (kind: FaultKind) => {
	sandbox.fail({ kind });
	const { json, error } = await runNode(sandbox, { parameters: get });
	return error?.message ?? json[0].name;
};

test('an answer of 32 MB is taken, and not a byte more', async () => {
	const upTo = (bytes: number) => ({
		rewrite: (payload: string) => payload.padEnd(bytes, ' '),
	});
	expect(await nameOf(upTo(32 * MEGABYTE))).toBe('Harbour Coffee Roasters');
	expect(await nameOf(upTo(32 * MEGABYTE + 1))).toBe('The service answered with more than 32 MB');
});

test('an answer may come byte by byte, and begin with a byte order mark', async () => {
	const body = Buffer.from('\ufeff{"name":"Zoë 🎉 東京"}');
	const raw: Answering = async (socket) => {
		socket.setNoDelay(true);
		socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`);
		for (const byte of body) {
			socket.write(Buffer.of(byte));
			await delay(1);
		}
	};
	expect(await nameOf({ raw })).toBe('Zoë 🎉 東京');
});
