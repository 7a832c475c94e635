import type { IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../api/clock';
import { NodeData, type Siblings } from '../n8n/nodeData';
import { digest, type ContactMap } from './comparison';
import type { Watched } from './watched';

/** The list that the next poll compares with, as stored in n8n's static data. */
export type Baseline = {
	/** From `baselineKey`. */
	key: string;
	/**
	 * IDs, misses and snapshots. One string, because n8n wraps and copies each object in static data: 150 ms
	 * for 10,000 contacts, 2 ms as a string.
	 */
	contacts: string;
};

/** What is known of a polling node: its baseline, which n8n stores, and what only this process knows. */
export class PollData extends NodeData<Baseline> {
	/** `Api.accountId`, and the workspace's ID for it: a key always belongs to the same workspace. */
	accountId?: string;

	workspaceId?: string;

	/** Polls in a row without a complete list. */
	failures = 0;

	isPolling = false;

	constructor(siblings: Siblings, clock: Clock) {
		super('baseline', siblings, clock);
	}
}

/**
 * Identifies the node, workspace and settings of a baseline: copies, imports and renamed nodes carry
 * static data along, and a credential may get the key of another workspace.
 */
export function baselineKey(
	context: IPollFunctions,
	{ workspaceId }: PollData,
	{ list, fields, hasTags }: Watched,
): string {
	const { id: workflowId } = context.getWorkflow();
	const owner = [context.getInstanceId(), workflowId, context.getNode().id, workspaceId];
	return digest({ owner, path: list.call.path, query: list.query, fields, hasTags });
}

export function toBaseline(key: string, contacts: ContactMap): Baseline {
	const entries = [...contacts].map(([id, { misses, snapshot }]) => {
		return `${encodeURIComponent(id)}:${misses}${snapshot}`;
	});
	return { key, contacts: entries.join(';') };
}

export function contactsOf({ contacts }: Baseline): ContactMap {
	const entries = [...contacts.matchAll(/([^:;]+):(\d)([^;]*)/g)];
	return new Map(
		entries.map(([, id = '', misses, snapshot = '']) => {
			return [decodeURIComponent(id), { misses: Number(misses), snapshot }];
		}),
	);
}
