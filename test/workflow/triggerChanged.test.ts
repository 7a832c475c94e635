import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { signatureOf, type Sandbox } from '../../tools/sandbox';
import { deliver, eventBody } from './signedDelivery';
import { addSubscription, useSandbox } from './support';
import { TriggerHost, type TriggerHostOptions } from './triggerHost';
import { startTrigger, stopTriggers } from './triggerSetup';

/** A published trigger is changed, unpublished, or published again: no event is lost, and nothing is left. */
afterEach(async () => await stopTriggers());

const MINUTE_MS = 60_000;

async function published(options: Partial<TriggerHostOptions> = {}) {
	const setup = await startTrigger(options);
	await setup.host.publish();
	const [first] = subscriptionsOf(setup.sandbox);
	setup.sandbox.requests.length = 0;
	return { ...setup, first, send: deliver.bind(undefined, setup) };
}
type Published = Awaited<ReturnType<typeof published>>;

const subscriptionsOf = ({ store }: Sandbox) => [...store.subscriptions.values()];
const idsOf = (sandbox: Sandbox) => subscriptionsOf(sandbox).map(({ id }) => id);

const linesOf = (sandbox: Sandbox) =>
	sandbox.requests.map(({ method, path }) => `${method} ${path.replace(/[^/]{20,}$/, '{id}')}`);

/** Waits for the publishing to fail, and returns what n8n shows. */
const failureOf = async (promise: Promise<unknown>) =>
	await promise.then(
		() => '',
		(error: NodeApiError) => error.message,
	);

const bothEvents = { events: ['message.received', 'tag.added'] };

/** Whether an event is accepted that the service signed with a secret. */
async function accepts({ send }: Pick<Published, 'send'>, secret: string): Promise<boolean> {
	const body = eventBody('message.received', {}, { created_at: undefined });
	return (
		(await send({ body, headers: { 'x-service-signature': signatureOf(body, secret) } })).status ===
		200
	);
}

describe('a change', () => {
	test('of a filter keeps the subscription, with one request', async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		host.options.parameters = { ...host.options.parameters, options: { maxAge: 30 } };
		await host.publish();
		expect(linesOf(sandbox)).toEqual(['GET /v1/subscriptions']);
		expect(await accepts(setup, first.secret)).toBe(true);
		await host.pass(60 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([first.id]);
		host.restart();
		expect(await accepts(setup, first.secret)).toBe(true);
	});

	test('of a filter succeeds while the service is down', async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		sandbox.fail({ times: Infinity, kind: { status: 503 } });
		host.options.parameters = { ...host.options.parameters, options: { maxAge: 30 } };
		await host.publish();
		sandbox.clearFaults();
		await host.pass(60 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([first.id]);
		expect(await accepts(setup, first.secret)).toBe(true);
	});

	test("of events creates the new subscription first, and deletes the old one after the CRM's next tries", async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		host.options.parameters = bothEvents;
		await host.publish();
		expect(linesOf(sandbox)).toEqual([
			'GET /v1/subscriptions',
			'GET /v1/subscriptions',
			'POST /v1/subscriptions',
		]);
		expect(subscriptionsOf(sandbox)).toHaveLength(2);
		await host.pass(90_000);
		expect(idsOf(sandbox)).toContain(first.id);
		await host.pass(30_000);
		expect(subscriptionsOf(sandbox)).toEqual([
			expect.objectContaining({ events: bothEvents.events }),
		]);
		expect(host.log).toEqual([]);
	});

	test('five times in a row: an event that comes by several subscriptions starts the workflow once', async () => {
		const { sandbox, host } = await published();
		for (const other of ['tag.added', 'form.submitted', 'contact.created', 'tag.added']) {
			host.options.parameters = { events: ['message.received', other] };
			await host.publish();
			sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
			await sandbox.settled();
		}
		expect(sandbox.deliveries.length).toBeGreaterThan(4);
		// The service tries again whatever n8n was still handling.
		for (const { deliveryId } of sandbox.deliveries) await sandbox.redeliver(deliveryId);
		expect(host.started).toHaveLength(4);
		await host.pass(3 * MINUTE_MS);
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});

	test('of events keeps what an earlier change has left for the next tries', async () => {
		const { sandbox, host, first } = await published();
		for (const other of ['tag.added', 'form.submitted']) {
			host.options.parameters = { events: ['message.received', other] };
			await host.publish();
			expect(idsOf(sandbox)).toContain(first.id);
			await host.pass(MINUTE_MS);
		}
		expect(subscriptionsOf(sandbox)).toHaveLength(2);
		expect(idsOf(sandbox)).not.toContain(first.id);
	});

	test('leaves one subscription, however often the node is changed', async () => {
		const { sandbox, host } = await published();
		for (let round = 0; round < 6; round += 1) {
			host.options.parameters = round % 2 === 0 ? bothEvents : { events: ['message.received'] };
			await host.publish();
			if (round === 3) await host.unpublish(false, 5_000);
		}
		await host.pass(3 * MINUTE_MS);
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
	});
});

