import { isBlank, isJsonObject, type JsonObject } from './json';

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
export function attributeColumns(contacts: ReadonlyArray<{ attributes?: unknown }>): Column[] {
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

/** Fields of a contact that the service sets, and what this node adds: they can be fed back. */
const LEFT_OUT = ['id', 'created_at', 'last_inbound_at', 'opt_in_status', 'created', 'sync'];

/** What becomes of input columns that are none of a contact's. */
export type OtherColumns = 'ignore' | 'attributes';

export interface AutomaticMapping {
	/** The values of one input item, by the ids of the columns that they go to. */
	map(item: JsonObject): JsonObject;
	/** The input columns so far that hold values and went nowhere. */
	readonly ignored: ReadonlySet<string>;
}

/**
 * Finds the columns for the fields of input items by their names: a column's id, what the editor
 * calls it, or the name of an attribute, whatever the case, blanks, dashes and underscores. An
 * `attributes` object goes as a whole.
 *
 * @param attributeIds of the columns of attributes that are known
 */
export function mapAutomatically(
	attributeIds: readonly string[],
	otherColumns: OtherColumns,
): AutomaticMapping {
	const findColumn = createFinder(attributeIds);
	const ignored = new Set<string>();
	const find = (name: string): string | undefined => {
		if (LEFT_OUT.includes(name)) return undefined;
		const isNewAttribute = otherColumns === 'attributes' && name.trim() !== '';
		const id = findColumn(name) ?? (isNewAttribute ? ATTRIBUTE + name : undefined);
		if (id === undefined) ignored.add(name);
		return id;
	};
	// The same few names come with every item.
	const targets = new Map<string, string | undefined>();
	return {
		ignored,
		map(item) {
			const values: JsonObject = {};
			for (const [name, value] of Object.entries(item)) {
				if (isBlank(value)) continue;
				if (!targets.has(name)) targets.set(name, find(name));
				const id = targets.get(name);
				// Of several for one column, the one that has its exact name counts, else the first.
				if (id !== undefined && (name === id || !(id in values))) values[id] = value;
			}
			return values;
		},
	};
}

/** Gives the id of the column that a name means; undefined for none. */
function createFinder(attributeIds: readonly string[]): (name: string) => string | undefined {
	const contactIds = new Map(
		CONTACT_COLUMNS.flatMap(({ id, displayName }) =>
			[id, displayName].map((text) => [plain(text), id]),
		),
	);
	const known = new Set(attributeIds);
	const knownByName = new Map(
		attributeIds.flatMap((id) => {
			const key = id.slice(ATTRIBUTE.length);
			return [key, id, `attribute:${key}`].map((text) => [plain(text), id]);
		}),
	);
	return (name) => {
		if (name === 'attributes' || known.has(name)) return name;
		const exact = known.has(ATTRIBUTE + name) ? ATTRIBUTE + name : undefined;
		const id = contactIds.get(plain(name)) ?? exact ?? knownByName.get(plain(name));
		// It says itself what it is, also when the attribute is new.
		return id ?? (name.startsWith(ATTRIBUTE) && name !== ATTRIBUTE ? name : undefined);
	};
}

function plain(name: string): string {
	return name.toLowerCase().replace(/[\s_-]/g, '');
}
