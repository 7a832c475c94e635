import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { signatureOf, type Sandbox } from '../sandbox';
import { delay, http, zlib } from '../support/platform';
import { deliver, eventBody } from './signedDelivery';
import { scaledClock } from './support';
import { PUBLIC_ORIGIN, TriggerHost, type TriggerHostOptions } from './triggerHost';
import { startTrigger, stopTriggers } from './triggerSetup';

afterEach(async () => await stopTriggers());

async function published(options: Partial<TriggerHostOptions> = {}) {
	const setup = await startTrigger(options);
	await setup.host.publish();
	return { ...setup, send: deliver.bind(undefined, setup) };
}

const subscriptionsOf = ({ store }: Sandbox) => [...store.subscriptions.values()];

const failureOf = async (promise: Promise<unknown>) =>
	await promise.then(
		() => undefined,
		(error: NodeApiError) => error,
	);

/** Lets every start wait until it is released, as a full house does. */
function holdStarts(host: TriggerHost) {
	const held: Array<{ start: () => void; fail: () => void }> = [];
	host.onStart = async () =>
		await new Promise((resolve, reject) =>
			held.push({ start: resolve, fail: () => reject(new Error('the database is down')) }),
		);
	return held;
}

/** The sender hangs up while n8n holds the start; on a busy machine that takes a while to come about. */
async function hangUpOnceHeld(
	held: unknown[],
	send: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
	const sender = new AbortController();
	const hungUp = expect(send(sender.signal)).rejects.toThrow('abort');
	await until(() => held.length > 0);
	sender.abort();
	await hungUp;
}

async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await delay(5);
}

