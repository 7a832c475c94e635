import type { Clock } from '../api/clock';
import { NodeData, type Siblings } from '../n8n/nodeData';
import { Deliveries } from './deliveries';

/**
 * The subscription of a trigger node, as stored in the static data of its workflow. A type, because n8n's
 * IDataObject accepts no interface.
 */
export type OwnSubscription = {
	/** Empty once it is deleted. */
	id: string;
	/** Empty once the workflow is unpublished. */
	secret: string;
	/** The URL that we sent; the service may write it differently. */
	url: string;
	/** The IDs of the n8n instance, workflow and node that created it: copies of a workflow carry it along. */
	owner: string;
	/** Base URL and ID of the workspace; not the key, which may be rotated. */
	workspace: string;
	/** The IDs of subscriptions to the same URL that are not ours, and must stay. */
	othersIds: string[];
};

/** What is known of a trigger node: its subscription, which n8n stores, and what only this process knows. */
export class TriggerData extends NodeData<OwnSubscription> {
	readonly deliveries: Deliveries;

	/** When the last publishing began, and when its last step ended; by `Clock.elapsedMs`. */
	readonly publishing = { sinceMs: 0, pausedAtMs: -Infinity };

	constructor(siblings: Siblings, clock: Clock) {
		super('subscription', siblings, clock);
		this.deliveries = new Deliveries(clock);
	}
}
