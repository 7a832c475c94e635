import type { INodeParameters } from 'n8n-workflow';

import { createRuntime } from '../../nodes/WorkspaceCrm/crm/connection';
import { startSandbox, type Contact, type FaultKind, type Sandbox } from '../../tools/sandbox';
import { contactParameters, sendParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContact, addContacts, chosen, contactId, jumpingClock, useSandbox } from './support';

/**
 * How often a request is sent, and how long the node waits before each try. `test/faults` tests what follows
 * for each operation; `connection.test.ts` tests how connections fail.
 */
const clock = jumpingClock();
const sandbox = useSandbox({ clock, limiter: { kind: 'off' } });
let contact: Contact;
beforeEach(() => {
	contact = addContact(sandbox, { id: contactId });
});

const byId = chosen('id', contactId);
const getWorkspace: INodeParameters = { resource: 'workspace', operation: 'get' };
const remove = contactParameters('delete', byId);
const update = contactParameters('update', byId, { updateFields: { name: 'New' } });
const send = sendParameters(byId);

const startMs = () => sandbox.requests[0].atMs;
/** When requests arrived, from the first on. */
const timesMs = () => sandbox.requests.map(({ atMs }) => atMs - startMs());

async function run(parameters: INodeParameters, random = 0) {
	const runtime = createRuntime({ ...clock, random: () => random });
	return await runNode(sandbox, { parameters, runtime });
}

/** It is clear what happened, or that nothing did: tried once. */
const clear = [400, 401, 404, 409, 418, 422].map((status): [string, FaultKind] => [
	`${status}`,
	{ status },
]);
/** It may have taken effect, and the trouble may be over at the next try. */
const unclear: Array<[string, FaultKind]> = [
	...[408, 500, 502, 503, 504].map((status): [string, FaultKind] => [
		`${status}`,
		{ status, body: '' },
	]),
	['a connection that breaks', { drop: 'beforeEffect' }],
];
/** It may have taken effect, and the next answer would be the same. */
const unreadable: Array<[string, FaultKind]> = [
	...[301, 303].map((status): [string, FaultKind] => [`${status}`, { status }]),
	['a web page', { html: true }],
	['text', { status: 200, body: 'OK' }],
	['half an answer', { status: 200, body: '{"id":' }],
];

describe.each([
	['what may be repeated', update, false],
	['what may not', send, true],
])('%s', (_use, parameters, isOnce) => {
	const triesOf = async (kind: FaultKind) => {
		sandbox.fail({ times: Infinity, kind });
		const { error } = await run(parameters);
		const isUnclear = /may have taken effect/.test(String(error?.description));
		// After a conflict, a message's contact is looked at.
		const [{ method }] = sandbox.requests;
		const tries = sandbox.requests.filter((each) => each.method === method);
		return { tries: tries.length, isUnclear };
	};

	test.each(clear)('is sent once, without effect, after %s', async (_name, kind) => {
		expect(await triesOf(kind)).toEqual({ tries: 1, isUnclear: false });
	});

	test.each(unclear)(
		'is sent three times, or once with an unknown outcome, after %s',
		async (_, kind) => {
			expect(await triesOf(kind)).toEqual({ tries: isOnce ? 1 : 3, isUnclear: true });
		},
	);

	test.each(unreadable)('is sent once after %s', async (_name, kind) => {
		expect(await triesOf(kind)).toEqual({ tries: 1, isUnclear: true });
	});

	test('is sent until the rate limit accepts it', async () => {
		sandbox.fail({ times: 4, kind: { status: 429, headers: { 'retry-after': '2' } } });
		const { error } = await run(parameters);
		expect(error).toBeUndefined();
		expect(timesMs()).toEqual([0, 2_000, 4_000, 6_000, 8_000]);
	});
});

