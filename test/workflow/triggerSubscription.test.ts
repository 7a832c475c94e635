import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { refreshTriggers } from '../../nodes/WorkspaceCrm/trigger/storage';
import { signatureOf, startSandbox, type Sandbox } from '../sandbox';
import { delay } from '../support/platform';
import { deliver, eventBody } from './signedDelivery';
import { jumpingClock, scaledClock } from './support';
import { PUBLIC_ORIGIN, TriggerHost, type TriggerHostOptions } from './triggerHost';
import { startTrigger, stopTriggers } from './triggerSetup';

/** Publishing and unpublishing, and what is stored with the workflow for the deliveries. */
afterEach(async () => await stopTriggers());

async function published(options: Partial<TriggerHostOptions> = {}) {
	const setup = await startTrigger(options);
	await setup.host.publish();
	return { ...setup, send: deliver.bind(undefined, setup) };
}

const subscriptionsOf = ({ store }: Sandbox) => [...store.subscriptions.values()];

type Setup = Awaited<ReturnType<typeof startTrigger>>;

const calls = (sandbox: { requests: Array<{ method: string; path: string }> }) =>
	sandbox.requests.map(({ method, path }) => `${method} ${path.replace(/[^/]{20,}$/, '{id}')}`);

const failureOf = async (promise: Promise<unknown>) =>
	await promise.then(
		() => undefined,
		(error: NodeApiError) => error,
	);

async function expectDelivery(
	sandbox: Awaited<ReturnType<typeof startTrigger>>['sandbox'],
	host: Awaited<ReturnType<typeof startTrigger>>['host'],
): Promise<void> {
	const before = host.started.length;
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	await sandbox.settled();
	expect(host.started).toHaveLength(before + 1);
}

test('publishing takes four requests, the deletion of a lost subscription included', async () => {
	const { sandbox, host } = await published();
	host.stored.webhook = '{}';
	sandbox.requests.length = 0;
	await host.startAsOlderVersion();
	expect(calls(sandbox)).toEqual([
		'GET /v1/workspace',
		'GET /v1/subscriptions',
		'DELETE /v1/subscriptions/{id}',
		'POST /v1/subscriptions',
	]);
});

test('publishing subscribes the production URL to the chosen events', async () => {
	const { sandbox, host } = await startTrigger({
		parameters: {
			events: ['tag.added', 'message.received', 'contact.created'],
		},
	});
	await host.publish();
	const [subscription, ...others] = [...sandbox.store.subscriptions.values()];
	expect(others).toEqual([]);
	expect(subscription.url).toBe(host.url());
	expect(subscription.url).toMatch(/^https:\/\/n8n\.example\.com\/webhook\/.+\/webhook$/);
	expect([...subscription.events].sort()).toEqual([
		'contact.created',
		'message.received',
		'tag.added',
	]);
});

test('an older n8n keeps the subscription at its start, with one request', async () => {
	const parameters = { events: ['tag.added', 'message.received'] };
	const { sandbox, host } = await startTrigger({ parameters });
	await host.publish();
	const before = [...sandbox.store.subscriptions.keys()];
	for (const subscription of sandbox.store.subscriptions.values()) subscription.events.reverse();
	sandbox.requests.length = 0;
	await host.startAsOlderVersion();
	expect(calls(sandbox)).toEqual(['GET /v1/subscriptions']);
	expect([...sandbox.store.subscriptions.keys()]).toEqual(before);
});

