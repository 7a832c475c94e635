import type { IDataObject, INode } from 'n8n-workflow';

import { signatureOf } from '../sandbox';
import { delay, http, once } from '../support/platform';
import { startJsonServer, type JsonServer } from './jsonServer';
import type { SavedWorkflow } from './n8nRestClient';
import { eventually, PUBLIC_URL, startTestbed, triggerWorkflow, type Testbed } from './testbed';

/** The trigger where n8n is set up in another way, or busy, or shared with other nodes. */
let bed: Testbed;
let feed: JsonServer;
let gate: Gate;

beforeAll(async () => {
	let items = 0;
	feed = await startJsonServer(() => ({ events: rss((items += 1)) }));
	gate = await startGate();
	bed = await startTestbed({
		env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1', N8N_RUNNERS_MODE: 'internal' },
	});
}, 900_000);
afterAll(async () => {
	await bed?.close();
	await feed?.close();
	gate?.close();
});
afterEach(async () => {
	bed.sandbox.clearFaults();
	// No execution of this test may hold the place of those of the next.
	gate.open();
	for (const id of published.splice(0)) await bed.n8n.rest.unpublish(id).catch(() => undefined);
	bed.sandbox.reset();
});

const published: string[] = [];

const subscriptions = () => [...bed.sandbox.store.subscriptions.values()];

const production = async (id: string) =>
	(await bed.n8n.rest.listExecutions(id)).filter(({ mode }) => mode === 'webhook');

async function publish(more: INode[] = []): Promise<string> {
	const workflow = triggerWorkflow({ events: ['message.received'] });
	workflow.nodes.push(...more);
	const next = more.filter(({ type }) => type !== RSS);
	if (next.length > 0) {
		workflow.connections = {
			Trigger: { main: [[{ node: next[0].name, type: 'main', index: 0 }]] },
		};
	}
	const { id } = await bed.n8n.rest.createWorkflow(workflow);
	await bed.n8n.rest.publish(id);
	published.push(id);
	return id;
}

/** Changes the events of the published trigger, and publishes. */
async function publishWith(id: string, events: string[]): Promise<void> {
	const saved: SavedWorkflow = await bed.n8n.rest.getWorkflow(id);
	saved.nodes[0].parameters.events = events;
	const { nodes, connections, versionId } = saved;
	await bed.n8n.rest.request('PATCH', `/workflows/${id}`, { nodes, connections, versionId });
	await bed.n8n.rest.publish(id);
	await eventually(subscriptions, (all) =>
		all.some((each) => each.events.length === events.length),
	);
}

interface Event {
	body: string;
	signature: string;
}

/** An event of the subscription that there is now. */
function event(): Event {
	const body = JSON.stringify({ id: crypto.randomUUID(), event: 'message.received', data: {} });
	return { body, signature: signatureOf(body, subscriptions()[0].secret) };
}

