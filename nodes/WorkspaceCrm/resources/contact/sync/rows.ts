import { mapAutomatically, type AutomaticMapping } from './automatic';
import { ATTRIBUTE } from '../../../domain/contactColumns';
import { InputProblem } from '../../../domain/problem';
import type { Mention } from './mentions';
import { tryRead, readMention, readRow, type ReadRow } from './row';
import { readAttributes } from '../body';
import { firstParams, type SyncItem, type SyncSettings } from './settings';

/** A row, or why an item gives none; it may also be that its parameters cannot be read. */
export type ItemRow = ReadRow | { problem: unknown };

/** Reads the row of every item, in their order, and whom it is about. */
export function readRows(
	items: readonly SyncItem[],
	{ otherColumns }: SyncSettings,
): {
	rows: ItemRow[];
	mentions: Array<Mention | undefined>;
	ignored: AutomaticMapping['ignored'];
} {
	const schema = firstParams(items)?.columns.schema ?? [];
	const types = new Map(schema.map(({ id, type = 'string' }) => [id, type] as const));
	const attributeIds = [...types.keys()].filter((id) => id.startsWith(ATTRIBUTE));
	const mapping = mapAutomatically(attributeIds, otherColumns);
	const mentions: Array<Mention | undefined> = [];
	const rows = items.map((item): ItemRow => {
		const { columns, options } = 'params' in item ? item.params : item.readable;
		const values = columns?.isAutomatic ? mapping.map(columns.values) : (columns?.values ?? {});
		const source = { values, country: options?.defaultCountry };
		mentions.push(readMention(source));
		if (!('params' in item)) return { problem: item.problem };
		const given = tryRead(() => readAttributes(options?.attributes, options?.attributesJson));
		return given instanceof InputProblem
			? { problem: given }
			: readRow({ ...source, ...given }, types);
	});
	return { rows, mentions, ignored: mapping.ignored };
}
