import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox';
import { fastClock } from '../../support/clock';
import { addContact, call, startReceiver, type Receiver } from './harness';

/** One minute of the sandbox takes 60 milliseconds. */
const factor = 1000;

describe('retries of deliveries', () => {
	let receiver: Receiver;
	let sandbox: Sandbox;
	afterEach(async () => {
		await sandbox.close();
		await receiver.close();
	});

	/** Starts a receiver and a sandbox, and makes one event. */
	async function deliver(
		statusFor: (index: number) => number | null,
		options: SandboxOptions = {},
	): Promise<{ subscriptionId: string }> {
		receiver = await startReceiver(statusFor);
		sandbox = await startSandbox({
			clock: fastClock(factor),
			// The stated 10 seconds would be 10 milliseconds here, too few for a busy machine.
			deliveryTimeoutMs: 1_000_000,
			publicHosts: { 'https://n8n.example.com': receiver.origin },
			...options,
		});
		const { body } = await call(sandbox, 'POST', '/v1/subscriptions', {
			url: 'https://n8n.example.com/hook',
			events: ['contact.opted_out'],
		});
		sandbox.emit.optOut(addContact(sandbox).id);
		return { subscriptionId: String(body.id) };
	}

	it('tries again under the same id until the receiver accepts', async () => {
		await deliver((index) => [500, 302, 204][index]);
		await sandbox.settled();
		expect(sandbox.deliveries).toMatchObject([{ state: 'pending', attempts: [{ status: 500 }] }]);
		await sandbox.settled({ includeRetries: true });
		const [{ state, attempts }] = sandbox.deliveries;
		expect(state).toBe('delivered');
		expect(attempts.map(({ status }) => status)).toEqual([500, 302, 204]);
		expect(
			new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size,
		).toBe(1);
	});

	it('waits 1, 2, 4 and 8 minutes and drops after the fifth failed attempt', async () => {
		await deliver(() => 500);
		await sandbox.settled({ includeRetries: true });
		const [{ state, attempts }] = sandbox.deliveries;
		expect(state).toBe('dropped');
		expect(receiver.received).toHaveLength(5);
		const minutes = attempts
			.slice(1)
			.map(({ atMs }, index) => (atMs - attempts[index].atMs) / 60_000);
		minutes.forEach((waited, index) => {
			expect(waited).toBeGreaterThanOrEqual(2 ** index - 0.1);
			// Ticks and the round trip of the test machine count a thousandfold here.
			expect(waited).toBeLessThan(2 ** index + 3);
		});
	});

	it('fails when the receiver takes too long', async () => {
		await deliver(() => null, { deliveryTimeoutMs: undefined, deliveryRetryMinutes: [] });
		await sandbox.settled({ includeRetries: true });
		expect(sandbox.deliveries[0]).toMatchObject({
			state: 'dropped',
			attempts: [{ status: null, error: 'no answer within 10000 ms' }],
		});
	});

	it('never talks to a host without a local counterpart', async () => {
		await deliver(() => 200, { publicHosts: {}, deliveryRetryMinutes: [1] });
		await sandbox.settled({ includeRetries: true });
		expect(sandbox.deliveries[0]).toMatchObject({
			state: 'dropped',
			attempts: [{ status: null, error: 'no route to https://n8n.example.com' }, { status: null }],
		});
	});

	it('stops retrying when the subscription is deleted', async () => {
		const { subscriptionId } = await deliver(() => 500);
		await sandbox.settled();
		await call(sandbox, 'DELETE', `/v1/subscriptions/${subscriptionId}`);
		await sandbox.settled({ includeRetries: true });
		expect(sandbox.deliveries).toMatchObject([{ state: 'dropped' }]);
		expect(receiver.received).toHaveLength(1);
	});

	it('delivers the same thing again when asked to', async () => {
		await deliver((index) => [200, 200, 503][index]);
		await sandbox.settled();
		const [{ deliveryId }] = sandbox.deliveries;
		expect(await sandbox.redeliver(deliveryId)).toBe(200);
		expect(await sandbox.redeliver(deliveryId)).toBe(503);
		const [first, second] = receiver.received;
		expect(second.body).toBe(first.body);
		expect(second.headers['x-service-delivery']).toBe(deliveryId);
		await expect(sandbox.redeliver('x')).rejects.toThrow('no delivery x');
	});

	it('closes at once although a retry is pending', async () => {
		await deliver(() => 500, { clock: undefined });
		await sandbox.settled();
		const startMs = Date.now();
		await sandbox.close();
		expect(Date.now() - startMs).toBeLessThan(1000);
	});
});
