import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { CLEAN_UP_MS } from '../../nodes/WorkspaceCrm/domain/timeLimits';
import { signatureOf, type Sandbox } from '../../tools/sandbox';
import { delay } from '../../tools/support/platform';
import { deliver, eventBody } from './signedDelivery';
import { addSubscription, scaledClock, useSandbox } from './support';
import { PUBLIC_ORIGIN, TriggerHost, type TriggerHostOptions, type Writer } from './triggerHost';
import { startTrigger, stopTriggers } from './triggerSetup';

/** Publishing and unpublishing, and what is stored with the workflow for the deliveries. */
afterEach(async () => await stopTriggers());

async function published(options: Partial<TriggerHostOptions> = {}) {
	const setup = await startTrigger(options);
	await setup.host.publish();
	return { ...setup, send: deliver.bind(undefined, setup) };
}

const subscriptionsOf = ({ store }: Sandbox) => [...store.subscriptions.values()];

/** What a Changes Trigger of the same workflow does to static data before n8n saves it. */
const refresh = (host: TriggerHost, { staticData }: Writer) =>
	host.known.get('workflow-1')?.forEach((data) => data.writeInto(staticData));

/** How long a replaced subscription stays. */
const REPLACED_MS = 2 * 60_000;

const conflict = { status: 409, detail: 'exists' };

type Setup = Awaited<ReturnType<typeof startTrigger>>;
type Published = Awaited<ReturnType<typeof published>>;

const calls = (sandbox: { requests: Array<{ method: string; path: string }> }) =>
	sandbox.requests.map(({ method, path }) => `${method} ${path.replace(/[^/]{20,}$/, '{id}')}`);

const failureOf = async (promise: Promise<unknown>) =>
	await promise.then(
		() => undefined,
		(error: NodeApiError) => error,
	);

async function expectDelivery(sandbox: Sandbox, host: TriggerHost): Promise<void> {
	const before = host.started.length;
	sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
	await sandbox.settled();
	expect(host.started).toHaveLength(before + 1);
}

test('publishing takes four requests in a new process, the deletion of a lost subscription included', async () => {
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
		parameters: { events: ['tag.added', 'message.received', 'contact.created'] },
	});
	await host.publish();
	const [subscription, ...others] = subscriptionsOf(sandbox);
	expect([subscription.url, others]).toEqual([host.url(), []]);
	expect(subscription.url).toMatch(/^https:\/\/n8n\.example\.com\/webhook\/.+\/webhook$/);
	expect([...subscription.events].sort()).toEqual([
		'contact.created',
		'message.received',
		'tag.added',
	]);
});

describe('a subscription that does not match is replaced by one new one', () => {
	test.each([[['tag.added']], [['tag.added', 'form.submitted']]])(
		'after a change of the events to %j',
		async (events) => {
			const { sandbox, host } = await startTrigger({
				parameters: { events: ['tag.added', 'message.received'] },
			});
			await host.publish();
			const [before] = sandbox.store.subscriptions.keys();
			host.options.parameters = { events };
			await host.publish();
			await host.pass(REPLACED_MS);
			const [after, ...others] = subscriptionsOf(sandbox);
			expect(others).toEqual([]);
			expect(after.id).not.toBe(before);
			expect([...after.events].sort()).toEqual([...events].sort());
		},
	);

	test('when an older n8n starts with other events, as after an import', async () => {
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
		[
			'a subscription that the service has paused',
			({ sandbox }: Setup) => {
				const [stored] = subscriptionsOf(sandbox);
				const body = JSON.stringify([{ ...stored, secret: undefined, active: false }]);
				const match = { method: 'GET', path: /subscriptions$/ };
				sandbox.fail({ match, kind: { status: 200, body } });
			},
		],
	])('%s', async (_, act) => {
		const setup = await startTrigger();
		const { sandbox, host } = setup;
		await host.publish();
		const [{ id }] = subscriptionsOf(sandbox);
		act(setup);
		await host.startAsOlderVersion();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		for (const old of [id, 'other']) expect(sandbox.store.subscriptions.has(old)).toBe(false);
		await expectDelivery(sandbox, host);
	});
});

test('leaves subscriptions to other URLs alone, even to this n8n', async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	const [ours] = subscriptionsOf(sandbox);
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
	await host.unpublish(false, REPLACED_MS);
	expect([...sandbox.store.subscriptions.keys()]).toEqual([
		'other-workflow',
		'other-system',
		'longer',
		'upper-case-path',
	]);
});

