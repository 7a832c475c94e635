import type { BulkItem, Params } from '../../../operations/define';
import type { syncFields } from './syncFields';

export type SyncItem = BulkItem<Params<typeof syncFields>>;

/** What counts for the whole run. */
export type SyncSettings = ReturnType<typeof readSettings>;

/** The settings of a run, as the first item gives them. */
export function readSettings(items: readonly SyncItem[], continues: boolean) {
	const options = firstParams(items)?.options ?? {};
	return {
		isDryRun: options.dryRun ?? false,
		outputsMissing: options.missing === 'output',
		optInOptedOut: options.optInOptedOut ?? false,
		otherColumns: options.otherColumns ?? 'ignore',
		/** Whether one item that cannot be done ends the run. */
		stopsAtFirst: !continues && (options.stopAtFirstProblem ?? false),
		tagMode: options.tagMode ?? 'add',
		tagPrefix: options.tagPrefix ?? '',
	};
}

/** Those of the first item whose parameters can be read. */
export function firstParams(items: readonly SyncItem[]) {
	return items.find((item) => 'params' in item)?.params;
}