describe('what is not exactly right is replaced by one new subscription', () => {
	test.each([[['tag.added']], [['tag.added', 'form.submitted']]])(
		'events other than before: %j',
		async (events) => {
			const { sandbox, host } = await startTrigger({
				parameters: { events: ['tag.added', 'message.received'] },
			});
			await host.publish();
			const [before] = sandbox.store.subscriptions.keys();
			host.options.parameters.events = events;
			await host.publish();
			const [after, ...others] = [...sandbox.store.subscriptions.values()];
			expect(others).toEqual([]);
			expect(after.id).not.toBe(before);
			expect([...after.events].sort()).toEqual([...events].sort());
		},
	);

	test('events that changed while nobody told the node, as after an import into an older n8n', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		host.options.parameters = { events: ['message.received', 'tag.added'] };
		await host.startAsOlderVersion();
		const events = subscriptionsOf(sandbox).map((each) => [...each.events].sort());
		expect(events).toEqual([['message.received', 'tag.added']]);
		await expectDelivery(sandbox, host);
	});

	test.each([
		['a secret that was lost', ({ host }: Setup) => void (host.stored.webhook = '{}')],
		[
			'a subscription of ours that is not the stored one',
			({ sandbox: { store } }: Setup) => {
				const [stored] = [...store.subscriptions.values()];
				store.subscriptions.clear();
				store.subscriptions.set('other', { ...stored, id: 'other', secret: 'x' });
			},
		],
	])('%s', async (_, act) => {
		const setup = await startTrigger();
		const { sandbox, host } = setup;
		await host.publish();
		const [{ id }] = [...sandbox.store.subscriptions.values()];
		act(setup);
		await host.startAsOlderVersion();
		expect(sandbox.store.subscriptions.size).toBe(1);
		for (const old of [id, 'other']) expect(sandbox.store.subscriptions.has(old)).toBe(false);
		await expectDelivery(sandbox, host);
	});

	test('one that the service has paused', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		const [before] = [...sandbox.store.subscriptions.values()];
		sandbox.fail({
			match: { method: 'GET', path: /subscriptions$/ },
			kind: {
				status: 200,
				body: JSON.stringify([{ ...before, secret: undefined, active: false }]),
			},
		});
		await host.startAsOlderVersion();
		expect(sandbox.store.subscriptions.has(before.id)).toBe(false);
		expect(sandbox.store.subscriptions.size).toBe(1);
	});
});

test("subscriptions to other URLs, also this n8n's own, are never touched", async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	const [ours] = [...sandbox.store.subscriptions.values()];
	for (const [id, url] of [
		['other-workflow', `${PUBLIC_ORIGIN}/webhook/other/webhook`],
		['other-system', 'https://elsewhere.example.org/hook'],
		['longer', `${ours.url}/more`],
		['upper-case-path', `${PUBLIC_ORIGIN}${new URL(ours.url).pathname.toUpperCase()}`],
	]) {
		sandbox.store.subscriptions.set(id, { ...ours, id, url });
	}
	host.options.parameters.events = ['tag.added'];
	await host.publish();
	await host.unpublish();
	expect([...sandbox.store.subscriptions.keys()]).toEqual([
		'other-workflow',
		'other-system',
		'longer',
		'upper-case-path',
	]);
});

test('test and production have subscriptions of their own', async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	const [production] = [...sandbox.store.subscriptions.values()];
	await host.publish(true);
	expect([...sandbox.store.subscriptions.values()].map(({ url }) => url)).toEqual([
		host.url(),
		host.url(true),
	]);
	await host.unpublish(true);
	expect([...sandbox.store.subscriptions.keys()]).toEqual([production.id]);
	await expectDelivery(sandbox, host);
});

test('a test that cannot begin leaves what is published alone', async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	host.options.parameters.events = [];
	await host.publish(true).catch(() => undefined);
	// n8n then removes what it takes for half registered.
	await host.unpublish(true);
	expect(sandbox.store.subscriptions.size).toBe(1);
	host.options.parameters.events = ['message.received'];
	await expectDelivery(sandbox, host);
});

test('a test that crashed is cleaned up by the next one', async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	await host.publish(true);
	host.restart();
	await host.publish(true);
	expect(sandbox.store.subscriptions.size).toBe(2);
	await host.unpublish(true);
	expect(sandbox.store.subscriptions.size).toBe(1);
	await expectDelivery(sandbox, host);
});