test('a test and a published workflow have separate subscriptions', async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	const [production] = subscriptionsOf(sandbox);
	await host.publish(true);
	expect(subscriptionsOf(sandbox).map(({ url }) => url)).toEqual([host.url(), host.url(true)]);
	await host.unpublish(true);
	expect([...sandbox.store.subscriptions.keys()]).toEqual([production.id]);
	await expectDelivery(sandbox, host);
});

test('a test that cannot start leaves the published subscription alone', async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	host.options.parameters.events = [];
	await host.publish(true).catch(() => undefined);
	// n8n then removes what it takes for half registered.
	await host.unpublish(true);
	expect(subscriptionsOf(sandbox)).toHaveLength(1);
	host.options.parameters.events = ['message.received'];
	await expectDelivery(sandbox, host);
});

test('the next test deletes the subscription of a test that crashed', async () => {
	const { sandbox, host } = await startTrigger();
	await host.publish();
	await host.publish(true);
	host.restart();
	await host.publish(true);
	expect(sandbox.store.subscriptions.size).toBe(2);
	await host.unpublish(true);
	expect(subscriptionsOf(sandbox)).toHaveLength(1);
	await expectDelivery(sandbox, host);
});

test('leaves nothing behind if the answer to the new subscription is lost', async () => {
	const { sandbox, host } = await startTrigger();
	sandbox.fail({ match: { method: 'POST' }, times: 5, kind: { drop: 'afterEffect' } });
	const error = await failureOf(host.publish());
	expect(error?.message).toBe(
		`The service did not confirm the webhook subscription. The connection to the service broke before its answer arrived. Try again in a few minutes. Reason: the connection was closed (ECONNRESET). If this happens again, check the base URL in the credential (${sandbox.url}), also its http:// or https://.`,
	);
	expect(sandbox.store.subscriptions.size).toBe(0);
});

test.each(['http://n8n.example.com', 'https://localhost:5678', 'https://192.168.1.20'])(
	'refuses to publish at %s, before any request',
	async (publicOrigin) => {
		const { sandbox, host } = await startTrigger({ publicOrigin });
		const error = await failureOf(host.publish());
		expect(error?.message).toBe(
			`The CRM can't send events to this n8n: its address cannot be reached from the internet. Ask whoever runs n8n to set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions) to its public https address, and to restart n8n. In queue mode, set it for the workers, too. The webhook URL of n8n is now ${host.url()}. To try things out on your own machine, use a tunnel.`,
		);
		expect(host.url()?.startsWith(`${publicOrigin}/webhook/`)).toBe(true);
		expect(error?.description).toBeUndefined();
		await host.unpublish();
		expect(sandbox.requests).toEqual([]);
	},
);

test('refuses to publish without an event, before any request', async () => {
	const { sandbox, host } = await startTrigger({ parameters: { events: [] } });
	expect((await failureOf(host.publish()))?.message).toBe(
		"'Trigger On' is empty. Fill in this field.",
	);
	expect(sandbox.requests).toEqual([]);
});

test('refuses to publish a workflow whose ID is too long for n8n to store the secret', async () => {
	const { sandbox, host } = await startTrigger({ workflowId: 'imported-workflow-0001' });
	expect((await failureOf(host.publish()))?.message).toBe(
		'The ID of this workflow has 22 characters, and n8n stores no data for workflows with more than 21. Copy all nodes into a new workflow, and publish that one. n8n gives it a shorter ID.',
	);
	expect(sandbox.requests).toEqual([]);
	// The secret of a test is kept with the test.
	await host.publish(true);
	expect(subscriptionsOf(sandbox)).toHaveLength(1);
});

test('at the limit of 20, the error names the subscriptions of this n8n and of its former address', async () => {
	const { sandbox, host } = await startTrigger();
	const formerUrl = host.url()?.replace(PUBLIC_ORIGIN, 'https://former.example.com');
	const urlOf = (index: number) => {
		if (index === 2) return formerUrl ?? '';
		return `${index < 2 ? PUBLIC_ORIGIN : 'https://elsewhere.example.org'}/webhook/${index}`;
	};
	for (let index = 0; index < 20; index += 1) {
		addSubscription(sandbox, { id: `sub-${index}`, url: urlOf(index) });
	}
	const error = await failureOf(host.publish());
	const places = [0, 1, 2].map((index) => `${urlOf(index)} (sub-${index})`);
	expect(error?.message).toBe(
		`The workspace has 20 webhook subscriptions, and the service allows 20. Delete one that is no longer needed, with the operation Subscription › Delete of the Workspace CRM node. 3 of them belong to this n8n, now or under a former address: ${places.join(', ')}.`,
	);
	expect(error?.description).toBeUndefined();
	expect(sandbox.store.subscriptions.size).toBe(20);
});

