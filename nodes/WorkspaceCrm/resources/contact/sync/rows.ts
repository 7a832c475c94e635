import { mapAutomatically, type AutomaticMapping } from '../../../domain/sync/automatic';
import { ATTRIBUTE, CONTACT_COLUMNS } from '../../../domain/sync/columns';
import { readRow, type ReadRow } from '../../../domain/sync/row';
import type { MappedColumns } from '../../../operations/define';
import { readAttributes } from '../body';
import { firstParams, type SyncItem, type SyncSettings } from './settings';

/** A row, or why an item gives none; it may also be that its parameters cannot be read. */
export type ItemRow = ReadRow | { problem: unknown; mention?: undefined };

/** Reads the row of every item, in their order. */
export function readRows(
	items: readonly SyncItem[],
	{ otherColumns }: SyncSettings,
): { rows: ItemRow[]; ignored: AutomaticMapping['ignored'] } {
	const types = typesOf(firstParams(items)?.columns.schema ?? []);
	const attributeIds = [...types.keys()].filter((id) => id.startsWith(ATTRIBUTE));
	const mapping = mapAutomatically(attributeIds, otherColumns);
	const rows = items.map((item): ItemRow => {
		if (!('params' in item)) return item;
		const { columns, options } = item.params;
		return readRow(
			{
				values: columns.isAutomatic ? mapping.map(columns.values) : columns.values,
				country: options.defaultCountry,
				...readAttributes(options.attributes, options.attributesJson),
			},
			types,
		);
	});
	return { rows, ignored: mapping.ignored };
}

/** The types of the columns by their ids; those of every contact are ours to say. */
function typesOf(schema: MappedColumns['schema']): Map<string, string> {
	return new Map(
		[...schema, ...CONTACT_COLUMNS].map(({ id, type = 'string' }) => [id, type] as const),
	);
}