describe('an answer without what deliveries are checked with', () => {
	test.each(['noSecret', 'noId'] as const)(
		'%s: fails, and leaves nothing behind',
		async (shape) => {
			const { sandbox, host } = await startTrigger(
				{},
				{ shapes: { subscriptionCreateAnswer: shape } },
			);
			const error = await failureOf(host.publish());
			expect(error?.message).toBe(
				'The service created a webhook subscription that cannot deliver the events. It has no ID or no secret to verify events with. Report this to the provider of the service.',
			);
			expect(error?.description).toBeUndefined();
			expect(sandbox.store.subscriptions.size).toBe(0);
		},
	);

	test('a connection that broke after the subscription was made: nothing is left behind', async () => {
		const { sandbox, host } = await startTrigger();
		sandbox.fail({ match: { method: 'POST' }, times: 5, kind: { drop: 'afterEffect' } });
		const error = await failureOf(host.publish());
		expect(error?.message).toBe(
			`The service did not confirm the webhook subscription. The connection to the service broke before its answer arrived. Reason: the connection was closed (ECONNRESET). If this happens again, check whether the base URL (${sandbox.url}) should start with http:// or https://. Try again in a few minutes.`,
		);
		expect(sandbox.store.subscriptions.size).toBe(0);
	});
});

test.each(['http://n8n.example.com', 'https://localhost:5678', 'https://192.168.1.20'])(
	'a webhook URL at %s is refused before any request',
	async (publicOrigin) => {
		const { sandbox, host } = await startTrigger({ publicOrigin });
		const error = await failureOf(host.publish());
		expect(error?.message).toBe(
			`The CRM can't send events to this n8n: its address cannot be reached from the internet. Ask whoever runs n8n to set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to its public https address, and to restart n8n. In queue mode, the workers need them too. Now its webhook URL is ${host.url()}. To try things out on your own machine, use a tunnel.`,
		);
		expect(host.url()?.startsWith(`${publicOrigin}/webhook/`)).toBe(true);
		expect(error?.description).toBeUndefined();
		await host.unpublish();
		expect(sandbox.requests).toEqual([]);
	},
);

test('no event chosen is refused before any request', async () => {
	const { sandbox, host } = await startTrigger({ parameters: { events: [] } });
	expect((await failureOf(host.publish()))?.message).toBe(
		"No event is chosen. Choose at least one in 'Trigger On', then publish again.",
	);
	expect(sandbox.requests).toEqual([]);
});

test('a workflow for which n8n would not keep the secret is refused before any request', async () => {
	const { sandbox, host } = await startTrigger({ workflowId: 'imported-workflow-0001' });
	expect((await failureOf(host.publish()))?.message).toBe(
		'The ID of this workflow has 22 characters, and n8n stores no data for workflows with more than 21. Copy all nodes into a new workflow, and publish that one. n8n gives it a shorter ID.',
	);
	expect(sandbox.requests).toEqual([]);
	// The one of a test is kept with the test.
	await host.publish(true);
	expect(sandbox.store.subscriptions.size).toBe(1);
});

test('at the limit of 20 the text says who holds the places', async () => {
	const { sandbox, host } = await startTrigger();
	for (let index = 0; index < 20; index += 1) {
		const origin = index < 3 ? PUBLIC_ORIGIN : 'https://elsewhere.example.org';
		const id = `sub-${index}`;
		sandbox.store.subscriptions.set(id, {
			id,
			url: `${origin}/webhook/${index}`,
			events: ['tag.added'],
			secret: 'x',
			active: true,
			created_at: new Date(0).toISOString(),
		});
	}
	const error = await failureOf(host.publish());
	const places = [0, 1, 2].map((index) => `${PUBLIC_ORIGIN}/webhook/${index} (sub-${index})`);
	expect(error?.message).toBe(
		`The workspace has 20 webhook subscriptions, and the service allows 20. Delete one that is no longer needed, with the operation Subscription › Delete of the Workspace CRM node. 3 of them belong to this n8n: ${places.join(', ')}.`,
	);
	expect(error?.description).toBeUndefined();
	expect(sandbox.store.subscriptions.size).toBe(20);
});

