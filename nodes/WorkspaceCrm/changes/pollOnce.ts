import type { RecordPage } from '../api/client';
import type { WireRecord } from '../api/types';
import type { Baseline } from './baseline';
import type { Change } from './changeOutput';
import { observe, remove, type Found } from './detect';
import { countMissing, forgetMisses } from './missing';
import { readOn, type ReadingEnd } from './reading';
import type { Watched } from './watched';

/** What a poll can ask of the service. */
export interface Source {
	fetchPage(offset: number): Promise<RecordPage>;
	/** Asks for a missing contact by its id. */
	find(id: string): Promise<Found>;
	/** Whether another request may begin. */
	hasTime(): boolean;
	/** Whether a request failed because the time was over. */
	isOver(): boolean;
}

/** What came of a poll. Its events are certain, also if it failed later. */
export interface Outcome {
	changes: Change[];
	end: ReadingEnd | 'failed';
	/** How many requests were answered. */
	answers: number;
	failure?: unknown;
	/** How many contacts are missing, if they are too many to be believed at once. */
	waitsFor?: number;
	/** How many missing contacts are still to be asked for. */
	unasked?: number;
}

/** So that a list that was emptied does not use up the rate limit: some 20 requests a minute, every 5 minutes. */
const MAX_ASKED = 100;

/**
 * One poll: reads on, and after the last page looks for those that are missing. Changes the baseline as
 * it goes; never throws.
 */
export async function pollOnce(
	baseline: Baseline,
	watched: Watched,
	source: Source,
): Promise<Outcome> {
	const outcome: Outcome = { changes: [], end: 'paused', answers: 0 };
	const fetchPage = async (offset: number) => {
		const page = await source.fetchPage(offset);
		outcome.answers += 1;
		return page;
	};
	const onRecord = (id: string, record: WireRecord) =>
		void outcome.changes.push(...observe(baseline, watched, id, record));
	try {
		outcome.end = await readOn(baseline, fetchPage, onRecord, () => source.hasTime());
		if (outcome.end === 'paused') return outcome;
		if (outcome.end === 'complete') await lookForMissing(baseline, watched, source, outcome);
		else forgetMisses(baseline);
		// A list that never adds up would have stock taken for ever.
		const { foundNew } = baseline.reading;
		if (outcome.end === 'complete' || !foundNew) baseline.isTakingStock = false;
		baseline.beginReading();
	} catch (failure) {
		if (source.isOver()) return outcome;
		outcome.end = 'failed';
		outcome.failure = failure;
	}
	return outcome;
}

/**
 * A contact that is still there, or could not be asked for, has to be missing again: so it holds up no
 * other.
 */
async function lookForMissing(
	baseline: Baseline,
	watched: Watched,
	source: Source,
	outcome: Outcome,
): Promise<void> {
	const { ids, waitsFor } = countMissing(baseline);
	outcome.waitsFor = waitsFor;
	outcome.unasked = ids.length;
	for (const id of ids.slice(0, MAX_ASKED)) {
		if (!source.hasTime()) return;
		const entry = baseline.entries.get(id);
		try {
			const found = await source.find(id);
			outcome.answers += 1;
			if (found !== undefined) outcome.changes.push(...remove(baseline, watched, id, found));
		} catch (failure) {
			if (source.isOver()) return;
			outcome.failure ??= failure;
		}
		outcome.unasked -= 1;
		if (entry) entry.misses = 0;
	}
}
