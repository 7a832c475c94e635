import { InputProblem } from './problem';
import { tidy } from './text';

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

/**
 * Reads a JSON object that the user typed or an expression returned. Undefined means none.
 *
 * @param label the field's name in the editor, for the error
 * @throws InputProblem if it is not a JSON object
 */
export function readJsonObject(value: unknown, label: string): JsonObject | undefined {
	if (value === undefined) return undefined;
	const parsed = typeof value === 'string' ? tryParseJson(value) : value;
	if (isJsonObject(parsed)) return parsed;
	throw new InputProblem(
		`'${label}' is not a JSON object`,
		'Write it as in {"plan": "pro", "visits": 3}: names and texts stand in double quotes. An expression must give an object.',
	);
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

/** Whether two JSON values are equal, ignoring the order of keys. Texts are compared as names are. */
export function isSameJson(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (typeof a === 'string' && typeof b === 'string') return tidy(a) === tidy(b);
	if (Array.isArray(a) && Array.isArray(b)) {
		return a.length === b.length && a.every((part, index) => isSameJson(part, b[index]));
	}
	if (!isJsonObject(a) || !isJsonObject(b)) return false;
	const keys = Object.keys(a);
	if (keys.length !== Object.keys(b).length) return false;
	return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}

/** The value at a path such as `template.name`. */
export function valueAt(object: JsonObject, path: string): unknown {
	const partOf = (value: unknown, name: string) =>
		isJsonObject(value) ? ownValue(value, name) : undefined;
	return path.split('.').reduce<unknown>(partOf, object);
}
