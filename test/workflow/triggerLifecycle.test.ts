import type { NodeApiError } from 'n8n-workflow';

import { PUBLIC_ORIGIN } from './triggerHost';
import { startTrigger, stopTriggers } from './triggerSetup';

afterEach(async () => await stopTriggers());

const calls = (sandbox: { requests: Array<{ method: string; path: string }> }) =>
	sandbox.requests.map(({ method, path }) => `${method} ${path.replace(/[^/]{20,}$/, '{id}')}`);

const failureOf = async (promise: Promise<unknown>) =>
	await promise.then(
		() => undefined,
		(error: NodeApiError) => error,
	);

test('publishing subscribes the production URL to the chosen events', async () => {
	const { sandbox, host } = await startTrigger({
		parameters: {
			events: ['tag.added', 'message.received'],
			options: { otherEvents: 'contact.created' },
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
	const { sandbox, host } = await startTrigger();
	await host.publish();
	const before = [...sandbox.store.subscriptions.keys()];
	sandbox.requests.length = 0;
	await host.startAsOlderVersion();
	expect(calls(sandbox)).toEqual(['GET /v1/subscriptions']);
	expect([...sandbox.store.subscriptions.keys()]).toEqual(before);
});

test('the order in which the service lists the events does not matter', async () => {
	const { sandbox, host } = await startTrigger({
		parameters: { events: ['tag.added', 'message.received'] },
	});
	await host.publish();
	for (const subscription of sandbox.store.subscriptions.values()) subscription.events.reverse();
	sandbox.requests.length = 0;
	await host.startAsOlderVersion();
	expect(calls(sandbox)).toEqual(['GET /v1/subscriptions']);
});

describe('what is not exactly right is replaced by one new subscription', () => {
	test.each(['fewer', 'more', 'other'])('%s events than before', async (kind) => {
		const { sandbox, host } = await startTrigger({
			parameters: { events: ['tag.added', 'message.received'] },
		});
		await host.publish();
		const [before] = sandbox.store.subscriptions.keys();
		const events = {
			fewer: ['tag.added'],
			more: ['tag.added', 'message.received', 'form.submitted'],
			other: ['tag.added', 'form.submitted'],
		}[kind] as string[];
		host.options.parameters.events = events;
		await host.publish();
		const [after, ...others] = [...sandbox.store.subscriptions.values()];
		expect(others).toEqual([]);
		expect(after.id).not.toBe(before);
		expect([...after.events].sort()).toEqual([...events].sort());
	});

	test('a secret that was lost', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		const [before] = sandbox.store.subscriptions.keys();
		host.stored.webhook = '{}';
		await host.startAsOlderVersion();
		expect(sandbox.store.subscriptions.size).toBe(1);
		expect(sandbox.store.subscriptions.has(before)).toBe(false);
		await expectDelivery(sandbox, host);
	});

	test('a subscription of ours that is not the stored one', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		const [stored] = [...sandbox.store.subscriptions.values()];
		sandbox.store.subscriptions.clear();
		sandbox.store.subscriptions.set('other', { ...stored, id: 'other', secret: 'x' });
		await host.startAsOlderVersion();
		expect(sandbox.store.subscriptions.has('other')).toBe(false);
		expect(sandbox.store.subscriptions.size).toBe(1);
		await expectDelivery(sandbox, host);
	});

	test('several of ours', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		const [first] = [...sandbox.store.subscriptions.values()];
		for (const id of ['a', 'b']) sandbox.store.subscriptions.set(id, { ...first, id });
		await host.startAsOlderVersion();
		expect(sandbox.store.subscriptions.size).toBe(1);
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

test('twenty rounds of publishing and unpublishing leave nothing behind', async () => {
	const { sandbox, host } = await startTrigger();
	for (let round = 0; round < 20; round += 1) {
		await host.publish();
		expect(sandbox.store.subscriptions.size).toBe(1);
		await host.unpublish();
		expect(sandbox.store.subscriptions.size).toBe(0);
	}
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
				'The service created the webhook subscription without an ID or a signing secret. Without an ID and a signing secret, n8n cannot tell genuine deliveries from forged ones, so this node does not use the subscription. Try again. If this happens again, report it to the provider of the service.',
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
			`The service did not confirm the webhook subscription. The connection to the service broke before its answer arrived. Reason: the connection was closed (ECONNRESET). If this happens again, check whether the base URL (${sandbox.url}) should start with http:// or https://. Publish the workflow again in a few minutes.`,
		);
		expect(sandbox.store.subscriptions.size).toBe(0);
	});
});

test.each([
	'http://n8n.example.com',
	'https://localhost:5678',
	'http://localhost:5678',
	'https://192.168.1.20',
	'https://n8n',
])('a webhook URL at %s is refused before any request', async (publicOrigin) => {
	const { sandbox, host } = await startTrigger({ publicOrigin });
	const error = await failureOf(host.publish());
	expect(error?.message).toBe(
		`The CRM can't send events to this n8n: its address cannot be reached from the internet. Ask whoever runs n8n to set the environment variables N8N_WEBHOOK_URL and WEBHOOK_URL to its public https address, and to restart n8n. In queue mode, the workers need them too. Now its webhook URL is ${host.url()}. To try things out on your own machine, use a tunnel.`,
	);
	expect(host.url()?.startsWith(`${publicOrigin}/webhook/`)).toBe(true);
	expect(error?.description).toBeUndefined();
	await host.unpublish();
	expect(sandbox.requests).toEqual([]);
});

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
		'The ID of this workflow has 22 characters, and n8n stores no data for workflows with more than 21. Copy all nodes into a new workflow, and publish that one. n8n gives it an ID that fits.',
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
		`The workspace has 20 webhook subscriptions, and the service allows 20. Delete one that is no longer needed, with the operation Subscription › Delete of the Workspace CRM node, and publish again. 3 of them point at triggers of this n8n: ${places.join(', ')}.`,
	);
	expect(error?.description).toBeUndefined();
	expect(sandbox.store.subscriptions.size).toBe(20);
});

describe('unpublishing', () => {
	test('deletes the subscription', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		await host.unpublish();
		expect(sandbox.store.subscriptions.size).toBe(0);
		expect(host.log).toEqual([]);
	});

	test('is fine when it is gone already', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		sandbox.store.subscriptions.clear();
		await host.unpublish();
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
		expect(host.log.join()).toContain('The API key was not accepted');

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
	expect(error?.message).toBe(
		'The API key was not accepted. Open the credential and paste the key again. It may be mistyped, or it was revoked; an Admin can create a new one in the app under the REST API integration settings. The service says: "API key revoked" (HTTP 401)',
	);
	expect([error?.description, error?.httpCode]).toEqual([undefined, '401']);
	expect(sandbox.store.subscriptions.size).toBe(0);
});

test('a test that cannot begin says what to do in its message, as that is all that n8n shows', async () => {
	const { sandbox, host } = await startTrigger();
	sandbox.fail({ times: 99, kind: { status: 403, detail: 'no' } });
	const error = await failureOf(host.publish(true));
	expect(error?.message).toMatch(
		/^The API key is not allowed to do this\. .+\. The service says: "no" \(HTTP 403\)$/,
	);
	expect(error?.description).toBeUndefined();
});

async function expectDelivery(
	sandbox: Awaited<ReturnType<typeof startTrigger>>['sandbox'],
	host: Awaited<ReturnType<typeof startTrigger>>['host'],
): Promise<void> {
	const before = host.started.length;
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	await sandbox.settled();
	expect(host.started).toHaveLength(before + 1);
}
