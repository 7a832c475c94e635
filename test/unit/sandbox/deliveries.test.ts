import { startSandbox, type Sandbox, type SandboxOptions } from '../../../tools/sandbox';
import { fastClock } from '../../../tools/support/clock';
import { delay } from '../../../tools/support/platform';
import { addContact, call, startReceiver, stoppedClock, type Receiver } from './harness';

/** One minute of the sandbox takes 60 milliseconds. */
const factor = 1000;

describe('deliveries', () => {
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
			url: 'https://n8n.example.com/hook?a=b',
			events: ['contact.opted_out'],
		});
		sandbox.emit.optOut(addContact(sandbox).id);
		return { subscriptionId: String(body.id) };
	}

	it('retries with the same ID until the receiver accepts', async () => {
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

	it('waits 1, 2, 4 and 8 minutes, and stops after the fifth try', async () => {
		const clock = stoppedClock();
		await deliver(() => 500, { clock });
		for (const minutes of [1, 2, 4, 8]) {
			await sandbox.settled();
			// The sandbox still has to note the answer, and to begin its wait.
			await delay(5);
			clock.advance(minutes * 60_000 - 1);
			await delay(20);
			clock.advance(1);
			const attempts = receiver.received.length + 1;
			while (receiver.received.length < attempts) await delay(5);
		}
		await sandbox.settled({ includeRetries: true });
		const [{ state, attempts }] = sandbox.deliveries;
		expect(state).toBe('dropped');
		expect(receiver.received).toHaveLength(5);
		const minutes = attempts.map(({ atMs }) => (atMs - attempts[0].atMs) / 60_000);
		expect(minutes).toEqual([0, 1, 3, 7, 15]);
	});

	it('fails if the receiver takes too long', async () => {
		await deliver(() => null, { deliveryTimeoutMs: undefined, deliveryRetryMinutes: [] });
		await sandbox.settled({ includeRetries: true });
		expect(sandbox.deliveries[0]).toMatchObject({
			state: 'dropped',
			attempts: [{ status: null, error: 'no answer within 10000 ms' }],
		});
	});

	it('never contacts a host without a local counterpart', async () => {
		await deliver(() => 200, { publicHosts: {}, deliveryRetryMinutes: [1] });
		await sandbox.settled({ includeRetries: true });
		expect(sandbox.deliveries[0]).toMatchObject({
			state: 'dropped',
			attempts: [{ status: null, error: 'no route to https://n8n.example.com' }, { status: null }],
		});
	});

	it('stops retrying when the subscription is deleted', async () => {
		const { subscriptionId } = await deliver(() => 500, { clock: stoppedClock() });
		await sandbox.settled();
		await call(sandbox, 'DELETE', `/v1/subscriptions/${subscriptionId}`);
		await sandbox.settled({ includeRetries: true });
		expect(sandbox.deliveries).toMatchObject([{ state: 'dropped' }]);
		expect(receiver.received).toHaveLength(1);
	});
});
