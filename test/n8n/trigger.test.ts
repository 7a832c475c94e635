import type { IDataObject } from 'n8n-workflow';

import { signatureOf } from '../sandbox';
import { delay, process } from '../support/platform';
import { eventually, PUBLIC_URL, startTestbed, triggerWorkflow, type Testbed } from './testbed';

let bed: Testbed;

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
afterAll(async () => await bed?.close());
afterEach(async () => {
	for (const id of published.splice(0)) await bed.n8n.rest.unpublish(id).catch(() => undefined);
	bed.sandbox.reset();
});

const published: string[] = [];

async function publish(parameters: IDataObject = { events: ['message.received'] }) {
	const { id } = await bed.n8n.rest.createWorkflow(triggerWorkflow(parameters as never));
	await bed.n8n.rest.publish(id);
	published.push(id);
	return id;
}

const subscriptions = () => [...bed.sandbox.store.subscriptions.values()];

const executions = async (id: string) => await bed.n8n.rest.listExecutions(id);

async function outputOf(executionId: string): Promise<IDataObject> {
	const { data } = await bed.n8n.rest.waitForExecution(executionId);
	return data.resultData.runData.Trigger[0].data?.main[0]?.[0].json ?? {};
}

/** Sends a body to the published URL, as the service or anyone else could. */
async function post(body: string, headers: Record<string, string>): Promise<number> {
	const [{ url }] = subscriptions();
	const response = await fetch(url.replace(PUBLIC_URL, bed.n8n.url), {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...headers },
		body,
	});
	return response.status;
}

test('publishing subscribes, an event starts an execution with its data, unpublishing deletes', async () => {
	const id = await publish();
	const [subscription, ...others] = subscriptions();
	expect(others).toEqual([]);
	expect(subscription.url).toMatch(/^https:\/\/n8n\.example\.com\/webhook\/[\w-]+\/webhook$/);
	expect(subscription.events).toEqual(['message.received']);

	bed.sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Grüße 👋');
	const [{ id: executionId }] = await eventually(
		() => executions(id),
		({ length }) => length > 0,
	);
	const [contact] = [...bed.sandbox.store.contacts.values()];
	expect(await outputOf(executionId)).toMatchObject({
		event: 'message.received',
		delivery_id: bed.sandbox.deliveries[0].deliveryId,
		event_id: bed.sandbox.deliveries[0].eventId,
		contact: { id: contact.id, phone: '+4915123456789' },
		message: { text: 'Grüße 👋', type: 'text', is_new_contact: true },
	});
	expect(bed.sandbox.deliveries[0].attempts).toMatchObject([{ status: 200 }]);

	await bed.n8n.rest.unpublish(id);
	expect(subscriptions()).toEqual([]);
});

test('forged, altered and unsigned deliveries get 401 and start nothing', async () => {
	const id = await publish();
	const [{ secret }] = subscriptions();
	const body = JSON.stringify({ id: 'e', event: 'message.received', data: {} });
	const right = signatureOf(body, secret);
	const answers = [
		await post(body, {}),
		await post(body, { 'x-service-signature': signatureOf(body, 'another secret') }),
		await post(`${body} `, { 'x-service-signature': right }),
		await post(body.replace('"e"', '"f"'), { 'x-service-signature': right }),
		await post(body, { 'x-service-signature': right.slice(0, -1) }),
		await post(body, { 'x-service-signature': right.replace('sha256=', '') }),
	];
	expect(answers).toEqual(Array(6).fill(401));
	const broken = body.slice(0, -1);
	const signed = { 'x-service-signature': signatureOf(broken, secret) };
	expect(await post(broken, { ...signed, 'content-type': 'text/plain' })).toBe(400);
	// n8n itself refuses what is said to be JSON and is none, before it asks the trigger.
	expect(await post(broken, signed)).toBe(422);

	expect(await post(body, { 'x-service-signature': right })).toBe(200);
	await eventually(
		() => executions(id),
		({ length }) => length > 0,
	);
	expect(await executions(id)).toHaveLength(1);
	// Four are refused for this reason, and a stranger cannot fill the log with it.
	expect(bed.n8n.logs.match(/was refused: its signature does not match/g)).toHaveLength(1);
	expect(bed.n8n.logs).not.toContain(secret);
});

