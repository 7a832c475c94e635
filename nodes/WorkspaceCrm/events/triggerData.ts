import { createHash } from 'node:crypto';

import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Clock } from '../crm/clock';
import { NodeData, type Kept, type Siblings } from '../n8n/staticData';

/** A subscription of a trigger node, as stored in the static data of its workflow. */
export type OwnSubscription = {
	id: string;
	/** Signs its deliveries. */
	secret: string;
	/** The URL that we sent; the service may write it differently. Copies of a workflow have another one. */
	url: string;
	/** The ID of the workspace; not the key, which may be rotated. */
	workspace: string;
	/** The events that it was created for. */
	events: string[];
	/** The end of the time in which its deliveries may start the workflow; missing for the current subscription. */
	acceptedUntilMs?: number;
};

type Stored = { list: OwnSubscription[] };

/** A subscription that will be deleted. */
export interface Departure {
	/** As it was before: current, unless another process has retired it. */
	own: OwnSubscription;
	/** With the credential that it was created with. */
	context: IHookFunctions;
}

/** What is known of a trigger node: its subscriptions, which n8n stores, and what only this process knows. */
export class TriggerData extends NodeData<Stored> {
	readonly deliveries: Deliveries;

	/** The subscriptions whose deletion is scheduled, by ID, the newest last. */
	readonly leaving = new Map<string, Departure>();

	constructor(siblings: Siblings, clock: Clock) {
		super('subscription', siblings, clock);
		this.deliveries = new Deliveries(clock);
	}

	/** The newest last. Without a current one, the node is not published. */
	subscriptions(context: IHookFunctions | IWebhookFunctions): OwnSubscription[] {
		return this.load(context)?.list ?? [];
	}

	readIn(data: unknown): Kept<Stored> | undefined {
		const kept = super.readIn(data);
		if (!kept || Array.isArray(kept.list)) return kept;
		return { list: fromFirstForm(kept as unknown as FirstForm), storedAtMs: kept.storedAtMs };
	}
}

/** How the subscriptions were stored at first. */
interface FirstForm extends Omit<OwnSubscription, 'events' | 'acceptedUntilMs'> {
	/** Empty while the workflow was not published. */
	secret: string;
	events?: string[];
	/** The secrets of earlier subscriptions, the last one first; while not published, with the one of this ID. */
	former?: Array<{ secret: string; untilMs: number }>;
}

function fromFirstForm({ former = [], ...stored }: FirstForm): OwnSubscription[] {
	const { id, secret, url, workspace, events = [] } = stored;
	// Its ID was empty once it was deleted.
	if (!id) return [];
	const all = former.map((each) => ({ secret: each.secret, acceptedUntilMs: each.untilMs }));
	const list = [...all.reverse(), ...(secret ? [{ secret }] : [])];
	return list.map((each) => ({ id, url, workspace, events, ...each }));
}

export function isCurrent({ acceptedUntilMs }: OwnSubscription): boolean {
	return acceptedUntilMs === undefined;
}

/** Whether deliveries of a subscription may start the workflow, if the node is published. */
export function isAccepted(
	{ acceptedUntilMs = Infinity }: OwnSubscription,
	nowMs: number,
): boolean {
	return acceptedUntilMs > nowMs;
}

/** The last try of a delivery comes 31 minutes after its first one (API reference, delivery). */
export const ACCEPTED_MS = 31 * 60_000;

/** The list without a current subscription. What was current counts for as long as the service tries again. */
export function retired(list: readonly OwnSubscription[], nowMs: number): OwnSubscription[] {
	return list.map((each) => ({ acceptedUntilMs: nowMs + ACCEPTED_MS, ...each }));
}

/** For how long deliveries of a retired subscription have been refused. */
export function refusedMs({ acceptedUntilMs = Infinity }: OwnSubscription, nowMs: number): number {
	return Math.max(0, nowMs + ACCEPTED_MS - acceptedUntilMs);
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
