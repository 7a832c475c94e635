import { InputProblem } from './problem';
import { trimmed } from './text';

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
		'It must start with { and end with }, with names and texts in double quotes. Check quotes, commas and brackets. An expression must give an object.',
	);
}

/**
 * Reads a value as JSON holds it: dates and bigints become text, and undefined is left out.
 *
 * @param label the field's name in the editor, for the error
 * @throws InputProblem for a value that contains itself, or has a part such as a function or an integer that
 * has lost digits
 */
export function checkJson<T>(value: T, label: string): T {
	// Most values are texts, and a sync reads many thousands.
	if (typeof value === 'string') return value;
	const lost: string[] = [];
	let text: string | undefined;
	try {
		// Bigints become text, because n8n-workflow gives them a toJSON.
		text = JSON.stringify(value, function (this: JsonObject, key, part: unknown) {
			const given = this[key];
			if (isLost(given)) lost.push(typeof given === 'function' ? 'a function' : String(given));
			return part;
		});
	} catch {
		lost.push('a value that contains itself, or has too many levels');
	}
	if (lost.length === 0) return text === undefined ? value : (JSON.parse(text) as T);
	throw new InputProblem(
		`'${label}' holds ${lost[0]}, which cannot be sent as it is`,
		'Check the expression in it. A function may lack its brackets, as in {{ $json.name.trim() }}. Put a number of many digits in quotes, so that it is text.',
	);
}

/** Whether JSON leaves out or changes a value, apart from those in an array or object. */
function isLost(value: unknown): boolean {
	if (Number.isInteger(value)) return !Number.isSafeInteger(value);
	const isKept = value === undefined || value === null || typeof value === 'string';
	if (isKept || Array.isArray(value) || isJsonObject(value)) return false;
	return [undefined, 'null', '{}'].includes(JSON.stringify(value));
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

/** Whether two JSON values are equal, ignoring the order of keys, and blanks around texts. */
export function isSameJson(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (typeof a === 'string' && typeof b === 'string') return trimmed(a) === trimmed(b);
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
		isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	return path.split('.').reduce<unknown>(partOf, object);
}
