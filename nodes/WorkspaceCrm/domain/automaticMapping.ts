import { ATTRIBUTE, CONTACT_COLUMNS, ID_COLUMN } from './contactColumns';
import { isBlank, isJsonObject, type JsonObject } from './json';
import { plainName } from './names';
import { InputProblem } from './problem';

/** Fields of our own output that change nothing when it is fed back. In other items they are columns. */
const OWN_FIELDS = [
	'id',
	'created_at',
	'last_inbound_at',
	'opt_in_status',
	'created',
	'sync',
	'campaign',
];

/** Google Sheets' node adds it: with each inserted row it changes in all others. */
const ROW_NUMBER = 'row_number';

function isOwnOutput({ id, opt_in_status, sync, campaign }: JsonObject): boolean {
	const isContact = typeof id === 'string' && typeof opt_in_status === 'string';
	return isContact || isJsonObject(sync) || isJsonObject(campaign);
}

/** What becomes of input columns that are none of a contact's. */
export type OtherColumns = 'ignore' | 'attributes';

export interface AutomaticMapping {
	/**
	 * The values of one input item, by the ids of the columns that they go to.
	 *
	 * @throws InputProblem if two fields could be the same column, and none has its name
	 */
	map(item: JsonObject): JsonObject;
	/** The input columns so far that hold values and went nowhere. */
	readonly ignored: ReadonlySet<string>;
}

/**
 * Finds the columns for the fields of input items by their names: a column's id, what the editor
 * calls it, or the name of an attribute, whatever the case, blanks, dashes and underscores; where none
 * of these is there, another name such as "Mobile". An `attributes` object goes as a whole. The ID of a
 * contact counts only in an item without a phone.
 *
 * @param attributeIds of the columns of attributes that are known
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
	// The same few names come with every item.
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
				// Of several for one column, the one that has its exact name counts, else the first.
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

/** The field that holds the contact's ID, in an item without a phone: with one, it may be anybody's ID. */
function findIdName(
	item: JsonObject,
	others: ReadonlyArray<[name: string, value: unknown]>,
): string | undefined {
	if (!isBlank(item.id)) return 'id';
	return others.find(([name]) => plainName(name) === plainName(ID_COLUMN.displayName))?.[0];
}

/** Gives the id of the column that a name means; undefined for none. */
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
		// It says itself what it is, also when the attribute is new.
		return id ?? (name.startsWith(ATTRIBUTE) && name !== ATTRIBUTE ? name : undefined);
	};
}

/** The ids of columns by their other names. */
const ALIASES: ReadonlyMap<string, string> = new Map(
	CONTACT_COLUMNS.flatMap(({ id, aliases = [] }) => aliases.map((alias) => [plainName(alias), id])),
);

/** The values for columns that have none yet, by other names of these columns. */
function mapAliases(
	fields: ReadonlyArray<[name: string, value: unknown]>,
	known: JsonObject,
): JsonObject {
	const found = new Map<string, { name: string; value: unknown }>();
	for (const [name, value] of fields) {
		const id = ALIASES.get(plainName(name));
		if (id === undefined || id in known) continue;
		const other = found.get(id);
		// A guess could reach a stranger.
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
