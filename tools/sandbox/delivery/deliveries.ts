import { randomUUID } from 'node:crypto';
import type { Clock } from '../../support/clock';
import { setMaxListeners } from '../../support/platform';
import type { EventEnvelope, EventType, Subscription } from '../records';
import type { Scheduler } from '../scheduler';
import { postToPublicUrl, type Target } from './post';
import { signatureOf } from './post';

export interface DeliveryAttempt {
	atMs: number;
	/** null when there was no answer. */
	status: number | null;
	durationMs: number;
	/** The text that the receiver answered with. */
	answer?: string;
	error?: string;
}

export interface DeliveryRecord {
	deliveryId: string;
	eventId: string;
	event: EventType;
	subscriptionId: string;
	url: string;
	/** The raw body, which is signed. */
	body: string;
	headers: Record<string, string>;
	attempts: DeliveryAttempt[];
	state: 'pending' | 'delivered' | 'dropped';
}

export interface DeliveryOptions {
	publicHosts: Target['publicHosts'];
	retryMinutes: number[];
	timeoutMs: number;
}

/** "After five failed attempts the delivery is dropped." */
const maxAttempts = 5;

const succeeded = (status: number | null) => status !== null && status >= 200 && status < 300;

/** Sends events to subscriptions in the background, each delivery on its own. */
export class Deliveries {
	readonly records: DeliveryRecord[] = [];

	/** Attempts under way, and whole deliveries with their retries. */
	private readonly attempting = new Set<Promise<unknown>>();

	private readonly running = new Set<Promise<unknown>>();

	/** By subscription id: ends its attempts and retries. */
	private readonly stops = new Map<string, AbortController>();

	constructor(
		private readonly clock: Clock,
		private readonly scheduler: Scheduler,
		private readonly options: DeliveryOptions,
	) {}

	/** Starts delivering `envelope`; the first attempt begins at once. */
	start(envelope: EventEnvelope, subscription: Subscription): void {
		const body = JSON.stringify(envelope);
		const deliveryId = randomUUID();
		const record: DeliveryRecord = {
			deliveryId,
			eventId: envelope.id,
			event: envelope.event,
			subscriptionId: subscription.id,
			url: subscription.url,
			body,
			headers: {
				'content-type': 'application/json',
				'x-service-event': envelope.event,
				'x-service-delivery': deliveryId,
				'x-service-signature': signatureOf(body, subscription.secret),
			},
			attempts: [],
			state: 'pending',
		};
		this.records.push(record);
		void this.track(this.running, this.run(record, this.stopOf(subscription.id).signal));
	}

	/** Ends what is pending for a deleted subscription. */
	stopSubscription(subscriptionId: string): void {
		this.stops.get(subscriptionId)?.abort();
		this.stops.delete(subscriptionId);
	}

	stopAll(): void {
		for (const subscriptionId of [...this.stops.keys()]) this.stopSubscription(subscriptionId);
	}

	/** Sends a delivery again under the same id. Returns the status, or 0 if there was no answer. */
	async redeliver(deliveryId: string): Promise<number> {
		const record = this.records.find((candidate) => candidate.deliveryId === deliveryId);
		if (!record) throw new Error(`no delivery ${deliveryId}`);
		const status = await this.attempt(record, this.stopOf(record.subscriptionId).signal);
		if (succeeded(status)) record.state = 'delivered';
		return status ?? 0;
	}

	/** Resolves when no attempt is under way; with `includeRetries` when nothing is pending. */
	async settled(options: { includeRetries?: boolean } = {}): Promise<void> {
		const pending = options.includeRetries ? this.running : this.attempting;
		while (pending.size > 0) await Promise.allSettled([...pending]);
	}

	private stopOf(subscriptionId: string): AbortController {
		const stop = this.stops.get(subscriptionId) ?? new AbortController();
		// All of a subscription's deliveries listen to it, and there may be many at once.
		setMaxListeners(0, stop.signal);
		this.stops.set(subscriptionId, stop);
		return stop;
	}

	private async run(record: DeliveryRecord, signal: AbortSignal): Promise<void> {
		const { retryMinutes } = this.options;
		for (let failures = 0; ; failures += 1) {
			const status = await this.attempt(record, signal);
			if (succeeded(status)) record.state = 'delivered';
			const retry = failures + 1 < maxAttempts && failures < retryMinutes.length;
			// A redelivery may have succeeded in the meantime.
			if (record.state !== 'pending' || !retry) break;
			const elapsed = await this.scheduler.wait(retryMinutes[failures] * 60_000, signal);
			if (!elapsed || record.state !== 'pending') break;
		}
		if (record.state === 'pending') record.state = 'dropped';
	}

	private async attempt(record: DeliveryRecord, signal: AbortSignal): Promise<number | null> {
		const atMs = this.clock.now();
		const target: Target = { ...this.options, url: record.url };
		const posting = postToPublicUrl(target, record.headers, record.body, this.scheduler, signal);
		const outcome = await this.track(
			this.attempting,
			posting.then(
				(answered) => answered,
				// The cause says why a fetch failed.
				({ cause, message }: Error) => {
					return { status: null, error: cause instanceof Error ? cause.message : message };
				},
			),
		);
		record.attempts.push({ atMs, durationMs: this.clock.now() - atMs, ...outcome });
		return outcome.status;
	}

	private async track<T>(set: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
		set.add(work);
		try {
			return await work;
		} finally {
			set.delete(work);
		}
	}
}