/** Delivers it as the service would; 0 when there is no answer in time. */
async function deliver({ body, signature }: Event, timeoutMs = 60_000): Promise<number> {
	const { pathname } = new URL(subscriptions()[0].url);
	return await fetch(`${bed.n8n.url}${pathname}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'x-service-signature': signature },
		body,
		signal: AbortSignal.timeout(timeoutMs),
	}).then(
		({ status }) => status,
		() => 0,
	);
}

/** A node that waits for an answer of ours. */
const waiting = (): INode => ({
	id: 'wait',
	name: 'Wait',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	position: [200, 0],
	parameters: { url: gate.url },
});

describe('with room for one execution at a time', () => {
	test('one event starts one execution, however often it comes while it waits for its place', async () => {
		const id = await publish([waiting()]);
		gate.shut();
		expect(await deliver(event())).toBe(200);
		const queued = event();
		// The service hangs up after ten seconds, and tries again.
		expect(await deliver(queued, 2_000)).toBe(0);
		expect(await deliver(queued, 2_000)).toBe(0);
		// An earlier try waits for its place.
		expect(await deliver(queued)).toBe(503);
		gate.open();
		await eventually(
			async () => await production(id),
			(all) => all.length >= 2 && all.every(({ status }) => status === 'success'),
		);
		expect(await deliver(queued)).toBe(200);
		await delay(500);
		expect(await production(id)).toHaveLength(2);
	}, 180_000);

	test('publishing while a delivery is queued keeps the new secret, also after a restart', async () => {
		const id = await publish([waiting()]);
		gate.shut();
		expect(await deliver(event())).toBe(200);
		const queued = deliver(event());
		await delay(1_000);
		await publishWith(id, ['message.received', 'tag.added']);
		gate.open();
		expect(await queued).toBe(200);
		expect(await deliver(event())).toBe(200);
		await bed.restart('stop');
		await eventually(
			() => bed.n8n.rest.publicationStatus(id),
			({ status }) => status === 'published',
		);
		expect(await deliver(event())).toBe(200);
	}, 300_000);
});

const RSS = 'n8n-nodes-base.rssFeedReadTrigger';

test('a poller and a Code node that store something of theirs do not bring an old secret back', async () => {
	const poller: INode = {
		id: 'poller',
		name: 'Feed',
		type: RSS,
		typeVersion: 1,
		position: [0, 200],
		parameters: {
			feedUrl: feed.url,
			// n8n polls at least a minute apart, and once when the poller is registered.
			pollTimes: { item: [{ mode: 'everyMinute' }] },
		},
	};
	const code: INode = {
		id: 'code',
		name: 'Code',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		position: [200, 0],
		parameters: {
			jsCode:
				"const data = $getWorkflowStaticData('global'); data.runs = (data.runs ?? 0) + 1; return $input.all();",
		},
	};
	const id = await publish([code, poller]);
	const staticData = async () =>
		(await bed.n8n.rest.get<{ staticData: IDataObject }>(`/workflows/${id}`)).staticData;
	const first = event();
	expect(await deliver(first)).toBe(200);
	await eventually(staticData, (data) => (data.global as IDataObject | undefined)?.runs === 1);
	await eventually(staticData, (data) => data['node:Feed'] !== undefined);

	await publishWith(id, ['message.received', 'tag.added']);
	const [{ secret }] = subscriptions();
	const polls = feed.requests.length;
	await eventually(
		() => feed.requests,
		({ length }) => length > polls,
	);
	// The poller saves all of the static data, as it was when it was registered.
	await eventually(staticData, (data) => !JSON.stringify(data).includes(secret));
	expect(await deliver(event())).toBe(200);
	expect(await deliver(first)).toBe(401);
	await eventually(
		async () => await production(id),
		(all) => all.filter(({ status }) => status === 'success').length === 2,
	);
}, 300_000);

test('a service that is slow while the workflow is published: an error within a minute, nothing left', async () => {
	const { id, versionId } = await bed.n8n.rest.createWorkflow(
		triggerWorkflow({ events: ['message.received'] }),
	);
	published.push(id);
	bed.sandbox.fail({
		match: { method: 'POST', path: /subscriptions/ },
		times: 10,
		kind: { delayMs: 70_000 },
	});
	const startMs = Date.now();
	await bed.n8n.rest.post(`/workflows/${id}/activate`, { versionId });
	const { status, triggers } = await eventually(
		() => bed.n8n.rest.publicationStatus(id),
		(publication) => publication.status === 'failed',
	);
	expect(Date.now() - startMs).toBeLessThan(75_000);
	expect(status).toBe('failed');
	expect(triggers[0].errorMessage).toContain('took too long');
	expect(subscriptions()).toEqual([]);

	bed.sandbox.clearFaults();
	await bed.n8n.rest.publish(id);
	expect(subscriptions()).toHaveLength(1);
	expect(await deliver(event())).toBe(200);
}, 300_000);

test('what cannot be unpacked gets 4xx, and no execution is started for it', async () => {
	const id = await publish();
	const { pathname } = new URL(subscriptions()[0].url);
	for (const encoding of ['gzip', 'deflate']) {
		const { status } = await fetch(`${bed.n8n.url}${pathname}`, {
			method: 'POST',
			headers: { 'content-type': 'application/octet-stream', 'content-encoding': encoding },
			body: 'garbage',
		});
		expect(status).toBe(400);
	}
	await delay(1_000);
	expect(await bed.n8n.rest.listExecutions(id)).toEqual([]);
});

test('after a restart with another address, deliveries to the old one are taken', async () => {
	const id = await publish();
	await bed.restart('stop', { env: { WEBHOOK_URL: 'https://moved.example.com' } });
	await eventually(
		() => bed.n8n.rest.publicationStatus(id),
		({ status }) => status === 'published',
	);
	expect(subscriptions()[0].url).toContain(PUBLIC_URL);
	expect(await deliver(event())).toBe(200);
	await eventually(
		async () => await production(id),
		({ length }) => length === 1,
	);
}, 300_000);

/** A feed whose newest item is new each time. */
function rss(item: number): string {
	const date = new Date(Date.now() + item * 60_000).toUTCString();
	return `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title><item><title>${item}</title><link>https://example.com/${item}</link><guid>${item}</guid><pubDate>${date}</pubDate></item></channel></rss>`;
}

/** A server that answers once it is open. */
interface Gate {
	url: string;
	open(): void;
	shut(): void;
	close(): void;
}

async function startGate(): Promise<Gate> {
	let isOpen = true;
	const held: http.ServerResponse[] = [];
	const server = http.createServer((_request, response) => {
		if (isOpen) response.end('{}');
		else held.push(response);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
		open() {
			isOpen = true;
			for (const response of held.splice(0)) response.end('{}');
		},
		shut: () => (isOpen = false),
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
}