describe('unpublishing', () => {
	test('deletes the subscription each time, even if it is already gone', async () => {
		const { sandbox, host } = await startTrigger();
		for (const isNotFound of [false, true, false]) {
			await host.publish();
			expect(subscriptionsOf(sandbox)).toHaveLength(1);
			if (isNotFound) sandbox.store.subscriptions.clear();
			await host.unpublish();
			expect(sandbox.store.subscriptions.size).toBe(0);
		}
		expect(host.log).toEqual([]);
	});

	test('leaves a subscription it has no record of, as another workflow may own it', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		host.stored.webhook = '{}';
		host.restart();
		await host.unpublish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		await expectDelivery(sandbox, host);
	});

	test('works with a revoked key: the log names the ID, and publishing deletes it', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		const [{ id }] = subscriptionsOf(sandbox);
		sandbox.revokeKey();
		await host.unpublish();
		expect(host.log.join()).toContain(id);
		expect(host.log.join()).toContain('The API key');

		sandbox.restoreKey();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(sandbox.store.subscriptions.has(id)).toBe(false);
		await expectDelivery(sandbox, host);
	});

	test('works while the service is down', async () => {
		const { sandbox, host } = await startTrigger();
		await host.publish();
		await sandbox.close();
		await host.unpublish();
		// No request shows how far it is.
		for (let waits = 0; waits < 100 && host.log.length === 0; waits += 1) await delay(50);
		expect(host.log.join()).toContain('The service could not be reached');
	});
});

test.each<[string, boolean, (sandbox: Sandbox) => void, RegExp]>([
	[
		'a published workflow, 401',
		false,
		(sandbox) => sandbox.revokeKey(),
		/^The API key .+\. Open the credential .+\. The service says: "API key revoked" \(HTTP 401\)$/,
	],
	[
		'a published workflow, 409',
		false,
		(sandbox) => sandbox.fail({ match: { method: 'POST' }, times: 9, kind: conflict }),
		/^The service refused to make this webhook subscription\. The workspace may already have a subscription for this URL, .+\. The service says: "exists" \(HTTP 409\)$/,
	],
	[
		'a test, 403',
		true,
		(sandbox) => sandbox.fail({ times: 99, kind: { status: 403, detail: 'no' } }),
		/^The service refused the request with status 403\. .+\. The service says: "no" \(HTTP 403\)$/,
	],
])(
	'puts everything into the message, as n8n shows nothing else: %s',
	async (_, isTest, prepare, message) => {
		const { sandbox, host } = await startTrigger();
		prepare(sandbox);
		const error = await failureOf(host.publish(isTest));
		expect(error?.message).toMatch(message);
		expect(error?.message).not.toMatch(/opted out|enrolled|automation/);
		expect(error?.description).toBeUndefined();
		expect(subscriptionsOf(sandbox)).toEqual([]);
	},
);

