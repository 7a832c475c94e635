import * as fc from 'fast-check';

import { signatureOf, type Sandbox } from '../../tools/sandbox';
import { process } from '../../tools/support/platform';
import { deliver, eventBody } from './signedDelivery';
import { addSubscription } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';
import type { TriggerHost } from './triggerHost';

/**
 * Whatever happens to a published trigger, in whatever order: once it is published again, exactly one
 * subscription of its own remains, which delivers; once it is unpublished, none; and others stay.
 */
afterAll(async () => await stopTriggers());

const MINUTE_MS = 60_000;
const OTHERS = ['https://n8n.example.com/webhook/other/webhook', 'https://elsewhere.example.org/'];

type Setup = Awaited<ReturnType<typeof startTrigger>>;

const STEPS = {
	changeFilter: async ({ host }: Setup) => {
		const { maxAge = 60 } = (host.options.parameters.options ?? {}) as { maxAge?: number };
		host.options.parameters = { ...host.options.parameters, options: { maxAge: maxAge + 1 } };
		await publish(host);
	},
	addEvent: async ({ host }: Setup) => await changeEvents(host, ['tag.added']),
	removeEvent: async ({ host }: Setup) => await changeEvents(host, []),
	publish: async ({ host }: Setup) => await publish(host),
	test: async ({ host }: Setup) => {
		await host.publish(true).catch(() => undefined);
		await host.unpublish(true, 0);
	},
	unpublish: async ({ host }: Setup) => await host.unpublish(false, 0),
	killN8n: async ({ host }: Setup) => await Promise.resolve(host.restart()),
	seconds: async ({ host }: Setup) => await host.pass(25_000),
	minutes: async ({ host }: Setup) => await host.pass(5 * MINUTE_MS),
	cannotCreate: async ({ sandbox }: Setup) => await fault(sandbox, 'POST'),
	cannotDelete: async ({ sandbox }: Setup) => await fault(sandbox, 'DELETE'),
	works: async ({ sandbox }: Setup) => await Promise.resolve(sandbox.clearFaults()),
};

async function fault(sandbox: Sandbox, method: string): Promise<void> {
	const match = { method, path: /subscriptions/ };
	await Promise.resolve(sandbox.fail({ match, times: Infinity, kind: { status: 503 } }));
}

async function changeEvents(host: TriggerHost, more: string[]): Promise<void> {
	host.options.parameters = { ...host.options.parameters, events: ['message.received', ...more] };
	await publish(host);
}

const publish = async (host: TriggerHost) => await host.publish().catch(() => undefined);

/** Without those of tests: if one cannot be deleted, the next test does it. */
const urlsOf = ({ store }: Sandbox) =>
	[...store.subscriptions.values()]
		.map(({ url }) => url)
		.filter((url) => !url.includes('/webhook-test/'));

test('one subscription while published, none while unpublished, others untouched', async () => {
	const names = Object.keys(STEPS) as Array<keyof typeof STEPS>;
	const setup = await startTrigger();
	const { sandbox, host } = setup;
	await fc.assert(
		fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 14 }), async (steps) => {
			sandbox.reset();
			sandbox.clearFaults();
			host.forget();
			host.options.parameters = { events: ['message.received'] };
			for (const [index, url] of OTHERS.entries())
				addSubscription(sandbox, { id: `${index}`, url });
			await host.publish();
			for (const step of steps) await STEPS[step](setup);
			sandbox.clearFaults();
			await changeEvents(host, ['form.submitted']);
			await host.pass(3 * 60 * MINUTE_MS);
			await host.pass(60 * MINUTE_MS);
			expect(urlsOf(sandbox)).toEqual([...OTHERS, host.url()]);

			const body = eventBody('message.received', {}, { created_at: undefined });
			const all = [...sandbox.store.subscriptions.values()];
			const { secret = '' } = all.find(({ url }) => url === host.url()) ?? {};
			const headers = { 'x-service-signature': signatureOf(body, secret) };
			expect((await deliver(setup, { body, headers })).status).toBe(200);

			await host.unpublish(false, MINUTE_MS);
			expect(urlsOf(sandbox)).toEqual(OTHERS);
		}),
		{ numRuns: Number(process.env.WORLDS ?? 15) },
	);
}, 600_000);
