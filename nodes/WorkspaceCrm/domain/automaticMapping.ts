import { ATTRIBUTE, CONTACT_COLUMNS, ID_COLUMN } from './contactColumns';
import { isBlank, isJsonObject, type JsonObject } from './json';
import { plainName } from './names';
import { InputProblem } from './problem';

/** Fields of our own output that are ignored when it is used as input. In other items they are columns. */
const OWN_FIELDS = [
	'id',
	'created_at',
	'last_inbound_at',
	'opt_in_status',
	'created',
	'sync',
	'campaign',
];

/** Added by n8n's Google Sheets node. It changes in other rows whenever a row is inserted. */
const ROW_NUMBER = 'row_number';

function isOwnOutput({ id, opt_in_status, sync, campaign }: JsonObject): boolean {
	const isContact = typeof id === 'string' && typeof opt_in_status === 'string';
	return isContact || isJsonObject(sync) || isJsonObject(campaign);
}

/** What to do with input columns that are not a contact's. */
export type OtherColumns = 'ignore' | 'attributes';

export interface AutomaticMapping {
	/**
	 * Returns the values of one input item by the IDs of their columns.
	 *
	 * @throws InputProblem if two fields could be the same column and neither has its exact name
	 */
	map(item: JsonObject): JsonObject;
	/** The input columns so far that have values but no column. */
	readonly ignored: ReadonlySet<string>;
}

/**
 * Maps the fields of input items to columns by name: the column's ID or label, or the name of an attribute,
 * ignoring case, spaces, dashes and underscores. If an item has none of these, aliases such as "Mobile"
 * count. An `attributes` object is mapped as a whole. A contact's ID counts only in an item without a phone.
 *
 * @param attributeIds the columns of the known attributes
 */
export function mapAutomatically(
	attributeIds: readonly string[],
	otherColumns: OtherColumns,
): AutomaticMapping {
	const findColumn = createFinder(attributeIds);
	const ignored = new Set<string>();
	const takeOther = (name: string, value: unknown, values: JsonObject) => {
		if (otherColumns !== 'attributes' || name.trim() === '') ignored.add(name);
		else values[ATTRIBUTE + name] ??= value;
	};
	// Every item has the same few names.
	const targets = new Map<string, string | undefined>();
	return {
		ignored,
		map(item) {
			const values: JsonObject = {};
			const others: Array<[name: string, value: unknown]> = [];
			const ownFields = isOwnOutput(item) ? OWN_FIELDS : [];
			for (const [name, value] of Object.entries(item)) {
				if (isBlank(value) || ownFields.includes(name)) continue;
				if (!targets.has(name)) targets.set(name, findColumn(name));
				const id = targets.get(name);
				if (name === ROW_NUMBER) ignored.add(name);
				else if (id === undefined) others.push([name, value]);
				// Of several fields for a column, the one with its exact name wins, otherwise the first.
				else if (name === id || !(id in values)) values[id] = value;
			}
			const byAlias = mapAliases(others, values);
			const hasPhone = 'phone' in values || 'phone' in byAlias;
			const idName = hasPhone ? undefined : findIdName(item, others);
			for (const [name, value] of others) {
				const id = ALIASES.get(plainName(name)) ?? '';
				if (!(id in byAlias) && name !== idName) takeOther(name, value, values);
			}
			return { ...values, ...byAlias, ...(idName !== undefined && { id: item[idName] }) };
		},
	};
}

/** The field with the contact's ID, for an item without a phone. In an item with one, `id` may mean anything. */
function findIdName(
	item: JsonObject,
	others: ReadonlyArray<[name: string, value: unknown]>,
): string | undefined {
	if (!isBlank(item.id)) return 'id';
	return others.find(([name]) => plainName(name) === plainName(ID_COLUMN.displayName))?.[0];
}

/** Returns a function that finds the ID of the column for a name. */
function createFinder(attributeIds: readonly string[]): (name: string) => string | undefined {
	const contactIds = new Map(
		CONTACT_COLUMNS.flatMap(({ id, displayName }) =>
			[id, displayName].map((text) => [plainName(text), id]),
		),
	);
	const known = new Set(attributeIds);
	const knownByName = new Map(
		attributeIds.flatMap((id) => {
			const key = id.slice(ATTRIBUTE.length);
			return [key, id, `attribute:${key}`].map((text) => [plainName(text), id]);
		}),
	);
	return (name) => {
		if (name === 'attributes' || known.has(name)) return name;
		const exact = known.has(ATTRIBUTE + name) ? ATTRIBUTE + name : undefined;
		const id = contactIds.get(plainName(name)) ?? exact ?? knownByName.get(plainName(name));
		// The prefix says that it is an attribute, even a new one.
		return id ?? (name.startsWith(ATTRIBUTE) && name !== ATTRIBUTE ? name : undefined);
	};
}

/** The IDs of columns by their aliases. */
const ALIASES: ReadonlyMap<string, string> = new Map(
	CONTACT_COLUMNS.flatMap(({ id, aliases = [] }) => aliases.map((alias) => [plainName(alias), id])),
);

/** Maps fields by alias to columns that have no value yet. */
function mapAliases(
	fields: ReadonlyArray<[name: string, value: unknown]>,
	known: JsonObject,
): JsonObject {
	const found = new Map<string, { name: string; value: unknown }>();
	for (const [name, value] of fields) {
		const id = ALIASES.get(plainName(name));
		if (id === undefined || id in known) continue;
		const other = found.get(id);
		// A wrong guess could reach a stranger.
		if (other && String(other.value) !== String(value)) {
			throw new InputProblem(
				`The input fields '${other.name}' and '${name}' could both be the ${id}`,
				`Rename the right one to '${id}', or choose 'Map Each Column Manually'.`,
			);
		}
		found.set(id, { name, value });
	}
	return Object.fromEntries([...found].map(([id, { value }]) => [id, value])) as JsonObject;
}
