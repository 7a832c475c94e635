import { createHash } from 'node:crypto';

import type { IHookFunctions } from 'n8n-workflow';

import type { Clock } from '../crm/clock';
import { NodeData, type Siblings } from '../n8n/staticData';

/** The subscription of a trigger node, as stored in the static data of its workflow. */
export type OwnSubscription = {
	/** Empty once it is deleted. */
	id: string;
	/** Empty while the workflow is not published: then nothing is accepted. */
	secret: string;
	/** The URL that we sent; the service may write it differently. Copies of a workflow have another one. */
	url: string;
	/** The events that it was created for. */
	events?: string[];
	/** The ID of the workspace; not the key, which may be rotated. */
	workspace: string;
	/** The secrets of subscriptions that this one has replaced. */
	former?: Array<{ secret: string; untilMs: number }>;
};

/** A subscription that will be deleted. */
export interface Departure {
	/** As it was published, with its secret. */
	own: OwnSubscription;
	/** With the credential that it was created with. */
	context: IHookFunctions;
}

/** The last try of a delivery comes 31 minutes after its first one (API reference, delivery). */
const FORMER_ACCEPTED_MS = 31 * 60_000;

/** What is known of a trigger node: its subscription, which n8n stores, and what only this process knows. */
export class TriggerData extends NodeData<OwnSubscription> {
	readonly deliveries: Deliveries;

	/** The subscriptions whose deletion is scheduled, by ID. */
	readonly leaving = new Map<string, Departure>();

	constructor(siblings: Siblings, clock: Clock) {
		super('subscription', siblings, clock);
		this.deliveries = new Deliveries(clock);
	}
}

/** The secrets to verify deliveries with: that of the subscription, then those of the ones before it. */
export function secretsOf(own: OwnSubscription | undefined, nowMs: number): string[] {
	if (!own?.secret) return [];
	return [own.secret, ...stillAccepted(own, nowMs).map(({ secret }) => secret)];
}

/** The former secrets of the subscription that replaces this one. */
export function formerOf(own: OwnSubscription, nowMs: number): OwnSubscription['former'] {
	const former = { secret: own.secret, untilMs: nowMs + FORMER_ACCEPTED_MS };
	return [former, ...stillAccepted(own, nowMs)].filter(({ secret }) => secret);
}

/** For how long deliveries of a subscription have been refused, because the node is not published. */
export function refusedMs({ former = [] }: OwnSubscription, secret: string, nowMs: number): number {
	const { untilMs } = former.find((each) => each.secret === secret) ?? {};
	return untilMs === undefined ? 0 : FORMER_ACCEPTED_MS - (untilMs - nowMs);
}

function stillAccepted({ former = [] }: OwnSubscription, nowMs: number) {
	return former.filter(({ untilMs }) => untilMs > nowMs).map((each) => ({ ...each }));
}

/**
 * The service stops retrying after about 31 minutes (API reference, delivery). Claims expire, too,
 * because n8n never answers for an execution that was stopped in its queue.
 */
const KEPT_MS = 2 * 60 * 60_000;

/** Two keys each: enough for fourteen deliveries a second over two hours. */
const MAX_KEYS = 200_000;

/** Remembers which deliveries have started the workflow, or are about to. */
class Deliveries {
	/** By key, oldest first. Both keys of a delivery share an entry. */
	private readonly known = new Map<string, { hasStarted: boolean; sinceMs: number }>();

	constructor(private readonly clock: Clock) {}

	/**
	 * Claims a delivery by its ID and by its body: the ID is not signed, so a copy may carry another.
	 *
	 * @returns what settles the claim: if the delivery did not start the workflow, its next try may
	 */
	claim(deliveryId: string, body: Buffer) {
		this.forgetOld();
		const keys = [deliveryId, body].filter(({ length }) => length > 0).map(hash);
		const known = keys.flatMap((key) => this.known.get(key) ?? []);
		if (known.some(({ hasStarted }) => hasStarted)) return 'repeat';
		if (known.length > 0) return 'claimed';
		this.remember(keys, false);
		return (hasStarted: boolean) => {
			for (const key of keys) this.known.delete(key);
			if (hasStarted) this.remember(keys, true);
		};
	}

	private remember(keys: string[], hasStarted: boolean): void {
		const entry = { hasStarted, sinceMs: this.clock.elapsedMs() };
		for (const key of keys) this.known.set(key, entry);
	}

	private forgetOld(): void {
		const oldestMs = this.clock.elapsedMs() - KEPT_MS;
		for (const [key, { sinceMs }] of this.known) {
			if (sinceMs >= oldestMs && this.known.size < MAX_KEYS) break;
			this.known.delete(key);
		}
	}
}

function hash(text: string | Buffer): string {
	return createHash('sha256').update(text).digest('base64url');
}
