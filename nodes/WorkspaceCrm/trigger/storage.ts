import type { Clock } from '../api/clock';
import { NodeData, type Siblings } from '../n8n/nodeData';
import { Deliveries } from './deliveries';

/** The subscription of a trigger node, as stored in the static data of its workflow. */
export type OwnSubscription = {
	/** Empty once it is deleted. */
	id: string;
	/** Empty while the workflow is not published: then nothing is accepted. */
	secret: string;
	/** The URL that we sent; the service may write it differently. Copies of a workflow have another one. */
	url: string;
	/** The ID of the workspace; not the key, which may be rotated. */
	workspace: string;
	/** The secrets of subscriptions that this one has replaced. */
	former?: Array<{ secret: string; untilMs: number }>;
};

/** The last try of a delivery comes 31 minutes after its first one (API reference, delivery). */
const FORMER_ACCEPTED_MS = 31 * 60_000;

/** What is known of a trigger node: its subscription, which n8n stores, and what only this process knows. */
export class TriggerData extends NodeData<OwnSubscription> {
	readonly deliveries: Deliveries;

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

function stillAccepted({ former = [] }: OwnSubscription, nowMs: number) {
	return former.filter(({ untilMs }) => untilMs > nowMs).map((each) => ({ ...each }));
}
