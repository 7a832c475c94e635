import { InputProblem } from './problem';

/** An object as JSON knows it. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a plain object: not an array, not null, not a Date or another class. */
export function isJsonObject(value: unknown): value is JsonObject {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	// Not compared with this realm's own prototype, because expressions may run in another.
	const prototype = Object.getPrototypeOf(value) as unknown;
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * The JSON object that the user typed, or that an expression gave. Blank means none.
 *
 * @param label what the field is called in the editor, for the error
 * @throws InputProblem when it is not JSON, or JSON but not an object
 */
export function readJsonObject(value: unknown, label: string): JsonObject | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string' && value.trim() === '') return undefined;

	const parsed = typeof value === 'string' ? parseJson(value, label) : value;
	if (isJsonObject(parsed)) return parsed;
	throw new InputProblem(
		`'${label}' is not a JSON object`,
		'It must start with { and end with }, or be an expression that gives an object.',
	);
}

/** Far more than anyone needs, and far less than what the recursions here can do. */
const MAX_DEPTH = 100;

/**
 * Gives back a value that JSON can hold without a loss. Dates and integers of any size (bigint) become
 * text there, and what is undefined is not given.
 *
 * @param label what the field is called in the editor, for the error
 * @throws InputProblem for a value that is too deep, contains itself, or has a part such as a function or
 * an integer of more digits than a number holds
 */
export function checkJson<T>(value: T, label: string, depth = 0): T {
	if (depth > MAX_DEPTH) throw tooDeep(label);
	if (Array.isArray(value) || isJsonObject(value)) {
		for (const part of Object.values(value)) checkJson(part, label, depth + 1);
	} else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
		throw new InputProblem(
			`'${label}' holds a number of more digits than can be sent exactly: ${String(value)}`,
			'Put it in quotes, so that it is text.',
		);
	} else if (value != null && [undefined, 'null', '{}'].includes(toJsonText(value))) {
		const what = typeof value === 'function' ? 'a function' : String(value);
		throw new InputProblem(
			`'${label}' holds ${what}, which JSON cannot hold`,
			'Check the expression in it. A function may lack its brackets, as in {{ $json.name.trim() }}.',
		);
	}
	return value;
}

/** The error for a value that contains itself, or has too many levels to follow. */
export function tooDeep(label: string): InputProblem {
	return new InputProblem(
		`'${label}' contains itself, or has too many levels`,
		`Check the expression in it: at most ${MAX_DEPTH} levels can be sent.`,
	);
}

/** The value of a JSON text. Returns undefined if the text is not valid JSON. */
export function tryParseJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function parseJson(text: string, label: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw invalidJson(label, (error as Error).message);
	}
}

function invalidJson(label: string, reason: string): InputProblem {
	return new InputProblem(
		`'${label}' is not valid JSON`,
		`Check quotes, commas and brackets. The parser says: ${reason}`,
	);
}

/** `over` laid over `base`: objects are merged key by key, everything else is replaced. */
export function mergeJson(base: JsonObject, over: JsonObject): JsonObject {
	const merged = new Map<string, unknown>(Object.entries(base));
	for (const [key, value] of Object.entries(over)) {
		const below = merged.get(key);
		merged.set(key, isJsonObject(below) && isJsonObject(value) ? mergeJson(below, value) : value);
	}
	// From entries, and not by assignment, so that a key called __proto__ stays a key.
	return Object.fromEntries(merged);
}

/**
 * A value as it travels in JSON: dates and integers of any size (bigint) become text, and numbers
 * that JSON does not know become null. Undefined for what it cannot hold at all.
 */
export function toJson(value: unknown): unknown {
	if (typeof value === 'string' || typeof value === 'boolean' || value === undefined) return value;
	const text = toJsonText(value);
	return text === undefined ? undefined : tryParseJson(text);
}

/** The JSON text of a value; undefined for what JSON cannot hold at all. */
export function toJsonText(value: unknown): string | undefined {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'bigint' ? String(part) : part,
	) as string | undefined;
}

/** Whether two JSON values are the same, in whatever order their keys are. */
export function isSameJson(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (Array.isArray(a) && Array.isArray(b)) {
		return a.length === b.length && a.every((part, index) => isSameJson(part, b[index]));
	}
	if (!isJsonObject(a) || !isJsonObject(b)) return false;
	const keys = Object.keys(a);
	if (keys.length !== Object.keys(b).length) return false;
	return keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]));
}

/** Whether a value says nothing, so that it changes nothing. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}

/** The value at a path of names, such as `template.name`; undefined if there is none. */
export function valueAt(object: JsonObject, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) =>
				isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
			object,
		);
}

/** The same object without what is blank or empty in it, at any depth. Lists keep all their entries. */
export function dropBlanks<T extends JsonObject>(object: T): T {
	const kept = Object.entries(object).flatMap(([name, value]) => {
		const part = isJsonObject(value) ? dropBlanks(value) : value;
		const isEmpty = Array.isArray(part)
			? part.length === 0
			: isJsonObject(part) && Object.keys(part).length === 0;
		return isEmpty || isBlank(part) ? [] : [[name, part] as const];
	});
	return Object.fromEntries(kept) as T;
}