describe('the secret', () => {
	test('verifies deliveries although the address of n8n has changed', async () => {
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

	test('of a new subscription stays when a poller or a Code node saves older data', async () => {
		const { host, send } = await published();
		const writer = host.openWriter();
		host.options.parameters = { events: ['message.received', 'tag.added'] };
		await host.publish();
		writer.staticData.global = { counter: 1 };
		writer.save();
		expect((await send({ body: eventBody() })).status).toBe(200);
		expect((JSON.parse(host.stored.webhook) as IDataObject).global).toEqual({ counter: 1 });
	});

	test('survives a restart if a Changes Trigger saved last', async () => {
		const { host, send } = await published();
		const poll = host.openWriter();
		host.options.parameters = { events: ['message.received', 'tag.added'] };
		await host.publish();
		refresh(host, poll);
		poll.save();
		host.restart();
		expect((await send({ body: eventBody() })).status).toBe(200);
	});

	test('survives a restart if the node has taken the name of a deleted one', async () => {
		const { sandbox, host, send } = await published();
		const gone = new TriggerHost(sandbox, {
			...host.options,
			nodeId: 'gone',
			nodeName: 'Gone',
		});
		gone.known = host.known;
		await gone.publish();
		await gone.unpublish();
		host.options.nodeName = 'Gone';
		await host.publish();
		const poll = host.openWriter();
		refresh(host, poll);
		poll.save();
		host.restart();
		expect((await send({ body: eventBody() })).status).toBe(200);
	});

	/** Whether an event is accepted that the service signed with a secret. */
	const accepts = async ({ send }: Pick<Published, 'send'>, secret: string) => {
		const body = eventBody('message.received', {}, { created_at: undefined });
		const headers = { 'x-service-signature': signatureOf(body, secret) };
		return (await send({ body, headers })).status === 200;
	};

	test('of an unpublished node is no longer accepted, not even after publishing again', async () => {
		const setup = await published();
		const [{ secret }] = subscriptionsOf(setup.sandbox);
		const run = setup.host.openWriter();
		await setup.host.unpublish();
		run.save();
		expect(await accepts(setup, secret)).toBe(false);
		await setup.host.publish();
		expect(await accepts(setup, secret)).toBe(false);
	});

	test("of each replaced subscription is accepted until the service's last try", async () => {
		const setup = await published();
		const secrets: string[] = [];
		for (const events of [['tag.added'], ['form.submitted'], []]) {
			secrets.push(subscriptionsOf(setup.sandbox)[0].secret);
			setup.host.options.parameters = { events: ['message.received', ...events] };
			await setup.host.publish();
			await setup.host.pass(10 * 60_000);
			expect(subscriptionsOf(setup.sandbox)).toHaveLength(1);
		}
		setup.host.restart();
		// 30, 20 and 10 minutes ago.
		const accepted = async () =>
			await Promise.all(secrets.map(async (secret) => await accepts(setup, secret)));
		expect(await accepted()).toEqual([true, true, true]);
		await setup.host.pass(2 * 60_000);
		expect(await accepted()).toEqual([false, true, true]);
		expect(await accepts(setup, 'another')).toBe(false);
	});
});

/** How many times as fast the clock runs: a minute lasts long enough to publish in it on a busy machine. */
const SPEED = 40;
const OVER_A_MINUTE = { delayMs: 65_000 / SPEED };

/** A clock that runs fast, also for requests, but not for cleaning up. */
function shortMinutes() {
	const signalAfter = (ms: number) => AbortSignal.timeout(ms === CLEAN_UP_MS ? ms : ms / SPEED);
	return { ...scaledClock(SPEED), signalAfter };
}

const TOO_LATE =
	'The service took too long to answer. Publish again in a few minutes. If this happens again, ask the provider of the service.';

const MAY_BE_LEFT =
	'The service may still have a subscription. Its deliveries are refused, so it starts nothing. Publish again to delete it.';

describe('publishing ends within a minute', () => {
	test.each([
		['lists slowly', 'GET'],
		['creates slowly', 'POST'],
	])('with an error and no subscription, if the service %s', async (_, method) => {
		const clock = shortMinutes();
		const { sandbox, host } = await startTrigger({ clock });
		sandbox.fail({
			match: { method, path: /subscriptions/ },
			times: 100,
			kind: OVER_A_MINUTE,
		});
		const error = await failureOf(host.publish());
		expect(error?.message).toBe(TOO_LATE);
		expect(subscriptionsOf(sandbox)).toEqual([]);
		sandbox.clearFaults();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});

	test('says that a subscription may be left if the service creates slowly and cannot be asked for it', async () => {
		const { sandbox, host } = await startTrigger({ clock: shortMinutes(), attempts: 1 });
		const match = { path: /subscriptions/ };
		sandbox.fail({ match: { ...match, method: 'POST' }, kind: OVER_A_MINUTE });
		sandbox.fail({
			match: { ...match, method: 'GET' },
			skip: 1,
			times: 10,
			kind: { status: 503 },
		});
		const error = await failureOf(host.publish());
		const [tooLate] = TOO_LATE.split('. ');
		expect(error?.message.startsWith(`${tooLate}. ${MAY_BE_LEFT}`)).toBe(true);
		const [{ id }] = subscriptionsOf(sandbox);
		sandbox.clearFaults();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
	});

	test('says that a subscription may be left if the outcome is unknown; the next publish deletes it', async () => {
		const { sandbox, host } = await startTrigger({ attempts: 1 });
		sandbox.fail({ match: { method: 'POST' }, kind: { drop: 'afterEffect' } });
		sandbox.fail({
			match: { method: 'GET', path: /subscriptions/ },
			skip: 1,
			times: 10,
			kind: { status: 503 },
		});
		const error = await failureOf(host.publish());
		expect(
			error?.message.startsWith(
				`The service did not confirm the webhook subscription. ${MAY_BE_LEFT} The connection to the service broke before its answer arrived. `,
			),
		).toBe(true);
		expect(error?.description).toBeUndefined();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		const [{ id }] = subscriptionsOf(sandbox);
		sandbox.clearFaults();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
	});

	test('says that a subscription may be left if the outcome is unknown and none is listed yet', async () => {
		const { sandbox, host } = await startTrigger({ attempts: 1 });
		sandbox.fail({ match: { method: 'POST' }, kind: { drop: 'beforeEffect' } });
		const error = await failureOf(host.publish());
		expect(error?.message).toContain(MAY_BE_LEFT);
		expect(subscriptionsOf(sandbox)).toEqual([]);
	});

	test('a failed publish takes no time from the next one', async () => {
		const clock = shortMinutes();
		const { sandbox, host } = await startTrigger({ clock, attempts: 1 });
		const match = { method: 'GET', path: /subscriptions/ };
		sandbox.fail({ match, times: 100, kind: OVER_A_MINUTE });
		expect((await failureOf(host.publish()))?.message).toMatch(/^The service took too long/);
		sandbox.clearFaults();
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});

	test('publishes that succeed take no time from each other', async () => {
		const { sandbox, host } = await startTrigger({ attempts: 1 });
		for (let times = 0; times < 12; times += 1) {
			await host.publish();
			await host.pass(6_000);
			await host.unpublish();
			expect(subscriptionsOf(sandbox)).toEqual([]);
		}
		expect(host.log).toEqual([]);
	});
});

describe('when an older n8n starts, it', () => {
	test('keeps the subscription if the list cannot be read', async () => {
		const { sandbox, host } = await published();
		const before = subscriptionsOf(sandbox);
		sandbox.fail({ match: { path: /subscriptions/ }, times: 20, kind: { status: 503 } });
		await host.startAsOlderVersion();
		sandbox.clearFaults();
		expect(subscriptionsOf(sandbox)).toEqual(before);
	});

	test.each([
		[
			'with the host in capitals',
			(url: string) => url.replace(PUBLIC_ORIGIN, 'https://N8N.EXAMPLE.COM'),
		],
		['with the port', (url: string) => url.replace(PUBLIC_ORIGIN, `${PUBLIC_ORIGIN}:443`)],
		['with a slash at the end', (url: string) => `${url}/`],
		['as it was', (url: string) => url],
	])(
		'keeps the subscription, with one request, if the service writes its URL %s',
		async (_, rewrite) => {
			const { sandbox, host } = await published({
				parameters: { events: ['tag.added', 'message.received'] },
			});
			for (const each of subscriptionsOf(sandbox)) each.url = rewrite(each.url);
			for (const each of subscriptionsOf(sandbox)) each.events.reverse();
			const before = subscriptionsOf(sandbox).map(({ id }) => id);
			sandbox.requests.length = 0;
			for (let start = 0; start < 3; start += 1) await host.startAsOlderVersion();
			expect(calls(sandbox)).toEqual(Array(3).fill('GET /v1/subscriptions'));
			expect(subscriptionsOf(sandbox).map(({ id }) => id)).toEqual(before);
		},
	);
});

test('leaves the old subscription after the address of n8n has changed, and the log names it', async () => {
	const { sandbox, host } = await published();
	const [{ id, url }] = subscriptionsOf(sandbox);
	host.options.publicOrigin = 'https://new.example.com';
	host.restart();
	await host.unpublish();
	await host.publish();
	const line = expect.stringContaining(`${id} to ${url} was not deleted`) as string;
	expect(host.log).toEqual([line, line]);
	expect(subscriptionsOf(sandbox).map((each) => each.url)).toEqual([url, host.url()]);
});

const otherKey = 'another-key';
const elsewhere = useSandbox({ apiKey: otherKey, workspace: { id: 'w2', name: 'W' } });

/** Static data goes along with copies of a workflow, and the credential may get another key. */
describe('a subscription that belongs to another node or workspace', () => {
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
		// With one N8N_ENCRYPTION_KEY, they have one instance ID, and an import by CLI keeps the other IDs.
		['another n8n with the same IDs', { publicOrigin: origin }],
		['another n8n', { instanceId: 'staging', publicOrigin: origin }],
		['another workflow', { workflowId: 'workflow-2', nodeId: 'another' }],
		['another node', { nodeId: 'another' }],
	])('stays when a copy in %s is published and unpublished', async (_, options) => {
		const { sandbox, host, original, copy } = await copyOf(options);
		await copy.publish();
		copy.options.parameters = { events: ['message.received', 'tag.added'] };
		await copy.publish();
		await copy.pass(REPLACED_MS);
		expect(subscriptionsOf(sandbox)).toHaveLength(2);
		await copy.unpublish();
		expect(copy.log).toEqual([
			expect.stringContaining(`${original.id} to ${original.url} was not deleted`),
		]);
		expect(subscriptionsOf(sandbox)).toEqual([original]);
		await expectDelivery(sandbox, host);
	});

	test('stays when the answer to a copy is lost', async () => {
		const { sandbox, original, copy } = await copyOf({ publicOrigin: origin });
		sandbox.fail({ match: { method: 'POST' }, times: 5, kind: { drop: 'afterEffect' } });
		await failureOf(copy.publish());
		expect(subscriptionsOf(sandbox)).toEqual([original]);
	});

	test('stays when a copy is unpublished that was never published', async () => {
		const { sandbox, original, copy } = await copyOf({ publicOrigin: origin });
		await copy.unpublish();
		expect(subscriptionsOf(sandbox)).toEqual([original]);
	});

	test('stays, and the log names it, if the credential has the key of another workspace', async () => {
		const { sandbox, host } = await published();
		const [{ id, url }] = subscriptionsOf(sandbox);
		host.options.credential = { baseUrl: elsewhere.url, apiKey: otherKey };
		await host.unpublish();
		expect(host.log.join()).toContain(`${id} to ${url} was not deleted`);
		expect(calls(elsewhere)).toEqual(['GET /v1/workspace']);
	});

	test("is deleted once its workspace's key is back", async () => {
		const { sandbox, host } = await published();
		const [{ id }] = subscriptionsOf(sandbox);
		for (const credential of [undefined, { baseUrl: elsewhere.url, apiKey: otherKey }, undefined]) {
			host.options.credential = credential;
			await host.unpublish();
			await host.publish();
		}
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(subscriptionsOf(sandbox)[0].id).not.toBe(id);
		await expectDelivery(sandbox, host);
	});

	test('is still ours after the workspace got another base URL', async () => {
		const { sandbox, host } = await published();
		host.options.credential = { baseUrl: sandbox.url.replace('127.0.0.1', 'localhost') };
		await host.unpublish();
		expect([subscriptionsOf(sandbox), host.log]).toEqual([[], []]);
	});

	test('is still ours after the key was rotated', async () => {
		const { sandbox, host } = await published();
		sandbox.rotateKey('the-rotated-key');
		host.options.credential = { apiKey: 'the-rotated-key' };
		await host.unpublish();
		expect(subscriptionsOf(sandbox)).toEqual([]);
		expect(host.log).toEqual([]);
	});
});

test('publishes if its subscription is gone and the service answers 404', async () => {
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
	['has no ID', { id: undefined }],
	['has no secret', { secret: undefined }],
	['is not active', { active: false }],
	['has no events', { events: [] }],
	['lacks an event', { events: ['tag.added'] }],
	['goes to another URL', { url: 'https://elsewhere.example.org/hook' }],
])('a new subscription that %s is an error, and is deleted', async (_, change) => {
	const { sandbox, host } = await startTrigger();
	host.options.parameters = { events: ['message.received', 'tag.added'] };
	const rewrite = (payload: string) =>
		JSON.stringify({ ...(JSON.parse(payload) as object), ...change });
	sandbox.fail({ match: { method: 'POST' }, times: 9, kind: { rewrite } });
	const error = await failureOf(host.publish());
	expect(error?.message).toMatch(
		/^The service created a webhook subscription that cannot deliver the events\. .+ Report this to the provider of the service\.$/,
	);
	expect(error?.description).toBeUndefined();
	expect(subscriptionsOf(sandbox)).toEqual([]);
	expect(host.stored.webhook).not.toContain('secret');
});

test('inactive subscriptions do not count towards the limit', async () => {
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