describe('a change that fails', () => {
	const creating = { method: 'POST', path: /subscriptions/ };
	const DOWN = /^This trigger receives no events now: publish again\. /;

	test('keeps the old subscription, says that no events arrive, and loses none if published again', async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		sandbox.fail({ match: creating, times: Infinity, kind: { status: 503 } });
		host.options.parameters = bothEvents;
		const message = await failureOf(host.publish());
		expect(message).toMatch(DOWN);
		expect(message).toMatch('Within ten minutes');
		await host.pass(9 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([first.id]);
		sandbox.clearFaults();
		await host.publish();
		expect(await accepts(setup, first.secret)).toBe(true);
		// The next try of what was refused first may come as late.
		await host.pass(10 * MINUTE_MS);
		expect(idsOf(sandbox)).toContain(first.id);
		expect(await accepts(setup, first.secret)).toBe(true);
		await host.pass(2 * MINUTE_MS);
		expect(subscriptionsOf(sandbox)).toEqual([expect.objectContaining(bothEvents)]);
	});

	test('leaves nothing if it is not published again', async () => {
		const { sandbox, host } = await published();
		sandbox.fail({ match: creating, times: Infinity, kind: { status: 503 } });
		host.options.parameters = bothEvents;
		expect(await failureOf(host.publish())).toMatch(DOWN);
		sandbox.clearFaults();
		await host.pass(31 * MINUTE_MS);
		expect([idsOf(sandbox), host.log]).toEqual([[], []]);
	});

	test('is unpublished: the subscription goes at once', async () => {
		const { sandbox, host } = await published();
		sandbox.fail({ match: creating, times: Infinity, kind: { status: 503 } });
		host.options.parameters = bothEvents;
		await failureOf(host.publish());
		await host.unpublish();
		expect(idsOf(sandbox)).toEqual([]);
	});

	test('because the settings are wrong keeps the old subscription as well', async () => {
		const { sandbox, host, first } = await published();
		host.options.parameters = { events: [] };
		expect(await failureOf(host.publish())).toMatch(DOWN);
		await host.pass(MINUTE_MS);
		host.options.parameters = { events: ['message.received'] };
		await host.publish();
		await host.pass(60 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([first.id]);
	});

	test('for the first time says nothing of the kind', async () => {
		const { sandbox, host } = await startTrigger();
		sandbox.fail({ match: creating, times: Infinity, kind: { status: 503 } });
		expect(await failureOf(host.publish())).not.toMatch(DOWN);
	});
});

describe('if all 20 places are used', () => {
	const fill = (sandbox: Sandbox) => {
		for (let index = 1; index < 20; index += 1) {
			addSubscription(sandbox, { id: `other-${index}`, url: 'https://elsewhere.example.org/x' });
		}
	};

	test('the old subscription goes first', async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		fill(sandbox);
		host.options.parameters = bothEvents;
		await host.publish();
		expect([idsOf(sandbox).length, idsOf(sandbox).includes(first.id)]).toEqual([20, false]);
		expect(host.log).toEqual([
			expect.stringContaining(`${first.id} was deleted before the new one was created`),
		]);
		expect(await accepts(setup, first.secret)).toBe(true);
	});

	test('and another client takes the free place, the error says that no events arrive', async () => {
		const { sandbox, host } = await published();
		fill(sandbox);
		sandbox.fail({ match: { method: 'POST' }, times: 99, kind: { status: 409, detail: 'full' } });
		host.options.parameters = bothEvents;
		const message = await failureOf(host.publish());
		expect(message).toMatch(/^This trigger receives no events now: publish again\. /);
		expect(message).not.toMatch('Within ten minutes');
		expect(idsOf(sandbox)).toHaveLength(19);
	});

	test('those before it go before it', async () => {
		const { sandbox, host, first } = await published();
		host.options.parameters = bothEvents;
		await host.publish();
		const [, second] = idsOf(sandbox);
		fill(sandbox);
		sandbox.store.subscriptions.delete('other-19');
		host.options.parameters = { events: ['message.received'] };
		await host.publish();
		expect([idsOf(sandbox).includes(first.id), idsOf(sandbox).includes(second)]).toEqual([
			false,
			true,
		]);
	});

	test('or the service allows only one subscription for a URL, the old one goes first', async () => {
		const { sandbox, host, first } = await published();
		sandbox.fail({ match: { method: 'POST' }, times: 1, kind: { status: 409, detail: 'exists' } });
		host.options.parameters = bothEvents;
		await host.publish();
		expect(idsOf(sandbox)).toEqual([expect.not.stringMatching(first.id)]);
	});
});

