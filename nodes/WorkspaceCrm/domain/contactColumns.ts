import { isJsonObject, type JsonObject } from './json';

/** The kinds of values that the editor knows for columns. */
export type ColumnType = 'string' | 'number' | 'boolean' | 'array' | 'object';

/** Something of a contact that a value can be mapped to. */
export interface Column {
	id: string;
	displayName: string;
	type: ColumnType;
}

/** What the id of an attribute's column begins with. */
export const ATTRIBUTE = 'attributes.';

/** The columns that every workspace has. Tags are text, which lets an array by expression through. */
export const CONTACT_COLUMNS: readonly Column[] = [
	{ id: 'phone', displayName: 'Phone', type: 'string' },
	{ id: 'name', displayName: 'Name', type: 'string' },
	{ id: 'locale', displayName: 'Locale', type: 'string' },
	{ id: 'source', displayName: 'Source', type: 'string' },
	{ id: 'tags', displayName: 'Tags', type: 'string' },
	{ id: 'opt_in', displayName: 'Opt In', type: 'boolean' },
	{ id: 'consent_proof', displayName: 'Consent Proof', type: 'string' },
];

/**
 * A column for each attribute that one of the contacts has, by name. Its type is that of their
 * values when they agree; a column of text takes any value by expression.
 */
export function attributeColumns(contacts: readonly JsonObject[]): Column[] {
	const types = new Map<string, Set<ColumnType>>();
	for (const { attributes } of contacts) {
		for (const [key, value] of Object.entries(isJsonObject(attributes) ? attributes : {})) {
			const sofar = types.get(key) ?? new Set();
			const type = Array.isArray(value) ? 'array' : (typeof value as ColumnType);
			types.set(key, value === null ? sofar : sofar.add(type));
		}
	}
	return [...types]
		.map(([key, [type = 'string', ...others]]) =>
			attributeColumn(key, others.length > 0 ? 'string' : type),
		)
		.sort((a, b) => a.id.localeCompare(b.id, 'en'));
}

export function attributeColumn(key: string, type: ColumnType): Column {
	return { id: `${ATTRIBUTE}${key}`, displayName: `Attribute: ${key}`, type };
}
