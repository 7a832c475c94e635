import type { INodeParameters } from 'n8n-workflow';

import { bomb, flood, MEGABYTE, type Answering } from '../support/hostileAnswers';
import type { FaultKind } from '../../tools/sandbox';
import { delay } from '../../tools/support/platform';
import { sendParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContact, chosen, contactId, patientRuntime, useSandbox } from './support';

const sandbox = useSandbox();

const get: INodeParameters = { resource: 'workspace', operation: 'get' };
const send = sendParameters(chosen('id', contactId));

async function errorOfSend(raw: Answering) {
	sandbox.reset();
	addContact(sandbox, { id: contactId });
	sandbox.fail({ kind: { raw }, times: 9 });
	const { runtime } = patientRuntime();
	const { error } = await runNode(sandbox, { parameters: send, runtime });
	const text = `${error?.message}. ${error?.description}`;
	return { text, tries: sandbox.requests.length };
}

const LARGE = /The service answered with more than 32 MB\. .*Check the base URL in the credential/s;

test.each(['gzip', 'br'] as const)(
	'a %s bomb ends the request, and the outcome is unknown',
	async (encoding) => {
		const { text, tries } = await errorOfSend(bomb(encoding));
		expect(text).toMatch(/^It is not known whether this message was sent\. The /);
		expect(text).toMatch(LARGE);
		expect(text).toContain('The request may have taken effect, so the node did not repeat it.');
		expect(tries).toBe(1);
	},
);

test.each(['402 Payment Required', '500 Internal Server Error'])(
	'reads at most 32 MB of a body of 150 MB: %s',
	async (status) => {
		const { sent, answer } = flood(status);
		const { text, tries } = await errorOfSend(answer);
		for (let waits = 0; !sent.isCut && waits < 100; waits += 1) await delay(20);
		expect(sent.isCut).toBe(true);
		// 32 MB, and what the system had already buffered.
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

test('accepts 32 MB, and not a byte more', async () => {
	const upTo = (bytes: number) => ({
		rewrite: (payload: string) => payload.padEnd(bytes, ' '),
	});
	expect(await nameOf(upTo(32 * MEGABYTE))).toBe('Harbour Coffee Roasters');
	expect(await nameOf(upTo(32 * MEGABYTE + 1))).toBe('The service answered with more than 32 MB');
});

test('reads an answer that arrives byte by byte, with a byte order mark', async () => {
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

test('an ID that no number can hold keeps all its digits', async () => {
	const rewrite = () => '{"id":12345678901234567,"name":98765432109876543}';
	expect(await nameOf({ rewrite })).toBe('98765432109876543');
});