describe('a subscription whose deletion is scheduled', () => {
	test('goes after 20 seconds, and starts nothing meanwhile', async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		await host.unpublish(false, 19_000);
		expect(idsOf(sandbox)).toEqual([first.id]);
		expect(await accepts(setup, first.secret)).toBe(false);
		await host.pass(1_000);
		expect(idsOf(sandbox)).toEqual([]);
		expect(host.log).toEqual([expect.stringContaining('came while the trigger was not published')]);
	});

	test('is replaced if the workflow is published again, and its secret counts no more', async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		await host.unpublish(false, 0);
		await host.publish();
		expect(await accepts(setup, first.secret)).toBe(false);
		expect(idsOf(sandbox)).toEqual([expect.not.stringMatching(first.id)]);
		await host.pass(60 * MINUTE_MS);
		expect(subscriptionsOf(sandbox)).toHaveLength(1);
		expect(linesOf(sandbox).filter((line) => line.startsWith('DELETE'))).toHaveLength(1);
	});

	test('is replaced even if publishing again fails first: its secret counts no more', async () => {
		const setup = await published();
		const { sandbox, host, first } = setup;
		await host.unpublish(false, 0);
		sandbox.fail({ match: { method: 'POST' }, times: Infinity, kind: { status: 503 } });
		await failureOf(host.publish());
		sandbox.clearFaults();
		// n8n now takes this for a change.
		await host.publish();
		expect(await accepts(setup, first.secret)).toBe(false);
		expect(idsOf(sandbox)).not.toContain(first.id);
	});

	test.each([
		['at the same address', {}, 1],
		['at another address', { publicOrigin: 'https://new.example.com' }, 2],
	])('is left if n8n is killed; publishing %s deals with it', async (_, more, left) => {
		const { sandbox, host, first } = await published();
		await host.unpublish(false, 0);
		host.restart();
		await host.pass(60 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([first.id]);
		Object.assign(host.options, more);
		await host.publish();
		expect(subscriptionsOf(sandbox)).toHaveLength(left);
		expect(host.log.filter((line) => line.includes(first.id))).toHaveLength(left - 1);
	});

	test('that another process replaces: what the other has made stays', async () => {
		const { sandbox, host, first } = await published();
		host.options.parameters = bothEvents;
		const other = new TriggerHost(sandbox, { ...host.options });
		// The leader changes between the two steps.
		await host.change(() => void (other.stored = host.stored), other);
		await host.pass(60 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([expect.not.stringMatching(first.id)]);
		expect([...host.log, ...other.log]).toEqual([]);
	});

	test('by another process does not stay in place, even if only a filter has changed', async () => {
		const { sandbox, host, first } = await published();
		const other = new TriggerHost(sandbox, { ...host.options });
		await host.change(() => {
			other.options.parameters = { ...host.options.parameters, options: { maxAge: 30 } };
			other.stored = host.stored;
		}, other);
		await host.pass(60 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([expect.not.stringMatching(first.id)]);
		expect(other.stored.webhook).toContain(idsOf(sandbox)[0]);
	});

	test('is tried again for an hour if the service is down', async () => {
		const { sandbox, host, first } = await published();
		sandbox.fail({ match: { method: 'DELETE' }, times: Infinity, kind: { status: 503 } });
		await host.unpublish();
		expect(host.log).toEqual([
			expect.stringMatching(`${first.id} .+could not be deleted: .+tries again`),
		]);
		sandbox.clearFaults();
		await host.pass(MINUTE_MS);
		expect([idsOf(sandbox), host.log.length]).toEqual([[], 1]);
	});
});

const otherKey = 'another-key';
const elsewhere = useSandbox({ apiKey: otherKey, workspace: { id: 'w2', name: 'W' } });

test('with a credential of another workspace, the old secret counts no more, and both are cleaned up', async () => {
	const setup = await published();
	const { sandbox, host, first } = setup;
	const before = idsOf(elsewhere);
	await host.change(
		() => void (host.options.credential = { baseUrl: elsewhere.url, apiKey: otherKey }),
	);
	expect(await accepts(setup, first.secret)).toBe(false);
	expect(await accepts(setup, subscriptionsOf(elsewhere)[0].secret)).toBe(true);
	expect([before.length, idsOf(elsewhere).length]).toEqual([0, 1]);
	await host.pass(MINUTE_MS);
	expect([idsOf(sandbox), host.log.length]).toEqual([[], 1]);
});

test('with a credential of another workspace that cannot be listed, the publishing fails', async () => {
	const { host } = await published();
	elsewhere.fail({ match: { path: /subscriptions/ }, times: Infinity, kind: { status: 503 } });
	const changing = host.change(
		() => void (host.options.credential = { baseUrl: elsewhere.url, apiKey: otherKey }),
	);
	expect(await failureOf(changing)).toMatch(/^This trigger receives no events now/);
});

describe('a test run', () => {
	test.each([false, true])(
		'ends at once, and leaves the published trigger alone (mark hidden: %s)',
		async (hidesTests) => {
			const setup = await published();
			const { sandbox, host, first } = setup;
			host.options.hidesTests = hidesTests;
			await host.publish(true);
			expect(subscriptionsOf(sandbox)).toHaveLength(2);
			await host.unpublish(true, 0);
			expect(host.log).toEqual([]);
			expect(await accepts(setup, first.secret)).toBe(true);
			expect(idsOf(sandbox)).toEqual([first.id]);
			host.restart();
			await host.publish(true);
			await host.unpublish(true, 0);
			expect(await accepts(setup, first.secret)).toBe(true);
			expect(idsOf(sandbox)).toEqual([first.id]);
		},
	);

	test('whose end n8n does not tell from an unpublishing leaves the published trigger alone', async () => {
		const setup = await published();
		const { host, first } = setup;
		await host.publish(true);
		const url = host.url();
		host.options.alter = <Context extends object>(context: Context) =>
			Object.create(context, { getNodeWebhookUrl: { value: () => url } }) as Context;
		await host.unpublish(true, 0);
		host.options.alter = undefined;
		expect(await accepts(setup, first.secret)).toBe(true);
	});

	test('that cannot start leaves the published trigger alone, also if its mark is hidden', async () => {
		const setup = await published({ hidesTests: true });
		const { sandbox, host, first } = setup;
		sandbox.fail({ match: { method: 'POST' }, times: 9, kind: { status: 422 } });
		await failureOf(host.publish(true));
		await host.unpublish(true, 0);
		await host.pass(60 * MINUTE_MS);
		expect(await accepts(setup, first.secret)).toBe(true);
		expect(idsOf(sandbox)).toEqual([first.id]);
	});
});

test('a change of the address gives up no secret', async () => {
	const setup = await published();
	const { host, first } = setup;
	host.options.publicOrigin = 'https://new.example.com';
	await host.unpublish(false, 0);
	const kept = JSON.parse(host.stored.webhook) as IDataObject;
	expect(JSON.stringify(kept)).toContain(`"secret":"${first.secret}"`);
});

/** As earlier versions stored it: one subscription, and the secrets before it. */
describe('a record in the first form', () => {
	const WORKSPACE = '6f1c1f0e-8f0b-4f43-9d6e-2b7a51c0d001';

	async function stored(more: { id?: string; secret: string; former: object[] }) {
		const setup = await published();
		const { host, first } = setup;
		host.restart();
		host.stored.webhook = JSON.stringify({
			'node:Trigger': {
				subscription: {
					id: first.id,
					url: host.url(),
					events: ['message.received'],
					workspace: WORKSPACE,
					storedAtMs: 1_790_000_000_000,
					...more,
				},
			},
		});
		return setup;
	}
	const inMinutes = (minutes: number) => Date.now() + minutes * MINUTE_MS;

	test('of a published trigger keeps each secret for its time, and is stored anew', async () => {
		const former = [
			{ secret: 'third', untilMs: inMinutes(20) },
			{ secret: 'second', untilMs: inMinutes(10) },
			{ secret: 'oldest', untilMs: inMinutes(-1) },
		];
		const setup = await stored({ secret: 'own', former });
		const accepted = async () =>
			await Promise.all(
				['own', 'third', 'second', 'oldest', ''].map(async (each) => await accepts(setup, each)),
			);
		expect(await accepted()).toEqual([true, true, true, false, false]);
		const { sandbox, host, first } = setup;
		host.options.parameters = bothEvents;
		await host.publish();
		expect(await accepted()).toEqual([true, true, true, false, false]);
		const [, made] = subscriptionsOf(sandbox);
		expect(await accepts(setup, made.secret)).toBe(true);
		expect(JSON.parse(host.stored.webhook)).toEqual({
			'node:Trigger': {
				subscription: {
					storedAtMs: expect.any(Number) as number,
					list: [
						expect.objectContaining({ secret: 'second', acceptedUntilMs: former[1].untilMs }),
						expect.objectContaining({ secret: 'third', acceptedUntilMs: former[0].untilMs }),
						expect.objectContaining({ id: first.id, secret: 'own' }),
						{
							id: made.id,
							secret: made.secret,
							url: host.url(),
							workspace: WORKSPACE,
							events: bothEvents.events,
						},
					],
				},
			},
		});
		await host.pass(2 * MINUTE_MS);
		expect(idsOf(sandbox)).toEqual([made.id]);
	});

	test('of an unpublished trigger starts nothing until it is published, with a new secret', async () => {
		const former = [{ secret: 'own', untilMs: inMinutes(30) }];
		const setup = await stored({ secret: '', former });
		const { sandbox, host, first, send } = setup;
		const body = eventBody();
		const headers = { 'x-service-signature': signatureOf(body, 'own') };
		expect((await send({ body, headers })).status).toBe(503);
		host.options.parameters = bothEvents;
		await host.unpublish(false, 0);
		await host.publish();
		expect(await accepts(setup, 'own')).toBe(false);
		expect(idsOf(sandbox)).toEqual([expect.not.stringMatching(first.id)]);
	});

	test('of a deleted subscription counts as none: nothing is deleted by its empty ID', async () => {
		const former = [{ secret: 'own', untilMs: inMinutes(30) }];
		const { sandbox, host } = await stored({ id: '', secret: '', former });
		sandbox.store.subscriptions.clear();
		host.options.parameters = bothEvents;
		await host.publish();
		await host.pass(60 * MINUTE_MS);
		expect(linesOf(sandbox).filter((line) => line.startsWith('DELETE'))).toEqual([]);
		expect([subscriptionsOf(sandbox).length, host.log]).toEqual([1, []]);
	});
});