test('what is signed is taken, whatever its body is said to be; a form never is', async () => {
	const id = await publish();
	const [{ secret }] = subscriptions();
	const types = ['application/octet-stream', 'application/vnd.crm+json', 'text/plain', ''];
	for (const [index, type] of types.entries()) {
		const body = JSON.stringify({ id: `e${index}`, event: 'message.received', data: {} });
		const signed = { 'x-service-signature': signatureOf(body, secret), 'content-type': type };
		expect(await post(body, signed)).toBe(200);
		expect(await post(body, { 'content-type': type })).toBe(401);
	}
	const form = '--x\r\ncontent-disposition: form-data; name="event"\r\n\r\ntag.added\r\n--x--\r\n';
	const signed = { 'x-service-signature': signatureOf(form, secret) };
	expect(await post(form, { ...signed, 'content-type': 'multipart/form-data; boundary=x' })).toBe(
		401,
	);
	await eventually(
		() => executions(id),
		({ length }) => length >= types.length,
	);
	expect(await executions(id)).toHaveLength(types.length);
});

test('ninety deliveries in the same moment are known after a crash that follows their answers', async () => {
	const id = await publish();
	const [{ secret }] = subscriptions();
	const sendAll = async () =>
		await Promise.all(
			Array.from({ length: 90 }, async (_, index) => {
				const body = JSON.stringify({ id: `e${index}`, event: 'message.received', data: {} });
				return await post(body, { 'x-service-signature': signatureOf(body, secret) });
			}),
		);
	const startMs = performance.now();
	expect(await sendAll()).toEqual(Array(90).fill(200));
	// The service takes a delivery for failed after ten seconds, and sends it again.
	if (performance.now() - startMs > 9_000) {
		expect(await sendAll()).toEqual(Array(90).fill(200));
	}
	await bed.restart('kill');
	expect(await sendAll()).toEqual(Array(90).fill(200));
	await eventually(
		() => executions(id),
		({ length }) => length >= 90,
	);
	await delay(500);
	expect(await executions(id)).toHaveLength(90);
});

test('200 deliveries, many of them repeats, at once and across a restart: one execution for each event', async () => {
	const id = await publish();
	const { deliveries, redeliver } = bed.sandbox;
	const say = async (count: number) => {
		await inWaves(Array(count).fill('Hello'), async (text) => {
			bed.sandbox.emit.inboundMessage({ phone: '+4915123456789' }, text);
			await bed.sandbox.settled();
		});
	};

	await say(60);
	const first = deliveries.map(({ deliveryId }) => deliveryId);
	// At once, twice each.
	const twice = first.slice(0, 20).flatMap((each) => [each, each]);
	await inWaves(twice, redeliver);
	await bed.restart('kill');
	await inWaves(first, redeliver);
	await say(20);
	await inWaves(
		deliveries.slice(60).map(({ deliveryId }) => deliveryId),
		redeliver,
	);

	const sent = deliveries.reduce((sum, { attempts }) => sum + attempts.length, 0);
	expect(sent).toBe(200);
	expect(deliveries.flatMap(({ attempts }) => attempts.map(({ status }) => status))).toEqual(
		Array(200).fill(200),
	);
	await eventually(
		() => executions(id),
		({ length }) => length >= 80,
	);
	await delay(500);
	const all = await executions(id);
	expect(all).toHaveLength(80);
	const events = await Promise.all(all.map(async (each) => (await outputOf(each.id)).event_id));
	expect(new Set(events).size).toBe(80);
	process.stdout.write(`Deliveries sent ${sent}, events 80, executions ${all.length}\n`);
}, 600_000);

test('a revoked key does not block unpublishing, and the next publish cleans up', async () => {
	const id = await publish();
	const [{ id: stranded }] = subscriptions();
	bed.sandbox.revokeKey();
	await bed.n8n.rest.unpublish(id);
	expect(bed.n8n.logs).toContain(stranded);
	bed.sandbox.restoreKey();
	await bed.n8n.rest.publish(id);
	expect(subscriptions()).toHaveLength(1);
	expect(subscriptions()[0].id).not.toBe(stranded);
});

test('publishing without an event says what to do', async () => {
	await expect(publish({ events: [] })).rejects.toThrow('No event is chosen');
});