describe('the wait after a 429', () => {
	const toDefault = (text: string): [string, number] => [text, 5_000];
	const refuse = (retryAfter: string, times = 1) =>
		sandbox.fail({ times, kind: { status: 429, headers: { 'retry-after': retryAfter } } });

	test.each<[string, number]>([
		['7', 7_000],
		['1.25', 1_250],
		['0', 1_000],
		['300', 300_000],
		// What is neither a number of seconds nor a date of HTTP counts as missing.
		...['soon', '-3', '60 seconds', 'in 5', '0x10', '1e3', 'Infinity', ''].map(toDefault),
		...['2026-01-02T03:04:35Z', 'Fri, 02 Jan 2026', 'Fri, 99 Foo 2026 03:04:35 GMT'].map(toDefault),
	])('is as long as Retry-After says, at least a second: %j', async (retryAfter, waitMs) => {
		refuse(retryAfter);
		const { json } = await run(getWorkspace);
		expect(json).toHaveLength(1);
		expect(timesMs()).toEqual([0, waitMs]);
	});

	const until = 'Fri, 02 Jan 2026 03:04:35 GMT';
	test.each<[string, string, string, number]>([
		['by the clock of the service', until, 'Fri, 02 Jan 2026 03:04:25 GMT', 10_000],
		['at least a second', until, 'Fri, 02 Jan 2026 03:04:35 GMT', 1_000],
		['in the past: a second', until, 'Fri, 02 Jan 2026 04:00:00 GMT', 1_000],
		['by our clock if the service shows none', until, 'today', 20_000],
	])('lasts until the date that Retry-After gives, %s', async (_, retryAfter, date, waitMs) => {
		const headers = { 'retry-after': retryAfter, date };
		sandbox.fail({ kind: { status: 429, headers } });
		const now = () => Date.parse(until) - 20_000;
		const runtime = createRuntime({ ...clock, random: () => 0, now });
		const { json } = await runNode(sandbox, { parameters: getWorkspace, runtime });
		expect(json).toHaveLength(1);
		expect(timesMs()).toEqual([0, waitMs]);
	});

	test('is five seconds without Retry-After, and five minutes in all', async () => {
		sandbox.fail({ times: Infinity, kind: { status: 429 } });
		const { error } = await run(send);
		expect(error?.httpCode).toBe('429');
		expect(timesMs()).toEqual(Array.from({ length: 61 }, (_, index) => index * 5_000));
	});

	test.each([
		['119', '119 seconds', [0, 119_000, 238_000]],
		['120', '2 minutes', [0, 120_000, 240_000]],
		['140', '3 minutes', [0, 140_000, 280_000]],
	])(
		'does not start if it would exceed five minutes in all: %s s',
		async (seconds, shown, expected) => {
			refuse(seconds, 9);
			const { error } = await run(getWorkspace);
			expect(error?.description).toMatch(new RegExp(`^Wait ${shown}, then run again\\.`));
			expect(timesMs()).toEqual(expected);
		},
	);

	test('of more than five minutes fails the next runs, too, without a request', async () => {
		refuse('301');
		const runtime = createRuntime(clock);
		for (let runs = 0; runs < 2; runs += 1) {
			const { error } = await runNode(sandbox, { parameters: getWorkspace, runtime });
			expect(error?.httpCode).toBe('429');
			expect(error?.description).toMatch(/^Wait 6 minutes, then run again\./);
		}
		expect(sandbox.requests).toHaveLength(1);
	});

	test('holds back all other items', async () => {
		const contacts = addContacts(sandbox, 12);
		sandbox.fail({ skip: 1, kind: { status: 429, headers: { 'retry-after': '40' } } });
		const { json } = await runNode(sandbox, {
			parameters: contactParameters('get', chosen('id', '={{ $json.id }}')),
			items: contacts.map(({ id }) => ({ id })),
			runtime: createRuntime(clock),
		});
		expect(json).toHaveLength(12);
		// The first goes alone, and then five at a time.
		const early = timesMs().filter((ms) => ms < 40_000);
		expect(early.length).toBeLessThanOrEqual(1 + 5);
		expect(sandbox.requests).toHaveLength(13);
	});

	test('does not count as a failed try', async () => {
		const failing = [429, 500, 429, 500, 429];
		for (const status of failing) sandbox.fail({ kind: { status } });
		expect((await run(getWorkspace)).json).toHaveLength(1);
		sandbox.reset();
		for (const status of [...failing, 500]) sandbox.fail({ kind: { status } });
		expect((await run(getWorkspace)).error?.httpCode).toBe('500');
		expect(sandbox.requests).toHaveLength(6);
	});
});