describe('the secret', () => {
	test('counts whatever the address of n8n is at the moment', async () => {
		const { sandbox, host, origin } = await published();
		const [{ secret, url }] = subscriptionsOf(sandbox);
		host.options.publicOrigin = 'https://other.example.com';
		host.restart();
		const body = eventBody();
		const response = await fetch(`${origin}${new URL(url).pathname}`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'x-service-signature': signatureOf(body, secret),
			},
			body,
		});
		expect(response.status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	test.each([
		['no public address', undefined],
		['localhost', 'http://localhost:5678'],
	])('counts in a process that knows %s of n8n', async (_, publicOrigin) => {
		const { sandbox, host } = await published();
		// Another process of the same n8n: the same database, another setting.
		const other = new TriggerHost(sandbox, { ...host.options, publicOrigin });
		const origin = await other.listen();
		other.stored = host.stored;
		const { status } = await deliver({ sandbox, host, origin }, { body: eventBody() });
		expect(status).toBe(200);
		expect(other.started).toHaveLength(1);
		other.close();
	});

	test('of a new publishing stays, whatever delivery was queued before it', async () => {
		const { sandbox, host, send } = await published();
		const held = holdStarts(host);
		const queued = send({ body: eventBody() });
		await until(() => held.length === 1);
		host.options.parameters = { events: ['message.received', 'tag.added'] };
		await host.publish();
		held[0].start();
		await queued;
		host.onStart = () => {};
		expect((await send({ body: eventBody() })).status).toBe(200);
		// Also what is stored is the new one.
		host.restart();
		expect((await send({ body: eventBody() })).status).toBe(200);
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});

	test('of a new publishing stays when a poller saves what it loaded before', async () => {
		const { host, send } = await published();
		const poller = host.openWriter();
		host.options.parameters = { events: ['message.received', 'tag.added'] };
		await host.publish();
		for (let poll = 1; poll <= 3; poll += 1) {
			poller.staticData['node:Poller'] = { lastPoll: poll };
			poller.save();
			expect((await send({ body: eventBody() })).status).toBe(200);
		}
		// The last delivery has put things right, and kept what the poller stored.
		expect((JSON.parse(host.stored.webhook) as IDataObject)['node:Poller']).toEqual({
			lastPoll: 3,
		});
		host.restart();
		expect((await send({ body: eventBody() })).status).toBe(200);
	});

	test('of an unpublished node is not taken up again', async () => {
		const { sandbox, host, send } = await published();
		const [{ secret }] = subscriptionsOf(sandbox);
		const run = host.openWriter();
		await host.unpublish();
		run.save();
		const body = eventBody();
		const headers = { 'x-service-signature': signatureOf(body, secret) };
		expect((await send({ body, headers })).status).toBe(401);
	});

	test('follows the node when it is renamed, and little is left under the old name', async () => {
		const { host, send } = await published();
		for (let count = 0; count < 50; count += 1) await send({ body: eventBody() });
		const body = eventBody();
		await send({ body });
		host.options.nodeName = 'On message';
		await host.publish();
		expect((await send({ body: eventBody() })).status).toBe(200);
		const stored = JSON.parse(host.stored.webhook) as IDataObject;
		expect(JSON.stringify(stored['node:Trigger']).length).toBeLessThan(250);
		// What has started the workflow is known under the new name as well.
		const before = host.started.length;
		await send({ body });
		expect(host.started).toHaveLength(before);
	});
});

describe('what others keep in static data', () => {
	test('stays when a delivery that was queued before is started', async () => {
		const clock = scaledClock(100);
		const { host, send } = await published({ clock });
		const held = holdStarts(host);
		const queued = send({ body: eventBody() });
		await until(() => held.length === 1);
		const run = host.openWriter();
		run.staticData.global = { counter: 1 };
		run.save();
		await delay(150);
		held[0].start();
		await queued;
		expect((JSON.parse(host.stored.webhook) as IDataObject).global).toEqual({ counter: 1 });
	});

	test('is not touched by a delivery that is ignored or refused', async () => {
		const { host, send } = await published();
		const before = host.stored.webhook;
		await send({ body: eventBody('tag.added', { tag: 'vip' }) });
		await send({ body: eventBody(), headers: { 'x-service-signature': 'sha256=00' } });
		expect(host.stored.webhook).toBe(before);
	});
});

describe('a delivery without an answer', () => {
	const headers = { 'x-service-delivery': 'dlv-1' };
	/** Hours go by in a test. */
	const ofAnyAge = { events: ['message.received'], options: { maxAge: 0 } };

	test('is pending for as long as n8n may still start it', async () => {
		const clock = scaledClock(1_000);
		const { host, send } = await published({ clock, parameters: ofAnyAge });
		const held = holdStarts(host);
		const body = eventBody();
		await hangUpOnceHeld(held, (signal) => send({ body, headers, signal }));
		for (let attempt = 0; attempt < 5; attempt += 1) {
			// Minutes by the node's clock.
			await delay(300);
			expect((await send({ body, headers })).status).toBe(503);
		}
		held[0].start();
		await until(() => host.started.length === 1);
		const { status, message } = await send({ body, headers });
		expect([status, message]).toEqual([200, expect.stringContaining('Nothing was started')]);
		expect(host.started).toHaveLength(1);
		// And the repeat has stored it.
		host.restart();
		await send({ body, headers });
		expect(host.started).toHaveLength(1);
	});

	test('whose start fails after minutes is taken when it comes again', async () => {
		const clock = scaledClock(1_000);
		const { host, send } = await published({ clock, parameters: ofAnyAge });
		const held = holdStarts(host);
		const body = eventBody();
		await hangUpOnceHeld(held, (signal) => send({ body, headers, signal }));
		await delay(500);
		expect((await send({ body, headers })).status).toBe(503);
		held[0].fail();
		await delay(50);
		host.onStart = () => {};
		expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});

	test('is not stored as started by a delivery that is', async () => {
		const { host, send } = await published();
		const held = holdStarts(host);
		const body = eventBody();
		const queued = send({ body, headers });
		await until(() => held.length === 1);
		const other = send({ body: eventBody(), headers: { 'x-service-delivery': 'other' } });
		await until(() => held.length === 2);
		held[1].start();
		await other;
		held[0].fail();
		expect((await queued).status).toBe(500);
		// Neither this process nor the next one takes it for started.
		host.onStart = () => {};
		host.restart();
		expect((await send({ body, headers })).status).toBe(200);
		expect(host.started).toHaveLength(2);
	});
});

describe('what cannot be read gets an answer of 4xx and starts nothing, not even a failed run', () => {
	const type = { 'content-type': 'application/octet-stream' };

	test.each([
		['said to be gzip and none', { ...type, 'content-encoding': 'gzip' }, 'garbage', 400],
		['said to be deflate and none', { ...type, 'content-encoding': 'deflate' }, 'garbage', 400],
		[
			'half a gzip',
			{ ...type, 'content-encoding': 'gzip' },
			zlib.gzipSync('{}').subarray(0, 12),
			400,
		],
		['over the limit', type, 'x'.repeat(2_000), 413],
		[
			'over the limit once unpacked',
			{ ...type, 'content-encoding': 'gzip' },
			zlib.gzipSync('x'.repeat(2_000)),
			413,
		],
	])('%s', async (_, headers, body, expected) => {
		const { host, origin } = await published({ maxBodyBytes: 1_000 });
		const url = `${origin}${new URL(host.url() ?? '').pathname}`;
		const response = await fetch(url, { method: 'POST', headers, body: body as string });
		expect(response.status).toBe(expected);
		expect(host.started).toEqual([]);
		expect(host.failedExecutions).toEqual([]);
	});

	test('an upload that is broken off', async () => {
		const { host, origin } = await published();
		const url = new URL(`${origin}${new URL(host.url() ?? '').pathname}`);
		await new Promise<void>((resolve) => {
			const request = http.request(url, {
				method: 'POST',
				headers: { ...type, 'content-length': '1000' },
			});
			request.on('error', () => resolve());
			request.write('half', () => void delay(50).then(() => request.destroy()));
		});
		await until(() => host.log.length > 0);
		expect(host.log[0]).toContain('its body could not be read');
		expect(host.failedExecutions).toEqual([]);
	});

	test('a filter that breaks for a signed event is refused, so that the service tries again', async () => {
		const { host, send } = await published();
		host.options.parameters = { events: ['message.received'], options: { tags: { no: 'list' } } };
		const body = eventBody();
		expect((await send({ body })).status).toBe(500);
		expect(host.failedExecutions).toEqual([]);
		host.options.parameters = { events: ['message.received'] };
		expect((await send({ body })).status).toBe(200);
		expect(host.started).toHaveLength(1);
	});
});

test('of two triggers of one workflow, none brings back an older state of the other', async () => {
	const { sandbox, host, send } = await published();
	const other = host.withNode('Other');
	const origin = await other.listen();
	await other.publish();
	const sendToOther = deliver.bind(undefined, { sandbox, host: other, origin });
	const held = holdStarts(host);
	const queued = send({ body: eventBody() });
	await until(() => held.length === 1);
	// Between the arrival of the first one's delivery and its start, the other one stores something.
	const taken = eventBody();
	expect((await sendToOther({ body: taken })).status).toBe(200);
	held[0].start();
	await queued;
	other.restart();
	expect((await sendToOther({ body: taken })).message).toContain('has started the workflow before');
	expect(other.started).toHaveLength(1);
	other.close();
});

/** A clock whose minutes are parts of a second, also for requests. */
function shortMinutes() {
	return { ...scaledClock(100), signalAfter: (ms: number) => AbortSignal.timeout(ms / 100) };
}

describe('publishing ends within a minute', () => {
	test.each([
		['that lists slowly', 'GET'],
		['that creates slowly', 'POST'],
	])('with a service %s: without a subscription, and with an error', async (_, method) => {
		const clock = shortMinutes();
		const { sandbox, host } = await startTrigger({ clock });
		sandbox.fail({
			match: { method, path: /subscriptions/ },
			times: 100,
			kind: { delayMs: 700 },
		});
		const startMs = clock.elapsedMs();
		const error = await failureOf(host.publish());
		expect(error?.message).toBe(
			'The service took too long to answer. Publish again in a few minutes. If this happens again, ask the provider of the service.',
		);
		expect(clock.elapsedMs() - startMs).toBeLessThan(60_000);
		// What was under way at the end is put right as soon as its answer comes.
		await delay(1_500);
		expect(subscriptionsOf(sandbox)).toEqual([]);
		sandbox.clearFaults();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});

	test('also where a changed node was published before', async () => {
		const clock = shortMinutes();
		const { sandbox, host } = await published({ clock });
		sandbox.fail({ match: { path: /subscriptions/ }, times: 100, kind: { delayMs: 700 } });
		host.options.parameters = { events: ['tag.added'] };
		const startMs = clock.elapsedMs();
		expect(await failureOf(host.publish())).toBeDefined();
		expect(clock.elapsedMs() - startMs).toBeLessThan(60_000);
		await delay(1_500);
		sandbox.clearFaults();
		host.options.parameters = { events: ['message.received'] };
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});

	test('and says that a subscription may be left, where that cannot be told; the next one removes it', async () => {
		const { sandbox, host } = await startTrigger({ attempts: 1 });
		sandbox.fail({ match: { method: 'POST' }, kind: { drop: 'afterEffect' } });
		sandbox.fail({
			match: { method: 'GET', path: /subscriptions/ },
			skip: 1,
			times: 10,
			kind: { status: 503 },
		});
		const error = await failureOf(host.publish());
		expect(error?.message).toMatch(
			/^The service did not confirm the webhook subscription\. A subscription may be left at the service\. It starts nothing, because its deliveries are refused\. Publish again to delete it\. The connection to the service broke before its answer arrived\. /,
		);
		expect(error?.description).toBeUndefined();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		const [{ id }] = subscriptionsOf(sandbox);
		sandbox.clearFaults();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
	});

	test('a conflict says what it is about', async () => {
		const { sandbox, host } = await startTrigger({ attempts: 1 });
		sandbox.fail({ match: { method: 'POST' }, kind: { status: 409, detail: 'exists' } });
		const error = await failureOf(host.publish());
		expect(error?.message).not.toMatch(/opted out|enrolled|automation/);
		expect(error?.message).toMatch(
			/^The request conflicts with the current state\. The workspace may already have a subscription for this URL, .+\. The service says: "exists" \(HTTP 409\)$/,
		);
		expect(error?.description).toBeUndefined();
	});
});

describe('an older n8n, which asks at its start,', () => {
	test('keeps a subscription when the list cannot be read', async () => {
		const { sandbox, host } = await published();
		const before = subscriptionsOf(sandbox);
		sandbox.fail({ match: { path: /subscriptions/ }, times: 20, kind: { status: 503 } });
		await host.startAsOlderVersion();
		sandbox.clearFaults();
		expect(subscriptionsOf(sandbox)).toEqual(before);
	});

	test('never deletes that of another workflow with the same webhook path', async () => {
		const { sandbox, host } = await published();
		const before = subscriptionsOf(sandbox);
		const copy = new TriggerHost(sandbox, { ...host.options, workflowId: 'workflow-2' });
		// It cannot register the path, and then removes what it takes for registered.
		await copy.unpublish();
		expect(subscriptionsOf(sandbox)).toEqual(before);
	});

	test.each([
		[
			'the host in capitals',
			(url: string) => url.replace(PUBLIC_ORIGIN, 'https://N8N.EXAMPLE.COM'),
		],
		['the port', (url: string) => url.replace(PUBLIC_ORIGIN, `${PUBLIC_ORIGIN}:443`)],
		['a slash at the end', (url: string) => `${url}/`],
	])('keeps a subscription whose URL the service writes with %s', async (_, rewrite) => {
		const { sandbox, host } = await published();
		for (const each of subscriptionsOf(sandbox)) each.url = rewrite(each.url);
		const before = subscriptionsOf(sandbox).map(({ id }) => id);
		for (let start = 0; start < 3; start += 1) await host.startAsOlderVersion();
		expect(subscriptionsOf(sandbox).map(({ id }) => id)).toEqual(before);
	});
});

test('after a change of address the subscription of the old one is deleted', async () => {
	const { sandbox, host } = await published();
	const [{ id }] = subscriptionsOf(sandbox);
	host.options.publicOrigin = 'https://new.example.com';
	host.restart();
	await host.unpublish();
	await host.publish();
	expect(subscriptionsOf(sandbox)).toHaveLength(1);
	expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
	expect(subscriptionsOf(sandbox)[0].url).toContain('https://new.example.com/');
});

test('after a change of address and an unpublishing that failed, too', async () => {
	const { sandbox, host } = await published();
	const [{ id }] = subscriptionsOf(sandbox);
	sandbox.revokeKey();
	await host.unpublish();
	sandbox.restoreKey();
	host.options.publicOrigin = 'https://new.example.com';
	host.restart();
	await host.publish();
	expect(subscriptionsOf(sandbox).map((each) => each.id)).not.toContain(id);
	expect(subscriptionsOf(sandbox)).toHaveLength(1);
});

test('what has started the workflow is known for two hours, and no longer', async () => {
	let aheadMs = 0;
	const real = scaledClock(1);
	const clock = { ...real, elapsedMs: () => real.elapsedMs() + aheadMs };
	const { host, send } = await published({ clock });
	const body = eventBody();
	await send({ body });
	aheadMs = 119 * 60_000;
	await send({ body });
	expect(host.started).toHaveLength(1);
	aheadMs = 121 * 60_000;
	await send({ body: eventBody() });
	await send({ body });
	expect(host.started).toHaveLength(3);
});

test('a clock that was in the future for a while does no harm', async () => {
	let aheadMs = 365 * 24 * 60 * 60_000;
	const real = scaledClock(1);
	const clock = { ...real, now: () => real.now() + aheadMs };
	const { host, send } = await published({ clock });
	const [first, second] = [eventBody(), eventBody()];
	await send({ body: first });
	aheadMs = 0;
	await send({ body: second });
	host.restart();
	await send({ body: first });
	await send({ body: second });
	expect(host.started).toHaveLength(2);
	host.options.parameters = { events: ['message.received', 'tag.added'] };
	await host.publish();
	expect((await send({ body: eventBody() })).status).toBe(200);
	host.restart();
	expect((await send({ body: eventBody() })).status).toBe(200);
});