describe('unpublishing', () => {
	test('deletes the subscription, which may be gone already, as often as it is published', async () => {
		const { sandbox, host } = await startTrigger();
		for (const isGone of [false, true, false]) {
			await host.publish();
			expect(sandbox.store.subscriptions.size).toBe(1);
			if (isGone) sandbox.store.subscriptions.clear();
			await host.unpublish();
			expect(sandbox.store.subscriptions.size).toBe(0);
		}
		expect(host.log).toEqual([]);
	});

	test('leaves it when nothing is known of it, because it may be that of another workflow', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		host.stored.webhook = '{}';
		host.restart();
		await host.unpublish();
		expect(sandbox.store.subscriptions.size).toBe(1);
		await host.publish();
		expect(sandbox.store.subscriptions.size).toBe(1);
		await expectDelivery(sandbox, host);
	});

	test('is not blocked by a revoked key: it warns with the id, and the next publish cleans up', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		const [{ id }] = [...sandbox.store.subscriptions.values()];
		sandbox.revokeKey();
		await host.unpublish();
		expect(host.log.join()).toContain(id);
		expect(host.log.join()).toContain('The API key');

		sandbox.restoreKey();
		await host.publish();
		expect(sandbox.store.subscriptions.size).toBe(1);
		expect(sandbox.store.subscriptions.has(id)).toBe(false);
		await expectDelivery(sandbox, host);
	});

	test('is not blocked by a service that is down', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		await sandbox.close();
		await host.unpublish();
		expect(host.log.join()).toContain('The service could not be reached');
	});
});

test('a service that cannot be asked fails the publishing instead of guessing', async () => {
	const { sandbox, host } = await startTrigger();
	sandbox.revokeKey();
	const error = await failureOf(host.publish());
	// all of it, as n8n shows nothing but the message
	expect(error?.message).toMatch(
		/^The API key .+\. Open the credential .+\. The service says: "API key revoked" \(HTTP 401\)$/,
	);
	expect([error?.description, error?.httpCode]).toEqual([undefined, '401']);
	expect(sandbox.store.subscriptions.size).toBe(0);
});

test('a test that cannot begin says what to do in its message, as that is all that n8n shows', async () => {
	const { sandbox, host } = await startTrigger();
	sandbox.fail({ times: 99, kind: { status: 403, detail: 'no' } });
	const error = await failureOf(host.publish(true));
	expect(error?.message).toMatch(
		/^The service refused the request with status 403\. .+\. The service says: "no" \(HTTP 403\)$/,
	);
	expect(error?.description).toBeUndefined();
});

