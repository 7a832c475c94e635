import type { IPollFunctions } from 'n8n-workflow';

import { isSameJson } from '../domain/json';
import type { Clock } from '../n8n/clock';
import { Baseline, isStoredBaseline, type StoredBaseline } from './baseline';

/**
 * Baselines of polls that started nothing, by workflow and node. n8n saves static data only with an
 * execution, so a poll that gives nothing is forgotten at the next start; and with n8n's durable
 * cursors, so is the first poll after publishing (`PollTriggerExecutor` in n8n-core, seen in 2.41).
 * Those of polls that gave events are not held here: n8n may have thrown the events away.
 */
export type UnsavedBaselines = Map<string, StoredBaseline>;

/** Shared by all workflows in this process. */
export const processBaselines: UnsavedBaselines = new Map();

/** Under which a node is known. */
export function baselineKey(context: IPollFunctions): string {
	return `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
}

/** The newest baseline that is known, undefined if there is none, or it is of other contacts. */
export function loadBaseline(
	context: IPollFunctions,
	unsaved: UnsavedBaselines,
	watched: string,
): StoredBaseline | undefined {
	const { baseline: saved } = context.getWorkflowStaticData('node');
	const known = [saved, unsaved.get(baselineKey(context))].filter(isStoredBaseline);
	const [newest] = known.sort((a, b) => b.storedAtMs - a.storedAtMs);
	return newest?.watched === watched ? newest : undefined;
}

/** Puts the baseline where n8n saves it, if it has changed. */
export function storeBaseline(
	context: IPollFunctions,
	unsaved: UnsavedBaselines,
	clock: Clock,
	baseline: Baseline,
	startsWorkflow: boolean,
): void {
	const staticData = context.getWorkflowStaticData('node');
	const key = baselineKey(context);
	const { baseline: saved } = staticData;
	const before = [saved, unsaved.get(key)].filter(isStoredBaseline);
	const newestMs = Math.max(0, ...before.map(({ storedAtMs }) => storedAtMs));
	const stored = baseline.toStored(Math.max(clock.now(), newestMs + 1));
	// With durable cursors, n8n writes what has changed after each poll; it may be some megabytes.
	if (isStoredBaseline(saved) && saved.storedAtMs === newestMs && isSame(saved, stored)) return;
	staticData.baseline = stored;
	if (!startsWorkflow) unsaved.set(key, stored);
}

function isSame(a: StoredBaseline, b: StoredBaseline): boolean {
	const isSameText = a.contacts === b.contacts && a.watched === b.watched;
	const isSameState = a.isTakingStock === b.isTakingStock && isSameJson(a.reading, b.reading);
	return isSameText && isSameState;
}
