import type { IPollFunctions } from 'n8n-workflow';

import { isJsonObject, isSameJson } from '../domain/json';
import type { Clock } from '../n8n/clock';
import { savedWith, staticDataKey } from '../n8n/staticData';
import { refreshTriggers } from '../trigger/storage';
import { Baseline, isStoredBaseline, type StoredBaseline } from './baseline';

/** What this process knows of the baselines of all nodes. */
export class BaselineMemory {
	/**
	 * Baselines of polls that started nothing, by workflow and node. n8n saves static data only with an
	 * execution, so a poll that gives nothing is forgotten at the next start; and with n8n's durable
	 * cursors, so is the first poll after publishing (`PollTriggerExecutor` in n8n-core, seen in 2.41).
	 * Those of polls that gave events are not held here: n8n may have thrown the events away.
	 */
	readonly unsaved = new Map<string, StoredBaseline>();

	/** The newest baseline of each node, by workflow, and in there by its place in the static data. */
	readonly newest = new Map<string, Map<string, StoredBaseline>>();

	/** The id of the workspace that a key belongs to, by `Api.accountId`. A key never moves to another. */
	readonly workspaces = new Map<string, string>();
}

/** Shared by all workflows in this process. */
export const processBaselines = new BaselineMemory();

/** Under which a node is known. */
export function baselineKey(context: IPollFunctions): string {
	return `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
}

/** The newest baseline that is known, undefined if there is none, or it is of other contacts. */
export function loadBaseline(
	context: IPollFunctions,
	memory: BaselineMemory,
	watched: string,
): StoredBaseline | undefined {
	const { baseline: saved } = context.getWorkflowStaticData('node');
	const known = [saved, memory.unsaved.get(baselineKey(context))].filter(isStoredBaseline);
	const [newest] = known.sort((a, b) => b.storedAtMs - a.storedAtMs);
	return newest?.watched === watched ? newest : undefined;
}

/** How long n8n may take to save the events of a poll and the baseline they belong to. */
const SAVED_WITHIN_MS = 30_000;

/**
 * Whether what n8n shows may be older than what it is about to save. With the durable scheduler, polls
 * that are overdue begin at once, and each reads its cursor before the one before it has saved its own
 * (`PollTriggerTaskHandler`, seen in 2.41): to compare with that would repeat the events.
 *
 * After a while it counts all the same: then n8n has thrown the events away, and they are due again.
 */
export function isBeingSaved(
	context: IPollFunctions,
	memory: BaselineMemory,
	clock: Clock,
	watched: string,
): boolean {
	const given = newestOf(context, memory).get(staticDataKey(context.getNode().name));
	if (given?.watched !== watched) return false;
	const loaded = loadBaseline(context, memory, watched);
	const isStale = (loaded?.storedAtMs ?? 0) < given.storedAtMs;
	return isStale && Math.abs(clock.now() - given.storedAtMs) < SAVED_WITHIN_MS;
}

/** Puts the baseline where n8n saves it, if it has changed. */
export function storeBaseline(
	context: IPollFunctions,
	memory: BaselineMemory,
	clock: Clock,
	baseline: Baseline,
	startsWorkflow: boolean,
): void {
	const staticData = context.getWorkflowStaticData('node');
	const key = baselineKey(context);
	const { baseline: saved } = staticData;
	const before = [saved, memory.unsaved.get(key)].filter(isStoredBaseline);
	const newestMs = Math.max(0, ...before.map(({ storedAtMs }) => storedAtMs));
	const stored = baseline.toStored(Math.max(clock.now(), newestMs + 1));
	// With durable cursors, n8n writes what has changed after each poll; it may be some megabytes.
	if (isStoredBaseline(saved) && saved.storedAtMs === newestMs && isSame(saved, stored)) return;
	staticData.baseline = stored;
	if (startsWorkflow) refreshOthers(context, memory);
	else memory.unsaved.set(key, stored);
	newestOf(context, memory).set(staticDataKey(context.getNode().name), stored);
}

/**
 * n8n saves the static data of all nodes of the workflow, as it was when this node was published. So
 * the newest that is known of the others goes in there first, or a start of n8n would compare with what
 * they knew long ago, and repeat all events since.
 */
function refreshOthers(context: IPollFunctions, memory: BaselineMemory): void {
	const all = savedWith(context);
	if (!all) return;
	for (const [place, stored] of newestOf(context, memory)) {
		const other = isJsonObject(all[place]) ? all[place] : {};
		const { baseline } = other;
		const isOlder = !isStoredBaseline(baseline) || baseline.storedAtMs < stored.storedAtMs;
		if (isOlder && place !== staticDataKey(context.getNode().name))
			all[place] = { baseline: stored };
	}
	refreshTriggers(context.getWorkflow().id ?? '', all);
}

function newestOf(context: IPollFunctions, { newest }: BaselineMemory) {
	const { id = '' } = context.getWorkflow();
	const ofWorkflow = newest.get(id) ?? new Map<string, StoredBaseline>();
	newest.set(id, ofWorkflow);
	return ofWorkflow;
}

function isSame(a: StoredBaseline, b: StoredBaseline): boolean {
	const isSameText = a.contacts === b.contacts && a.watched === b.watched;
	const isSameState = a.isTakingStock === b.isTakingStock && isSameJson(a.reading, b.reading);
	return isSameText && isSameState;
}
