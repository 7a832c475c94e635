/**
 * Values in plain data, as JSON holds them: what is one, what is none, and the parts of objects. A value of an
 * expression, a cell or a model may be anything that JavaScript has, also an object that throws wherever it is touched.
 */
export type JsonObject = Record<string, unknown>;

/** A part of parsed JSON. */
export type JsonValue = string | number | boolean | null | undefined | object;

/** Whether a value is a plain object: not an array, not null, not a Date or another class. */
export function isJsonObject(value: unknown): value is JsonObject {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	// Expressions may run in another realm, so the prototype is not compared with our own.
	const prototype = Object.getPrototypeOf(value) as unknown;
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @returns undefined if the text is not valid JSON */
export function tryParseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** The value of a key that the object itself has: any object inherits some, such as `constructor`. */
export function ownValue(object: JsonObject | undefined, key: string): unknown {
	return object && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Merges `over` into `base`: objects key by key, everything else is replaced. */
export function mergeJson(base: JsonObject, over: JsonObject): JsonObject {
	const merged = new Map<string, unknown>(Object.entries(base));
	for (const [key, value] of Object.entries(over)) {
		const below = merged.get(key);
		merged.set(key, isJsonObject(below) && isJsonObject(value) ? mergeJson(below, value) : value);
	}
	// Not by assignment, so that a key named __proto__ stays a key.
	return Object.fromEntries(merged);
}

/** The value at a path such as `template.name`. */
export function valueAt(object: JsonObject, path: string): unknown {
	const partOf = (value: unknown, name: string) =>
		isJsonObject(value) ? ownValue(value, name) : undefined;
	return path.split('.').reduce<unknown>(partOf, object);
}

/** Characters that show nothing, whatever stands beside them: blanks, controls, format characters, the blank of Braille. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a value is nothing: missing, blank in any spelling, empty, or a list of only such. */
export function isNothing(value: unknown): boolean {
	if (typeof value === 'string') return UNSEEN.test(value);
	if (Array.isArray(value)) return value.every(isNothing);
	if (isJsonObject(value)) return Object.keys(value).length === 0;
	return value === undefined || value === null || Number.isNaN(value);
}

/** What databases and data tools write for no value: pandas' list, and PostgreSQL's. */
const NO_VALUES = new Set(
	'- \\N NULL null None N/A n/a NA <NA> #NA NaN nan -NaN -nan 1.#IND -1.#IND 1.#QNAN -1.#QNAN'
		.split(' ')
		.concat('#N/A N/A'),
);

/** Whether a name, tag, locale or source says that there is none. In an attribute, it is a text. */
export function isNoValue(text: string): boolean {
	return NO_VALUES.has(text.trim());
}

/** Removes nothings and empty objects at any depth. Lists keep all their entries. */
export function dropNothings<T extends JsonObject>(object: T): T {
	const kept = Object.entries(object).flatMap(([name, value]) => {
		const part = isJsonObject(value) ? dropNothings(value) : value;
		return isNothing(part) ? [] : [[name, part] as const];
	});
	return Object.fromEntries(kept) as T;
}

/** In place of what is neither a text nor JSON, such as a function. */
export class NoValue {
	constructor(
		/** What it is, in words of people. */
		readonly what: string,
	) {}
}

const UNREADABLE_VALUE = new NoValue('a value that cannot be read');

/** What a value may hold, so that copying one that refers to itself ends. */
const MAX_LEVELS = 1_000;
const MAX_PARTS = 1_000_000;

/**
 * A copy of a value in plain data: as JSON would write it, with dates in ISO 8601 and big integers as texts. Numbers
 * stay, also those that are none. Never throws.
 *
 * @returns a NoValue if any part of it has no place in JSON
 */
export function plainValue(value: unknown): unknown {
	if (typeof value === 'string') return value;
	try {
		return plainCopy(value, { partsLeft: MAX_PARTS }, 0);
	} catch (reason) {
		return reason instanceof NoValue ? reason : UNREADABLE_VALUE;
	}
}

/** The fields of a JSON object, each in plain data, so that one is no matter to the others. Of all else, none. */
export function plainEntries(object: unknown): Array<[name: string, value: unknown]> | undefined {
	try {
		if (!isJsonObject(object)) return undefined;
		return Object.keys(object).map((name) => [name, plainPart(object, name)]);
	} catch {
		return undefined;
	}
}

function plainPart(object: JsonObject, name: string): unknown {
	try {
		return plainValue(object[name]);
	} catch {
		return UNREADABLE_VALUE;
	}
}

interface Budget {
	partsLeft: number;
}

/** @throws NoValue, or whatever an object throws that does not want to be read */
function plainCopy(value: unknown, budget: Budget, level: number): unknown {
	if (typeof value === 'bigint') return String(value);
	if (typeof value === 'function') throw new NoValue('a function');
	if (typeof value === 'symbol') throw new NoValue('a symbol');
	if (typeof value !== 'object' || value === null) return value;
	budget.partsLeft -= 1;
	if (level > MAX_LEVELS || budget.partsLeft < 0) {
		throw new NoValue('a value that contains itself, or has too many levels');
	}
	const partOf = (part: unknown) => plainCopy(part, budget, level + 1);
	if (Array.isArray(value)) return listOf(value, budget, partOf);
	if (!isJsonObject(value)) return dateOf(value);
	const parts = Object.keys(value).map((name) => [name, partOf(value[name])] as const);
	// Not by assignment, so that a key named __proto__ stays a key.
	return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

/** By its length: its iterator may be another than that of arrays. */
function listOf(list: readonly unknown[], budget: Budget, partOf: (part: unknown) => unknown) {
	const { length } = list;
	if (length > budget.partsLeft) throw new NoValue('a list of too many values');
	return Array.from({ length }, (_, index) => partOf(list[index]) ?? null);
}

const ISO_DATE = /^[+-]?\d{4,6}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

interface LuxonDate {
	isLuxonDateTime: unknown;
	toISO(): unknown;
}

/** A date of JavaScript or luxon as text. Either may come from another realm, so its class is not compared. */
function dateOf(value: Partial<LuxonDate>): string {
	const text = value.isLuxonDateTime === true ? value.toISO?.() : isoOf(value);
	if (typeof text === 'string' && ISO_DATE.test(text)) return text;
	throw new NoValue(text === undefined ? 'an object that is no JSON' : 'an invalid date');
}

/** @returns undefined if it is no date, null if it is an invalid one */
function isoOf(value: object): string | null | undefined {
	try {
		const timeMs = Date.prototype.getTime.call(value);
		return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
	} catch {
		return undefined;
	}
}

/** What about a plain value cannot be sent, in words of people. */
export function flawIn(value: unknown): string | undefined {
	if (typeof value === 'string') return value.isWellFormed() ? undefined : 'half a character';
	if (typeof value === 'number') return flawOfNumber(value);
	if (value instanceof NoValue) return value.what;
	if (typeof value !== 'object' || value === null) return undefined;
	for (const part of Array.isArray(value) ? value : Object.entries(value).flat()) {
		const flaw = flawIn(part);
		if (flaw !== undefined) return flaw;
	}
	return undefined;
}

function flawOfNumber(value: number): string | undefined {
	if (Number.isNaN(value)) return 'a calculation without a result';
	if (!Number.isFinite(value)) return 'an infinite number';
	return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : undefined;
}
