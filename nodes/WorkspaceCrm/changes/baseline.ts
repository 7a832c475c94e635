import type { IPollFunctions } from 'n8n-workflow';

import type { Clock } from '../api/clock';
import { NodeData, type Siblings } from '../n8n/nodeData';
import { hash, type ContactMap } from './comparison';
import type { Watched } from './watched';

/**
 * The list that the next poll compares with, as stored in n8n's static data. A type, because n8n's
 * IDataObject accepts no interface.
 */
export type Baseline = {
	/** From `baselineKey`. */
	key: string;
	/**
	 * IDs, misses and snapshots. One string, because n8n wraps and copies each object in static data: 150 ms
	 * for 10,000 contacts, 2 ms as a string.
	 */
	contacts: string;
	/** The form of the snapshots; in the first one, spellings were compared. */
	form?: number;
};

/** Differs whenever snapshots of before cannot be compared. */
const FORM = 2;

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
	// In the form of the first version: with another key, the next poll would count as the first.
	const watched = { path: list.call.path, query: list.query, textsAre: 'id' };
	return hash({ owner, list: watched, fields, hasTags });
}

export function toBaseline(key: string, contacts: ContactMap): Baseline {
	const entries = [...contacts].map(([id, { misses, snapshot }]) => {
		return `${encodeURIComponent(id)}:${misses}${snapshot}`;
	});
	return { key, contacts: entries.join(';'), form: FORM };
}

/** Whether only the IDs of a baseline can be compared. */
export function isOldForm({ form }: Baseline): boolean {
	return form !== FORM;
}

export function contactsOf(baseline: Baseline): ContactMap {
	const entries = [...baseline.contacts.matchAll(/([^:;]+):(\d)([^;]*)/g)];
	return new Map(
		entries.map(([, id = '', misses, found = '']) => {
			const snapshot = isOldForm(baseline) ? '' : found;
			return [decodeURIComponent(id), { misses: Number(misses), snapshot }];
		}),
	);
}