describe('the wait before another try', () => {
	test.each([
		[0, [0, 500, 1_500]],
		[0.5, [0, 750, 2_250]],
		[1 - Number.EPSILON, [0, 1_000, 3_000]],
	])('is up to one second, then up to two, at random: %d', async (random, expected) => {
		sandbox.fail({ times: Infinity, kind: { status: 500 } });
		await run(getWorkspace, random);
		expect(timesMs().map(Math.round)).toEqual(expected);
	});

	test.each([408, 500, 502, 503, 504])('is the same after each such status: %d', async (status) => {
		sandbox.fail({ times: Infinity, kind: { status } });
		await run(getWorkspace);
		expect(timesMs()).toEqual([0, 500, 1_500]);
	});

	test.each([
		['20', [0, 20_000]],
		['300', [0, 300_000]],
		['301', [0]],
	])('is as long as a 503 asks, up to five minutes: %s s', async (seconds, expected) => {
		sandbox.fail({ kind: { status: 503, headers: { 'retry-after': seconds } } });
		await run(getWorkspace);
		expect(timesMs()).toEqual(expected);
	});

	test.each([
		['back', -3_600_000],
		['forward', 3_600_000],
	])('is the same if the clock is set an hour %s during it', async (_, byMs) => {
		sandbox.fail({ kind: { status: 503, headers: { 'retry-after': '20' } } });
		const own = jumpingClock();
		const now = () => own.now() + (own.sleptMs() > 0 ? byMs : 0);
		const runtime = createRuntime({ ...own, now });
		const { error } = await runNode(sandbox, { parameters: getWorkspace, runtime });
		expect(error).toBeUndefined();
		expect(own.sleptMs()).toBe(20_000);
	});
});

test('a request may take a minute', async () => {
	const limitsMs: number[] = [];
	const signalAfter = (delayMs: number) => {
		limitsMs.push(delayMs);
		return AbortSignal.timeout(delayMs);
	};
	await runNode(sandbox, {
		parameters: getWorkspace,
		runtime: createRuntime({ ...clock, signalAfter }),
	});
	expect(limitsMs).toEqual([60_000]);
});

describe('a deletion', () => {
	test.each<[string, INodeParameters, object]>([
		['contact', remove, { deleted: true }],
		[
			'tag',
			{ resource: 'tag', operation: 'remove', contactId: byId, tags: 'vip' },
			{ contact_id: contactId, removed_tags: ['vip'] },
		],
	])('of a %s that is gone at the second try counts as deleted', async (...row) => {
		const [, parameters, expected] = row;
		contact.tags = ['vip'];
		sandbox.fail({ match: { method: 'DELETE' }, kind: { drop: 'afterEffect' } });
		expect((await run(parameters)).json).toEqual([expected]);
		const deletions = sandbox.requests.filter(({ method }) => method === 'DELETE');
		expect(deletions.map(({ status }) => status)).toEqual([0, 404]);
	});

	test('does not count if the first try was never sent', async () => {
		const stopped = await startSandbox();
		await stopped.close();
		let restarted: Sandbox | undefined;
		// The service starts again during the wait for the second try.
		const sleep = async (ms: number) => {
			restarted ??= await startSandbox({ port: Number(new URL(stopped.url).port) });
			await clock.sleep(ms);
		};
		const runtime = createRuntime({ ...clock, sleep });
		const { error } = await runNode(stopped, { parameters: remove, runtime });
		expect(error?.httpCode).toBe('404');
		expect(restarted?.requests).toHaveLength(1);
		await restarted?.close();
	});

	test.each([
		[update, [500, 404], '404'],
		[remove, [500, 410], '410'],
	])('does not count after any other refusal', async (parameters, statuses, expected) => {
		for (const status of statuses) sandbox.fail({ kind: { status } });
		expect((await run(parameters)).error?.httpCode).toBe(expected);
	});
});
