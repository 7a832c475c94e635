/** Which attributes of a contact a sync changes. */
import { isSameStored, nameFinder } from '../../../domain/sameText';
import { isJsonObject, isNothing, type JsonObject, ownValue } from '../../../domain/plainData';
import { ATTRIBUTE } from '../../../domain/contactColumns';
import { CellReader } from './sheetValues';

type Entry = [name: string, value: unknown];

/**
 * The attributes to send, under the names that the contact already has for them. A part of an object that the input
 * does not give keeps its value: an object is sent with all its parts, because a service may replace it.
 *
 * @param given by name, or by the path that n8n gives a part of an object or list in a file, such as `address.city`
 * or `langs.0`
 * @param isFlat whether a name that the contact does not have is such a path
 */
export function changedAttributes(
	given: JsonObject,
	stored: JsonObject,
	isFlat = false,
	cells = new CellReader(),
): Entry[] {
	const isAsStored = ([name, value]: Entry) => isSameStored(value, ownValue(stored, name));
	if (Object.entries(given).every(isAsStored)) return [];
	const names = new Set<string>();
	const finders: Finders = new Map();
	const copies = new WeakSet();
	let next = stored;
	for (const [path, value] of Object.entries(given)) {
		const way = wayTo(stored, path, finders) ?? (isFlat ? levelsOf(path) : [path]);
		names.add(way[0] ?? path);
		const read: Read = (before, part) => cells.read(ATTRIBUTE + path, before, part);
		next = put(next, way, value, { copies, read }) as JsonObject;
	}
	return [...names]
		.map((name): Entry => {
			const isWritten = isFlat && !Object.hasOwn(stored, name);
			return [name, isWritten ? withLists(next[name]) : next[name]];
		})
		.filter((entry) => !isAsStored(entry));
}

/** Nothing has more levels, so a longer path is a name. */
const MAX_ATTRIBUTE_LEVELS = 100;

function levelsOf(path: string): string[] {
	const names = path.split('.');
	return names.length > MAX_ATTRIBUTE_LEVELS ? [path] : names;
}

/** The same for attributes that are exact: also blank, and objects as they are. */
export function changedExactly(given: JsonObject, stored: JsonObject): Entry[] {
	const known = nameFinder(Object.keys(stored));
	return Object.entries(given)
		.map(([name, value]): Entry => [known(name) ?? name, value])
		.filter(([name, value]) => !isSameStored(value, ownValue(stored, name)));
}

/** By object: finds a name among its own. */
type Finders = Map<unknown, (name: string) => string | undefined>;

/** The names on the way to a part that a value has, or to the next entry of a list. Names may hold dots themselves. */
function wayTo(value: unknown, path: string, finders: Finders): string[] | undefined {
	const find = finders.get(value) ?? nameFinder(partNames(value));
	finders.set(value, find);
	const whole = find(path);
	if (whole !== undefined) return [whole];
	if (levelsOf(path).length === 1) return undefined;
	for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
		const name = find(path.slice(0, dot));
		const rest =
			name === undefined ? undefined : wayTo(ownPart(value, name), path.slice(dot + 1), finders);
		if (name !== undefined && rest) return [name, ...rest];
	}
	return undefined;
}

function partNames(value: unknown): string[] {
	if (Array.isArray(value)) return [...value, ''].map((_, index) => String(index));
	return isJsonObject(value) ? Object.keys(value) : [];
}

function ownPart(value: unknown, name: string): unknown {
	if (Array.isArray(value)) return value[Number(name)] as unknown;
	return isJsonObject(value) ? ownValue(value, name) : undefined;
}

/** Reads a part beside the stored one. */
type Read = (stored: unknown, given: unknown) => unknown;

interface Putting {
	/** What has been copied already: only these may be changed. */
	copies: WeakSet<object>;
	read: Read;
}

/** A value with another part. What was there is merged with it. */
function put(
	value: unknown,
	[name = '', ...way]: readonly string[],
	part: unknown,
	putting: Putting,
): unknown {
	const { copies, read } = putting;
	if (typeof value !== 'object' && !isNothing(value)) return read(value, { [name]: part });
	const before = ownPart(value, name);
	const after = way.length > 0 ? put(before, way, part, putting) : mergedInto(before, part, read);
	const isCopy = typeof value === 'object' && value !== null && copies.has(value);
	const copy = isCopy ? value : copyOf(value);
	copies.add(copy);
	// A name such as __proto__ is a name like others.
	const property = { value: after, enumerable: true, writable: true, configurable: true };
	return Object.defineProperty(copy, name, property);
}

function copyOf(value: unknown): object {
	if (Array.isArray(value)) return [...(value as unknown[])];
	return isJsonObject(value) ? Object.fromEntries(Object.entries(value)) : {};
}

function mergedInto(stored: unknown, given: unknown, read: Read): unknown {
	if (!isJsonObject(stored) || !isJsonObject(given)) return read(stored, given);
	const known = nameFinder(Object.keys(stored));
	const parts = Object.entries(given).map(([name, part]): Entry => {
		const own = known(name) ?? name;
		return [own, mergedInto(ownPart(stored, own), part, read)];
	});
	return Object.fromEntries([...Object.entries(stored), ...parts]);
}

/** Objects whose names are 0, 1, 2 … were lists, before n8n wrote them into a file. */
function withLists(value: unknown): unknown {
	if (!isJsonObject(value)) return value;
	const parts = Object.entries(value).map(([name, part]): Entry => [name, withLists(part)]);
	const isList = parts.length > 0 && parts.every(([name], index) => name === String(index));
	return isList ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}