describe('exactly the right subscriptions exist', () => {
	test('after twenty rounds of publishing and unpublishing', async () => {
		const id = await publish();
		for (let round = 0; round < 20; round += 1) {
			await bed.n8n.rest.unpublish(id);
			expect(subscriptions()).toHaveLength(0);
			await bed.n8n.rest.publish(id);
			expect(subscriptions()).toHaveLength(1);
		}
	}, 600_000);

	test('after editing the events and publishing again', async () => {
		const id = await publish();
		const [before] = subscriptions();
		const saved = await bed.n8n.rest.getWorkflow(id);
		saved.nodes[0].parameters.events = ['tag.added', 'message.received'];
		await bed.n8n.rest.request('PATCH', `/workflows/${id}`, {
			nodes: saved.nodes,
			connections: saved.connections,
			versionId: saved.versionId,
		});
		await bed.n8n.rest.publish(id);
		const [after, ...others] = await eventually(subscriptions, ([only]) => only?.id !== before.id);
		expect(others).toEqual([]);
		expect([...after.events].sort()).toEqual(['message.received', 'tag.added']);
		expect(after.url).toBe(before.url);
		await expectEventStarts(id);
	});

	test.each(['stop', 'kill'] as const)('after a restart of n8n (%s)', async (how) => {
		const id = await publish();
		const before = subscriptions();
		await bed.restart(how);
		await eventually(
			() => bed.n8n.rest.publicationStatus(id),
			({ status }) => status === 'published',
		);
		expect(subscriptions()).toEqual(before);
		await expectEventStarts(id);
	});

	test('while testing what is published, after the test, and after a crash during a test', async () => {
		const id = await publish();
		const [production] = subscriptions();
		const urls = () => subscriptions().map(({ url }) => url.split('/')[3]);

		await listen(id);
		expect(urls()).toEqual(['webhook', 'webhook-test']);
		// Both get the event: the test ends with it, and the published workflow runs.
		await expectEventStarts(id);
		await eventually(urls, ({ length }) => length === 1);
		expect(subscriptions()).toEqual([production]);

		await listen(id);
		await bed.restart('kill');
		expect(urls()).toEqual(['webhook', 'webhook-test']);
		await listen(id);
		expect(urls()).toEqual(['webhook', 'webhook-test']);
		await bed.n8n.rest.request('DELETE', `/test-webhook/${id}`);
		await eventually(urls, ({ length }) => length === 1);
		expect(subscriptions()).toEqual([production]);
		await expectEventStarts(id);
	}, 600_000);

	test.each([
		['unpublishing, while the subscription is deleted', 'deactivate', 'DELETE'],
		['publishing, while the service is asked', 'activate', 'GET'],
		['publishing, while the subscription is made', 'activate', 'POST'],
	])(
		'after n8n was killed at %s',
		async (_, action, method) => {
			const id = await publish();
			const { versionId } = await bed.n8n.rest.getWorkflow(id);
			if (action === 'activate') await bed.n8n.rest.unpublish(id);

			// The crash comes while the service works on n8n's request.
			bed.sandbox.fail({ match: { method, path: /subscriptions/ }, kind: { delayMs: 1_500 } });
			await bed.n8n.rest.post(`/workflows/${id}/${action}`, { versionId });
			await delay(700);
			await bed.restart('kill', { leaseSeconds: 5 });
			bed.sandbox.clearFaults();
			// n8n takes up again what the crash had interrupted.
			const wanted = action === 'activate' ? 'published' : 'not_published';
			await eventually(
				async () => await bed.n8n.rest.publicationStatus(id),
				({ status }) => status === wanted,
			);
			if (action === 'deactivate') {
				expect(subscriptions()).toEqual([]);
			} else {
				// n8n 2.41 takes a trigger for registered once it had begun to register it, and does
				// not ask it again, so it takes a person to publish once more. Nothing tells whose a
				// subscription is that was made before the crash, until its address is published again.
				await bed.n8n.rest.unpublish(id);
			}
			await bed.n8n.rest.publish(id);
			expect(subscriptions()).toHaveLength(1);
			await expectEventStarts(id);
		},
		180_000,
	);
});

/** Ten at once: more would only measure how many executions this machine can start in ten seconds. */
async function inWaves<T>(values: T[], act: (value: T) => Promise<unknown>): Promise<void> {
	for (let start = 0; start < values.length; start += 10) {
		await Promise.all(values.slice(start, start + 10).map(act));
	}
}

async function listen(id: string): Promise<void> {
	const { nodes } = await bed.n8n.rest.getWorkflow(id);
	const answer = await bed.n8n.rest.post<{ waitingForWebhook?: boolean }>(`/workflows/${id}/run`, {
		triggerToStartFrom: { name: nodes[0].name },
	});
	expect(answer.waitingForWebhook).toBe(true);
}

async function expectEventStarts(id: string): Promise<void> {
	const production = async () =>
		(await executions(id)).filter(({ mode }) => mode === 'webhook').length;
	const before = await production();
	bed.sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	expect(await eventually(production, (count) => count > before)).toBe(before + 1);
}