describe('the secret', () => {
	test('counts whatever the address of n8n is at the moment', async () => {
		const { sandbox, host, origin } = await published();
		const [{ secret, url }] = subscriptionsOf(sandbox);
		host.options.publicOrigin = 'http://localhost:5678';
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

	test('of a new publishing stays when a poller or a Code node saves what it loaded before', async () => {
		const { host, send } = await published();
		const writer = host.openWriter();
		host.options.parameters = { events: ['message.received', 'tag.added'] };
		await host.publish();
		writer.staticData.global = { counter: 1 };
		writer.save();
		expect((await send({ body: eventBody() })).status).toBe(200);
		expect((JSON.parse(host.stored.webhook) as IDataObject).global).toEqual({ counter: 1 });
	});

	test('survives a restart where a poll of ours was the last to save', async () => {
		const { host, send } = await published();
		const poll = host.openWriter();
		host.options.parameters = { events: ['message.received', 'tag.added'] };
		await host.publish();
		refreshTriggers('workflow-1', poll.staticData, host.memories);
		poll.save();
		host.restart();
		expect((await send({ body: eventBody() })).status).toBe(200);
	});

	test('survives where a poll of ours saves it under the name of a node that is gone', async () => {
		const { sandbox, host, send } = await published();
		const gone = new TriggerHost(sandbox, {
			...host.options,
			nodeId: 'gone',
			nodeName: 'Gone',
		});
		gone.memories = host.memories;
		await gone.publish();
		await gone.unpublish();
		host.options.nodeName = 'Gone';
		await host.publish();
		const poll = host.openWriter();
		refreshTriggers('workflow-1', poll.staticData, host.memories);
		poll.save();
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
		const error = await failureOf(host.publish());
		expect(error?.message).toBe(
			'The service took too long to answer. Publish again in a few minutes. If this happens again, ask the provider of the service.',
		);
		// What was under way at the end is put right as soon as its answer comes.
		await delay(1_500);
		expect(subscriptionsOf(sandbox)).toEqual([]);
		sandbox.clearFaults();
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
			/^The service did not confirm the webhook subscription\. The service may still have a subscription\. Its deliveries are refused, so it starts nothing\. Publish again to delete it\. The connection to the service broke before its answer arrived\. /,
		);
		expect(error?.description).toBeUndefined();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		const [{ id }] = subscriptionsOf(sandbox);
		sandbox.clearFaults();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
	});

	test('and one that failed takes no time from the next one, a minute later', async () => {
		const clock = shortMinutes();
		const { sandbox, host } = await startTrigger({ clock, attempts: 1 });
		sandbox.revokeKey();
		await failureOf(host.publish());
		sandbox.restoreKey();
		await clock.sleep(60_000);
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});

	test('and those that succeed take no time from each other, however often they come', async () => {
		const clock = jumpingClock();
		const { sandbox, host } = await startTrigger({ clock, attempts: 1 });
		for (let times = 0; times < 12; times += 1) {
			await host.publish();
			await clock.sleep(6_000);
			await host.unpublish();
			expect(subscriptionsOf(sandbox)).toEqual([]);
		}
		expect(host.log).toEqual([]);
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

test('after a change of address, the old subscription is deleted', async () => {
	const { sandbox, host } = await published();
	const [{ id }] = subscriptionsOf(sandbox);
	host.options.publicOrigin = 'https://new.example.com';
	host.restart();
	await host.unpublish();
	await host.publish();
	expect(subscriptionsOf(sandbox)).toMatchObject([
		{ url: expect.stringContaining('https://new.example.com/') as string },
	]);
	expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
});

/** Static data goes along with copies of a workflow, and the credential may get another key. */
describe('a subscription that is not this node’s', () => {
	const origin = 'https://staging.example.com';

	/** The same workflow with the same static data, in another n8n, workflow or node. */
	async function copyOf(options: Partial<TriggerHostOptions>) {
		const setup = await published();
		const [original] = subscriptionsOf(setup.sandbox);
		const copy = new TriggerHost(setup.sandbox, { ...setup.host.options, ...options });
		copy.stored = { ...setup.host.stored };
		return { ...setup, original, copy };
	}

	test.each<[string, Partial<TriggerHostOptions>]>([
		['another n8n', { instanceId: 'staging', publicOrigin: origin }],
		['another n8n with the same address', { instanceId: 'staging' }],
		['another workflow', { workflowId: 'workflow-2', publicOrigin: origin }],
		['another node', { nodeId: 'another', publicOrigin: origin }],
	])('stays when a copy in %s is published and unpublished', async (_, options) => {
		const { sandbox, host, original, copy } = await copyOf(options);
		await copy.publish();
		copy.options.parameters = { events: ['message.received', 'tag.added'] };
		await copy.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(2);
		await copy.unpublish();
		expect(copy.log.join()).toContain(`${original.id} to ${original.url} was not deleted`);
		expect(subscriptionsOf(sandbox)).toEqual([original]);
		await expectDelivery(sandbox, host);
	});

	test('stays when the answer to a copy at the same address is lost', async () => {
		const { sandbox, original, copy } = await copyOf({ instanceId: 'staging' });
		sandbox.fail({ match: { method: 'POST' }, times: 5, kind: { drop: 'afterEffect' } });
		await failureOf(copy.publish());
		expect(subscriptionsOf(sandbox)).toEqual([original]);
	});

	test('stays when a copy is unpublished that was never published', async () => {
		const { sandbox, original, copy } = await copyOf({ instanceId: 'staging' });
		await copy.unpublish();
		expect(subscriptionsOf(sandbox)).toEqual([original]);
	});

	test('stays when the credential has got the key of another workspace, and the log names it', async () => {
		const { sandbox, host } = await published();
		const [{ id, url }] = subscriptionsOf(sandbox);
		const other = await startSandbox({ apiKey: 'another-key', workspace: { id: 'w2', name: 'W' } });
		try {
			host.options.credential = { baseUrl: other.url, apiKey: 'another-key' };
			await host.unpublish();
			expect(host.log.join()).toContain(`${id} to ${url} was not deleted`);
			expect(calls(other)).toEqual(['GET /v1/workspace']);
		} finally {
			await other.close();
		}
	});

	test('is deleted when the key of its workspace is back', async () => {
		const { sandbox, host } = await published();
		const [{ id }] = subscriptionsOf(sandbox);
		const other = await startSandbox({ apiKey: 'another-key', workspace: { id: 'w2', name: 'W' } });
		try {
			await host.unpublish();
			await host.publish();
			host.options.credential = { baseUrl: other.url, apiKey: 'another-key' };
			await host.unpublish();
			await host.publish();
			delete host.options.credential;
			await host.unpublish();
			await host.publish();
		} finally {
			await other.close();
		}
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
		await expectDelivery(sandbox, host);
	});

	test('is ours with a rotated key', async () => {
		const { sandbox, host } = await published();
		sandbox.rotateKey('the-rotated-key');
		host.options.credential = { apiKey: 'the-rotated-key' };
		await host.unpublish();
		expect(subscriptionsOf(sandbox)).toEqual([]);
		expect(host.log).toEqual([]);
	});
});

test('a subscription that is gone already is no obstacle, also where the service answers 404', async () => {
	const { sandbox, host, send } = await published();
	const match = { method: 'DELETE', path: /subscriptions/ };
	sandbox.fail({ match, times: 99, kind: { status: 404, detail: 'no such subscription' } });
	sandbox.store.subscriptions.clear();
	host.options.parameters = { events: ['message.received', 'tag.added'] };
	await host.publish();
	expect(subscriptionsOf(sandbox)).toHaveLength(1);
	expect((await send({ body: eventBody() })).status).toBe(200);
	await host.unpublish();
	expect(host.log).toEqual([]);
});

test.each<[string, object]>([
	['is not active', { active: false }],
	['has no events', { events: [] }],
	['lacks an event', { events: ['tag.added'] }],
	['goes to another URL', { url: 'https://elsewhere.example.org/hook' }],
])('a new subscription that %s is refused, and deleted', async (_, change) => {
	const { sandbox, host } = await startTrigger();
	const body = {
		id: 'sub-new',
		url: host.url(),
		events: ['message.received'],
		secret: 'x',
		active: true,
	};
	const answer = JSON.stringify({ ...body, ...change });
	sandbox.fail({ match: { method: 'POST' }, times: 9, kind: { status: 201, body: answer } });
	const error = await failureOf(host.publish());
	expect(error?.message).toMatch('created a webhook subscription that cannot deliver the events');
	expect(calls(sandbox)).toContain('DELETE /v1/subscriptions/sub-new');
	expect(host.stored.webhook).not.toContain('sub-new');
});

test('inactive subscriptions take up no place', async () => {
	const { sandbox, host } = await startTrigger();
	const url = host.url();
	const paused = Array.from({ length: 20 }, (_, index) => ({
		...{ id: `sub-${index}`, url: `${url}/${index}`, events: ['tag.added'], active: false },
	}));
	const match = { method: 'GET', path: /subscriptions$/ };
	sandbox.fail({ match, times: 99, kind: { status: 200, body: JSON.stringify(paused) } });
	await host.publish();
	expect(subscriptionsOf(sandbox)).toHaveLength(1);
});
