import { InputProblem } from './problem';

export type JsonObject = Record<string, unknown>;

/** Whether a value is a plain object: not an array, not null, not a Date or another class. */
export function isJsonObject(value: unknown): value is JsonObject {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
	// Expressions may run in another realm, so the prototype is not compared with our own.
	const prototype = Object.getPrototypeOf(value) as unknown;
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Reads a JSON object that the user typed or an expression returned. Blank means none.
 *
 * @param label the field's name in the editor, for the error
 * @throws InputProblem if it is not a JSON object
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

/** Far more than anyone needs, and far less than the recursions here can handle. */
const MAX_DEPTH = 100;

/**
 * Checks that JSON can hold a value without loss. Dates and bigints become text, and undefined is left out.
 *
 * @param label the field's name in the editor, for the error
 * @returns the value
 * @throws InputProblem for a value that is too deep, contains itself, or has a part such as a function or an
 * integer that has lost digits
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

function tooDeep(label: string): InputProblem {
	return new InputProblem(
		`'${label}' contains itself, or has too many levels`,
		`Check the expression in it: at most ${MAX_DEPTH} levels can be sent.`,
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

/**
 * A value as JSON sends it: dates and bigints become text, and numbers without a JSON form become null.
 *
 * @returns undefined for what JSON cannot hold
 */
export function toJson(value: unknown): unknown {
	if (typeof value === 'string' || typeof value === 'boolean' || value === undefined) return value;
	const text = toJsonText(value);
	return text === undefined ? undefined : tryParseJson(text);
}

/** @returns undefined for what JSON cannot hold */
export function toJsonText(value: unknown): string | undefined {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'bigint' ? String(part) : part,
	) as string | undefined;
}

/** Whether two JSON values are equal, ignoring the order of keys. */
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

/** Whether a value is missing or blank, and so changes nothing. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}

/** The value at a path such as `template.name`. */
export function valueAt(object: JsonObject, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) =>
				isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
			object,
		);
}

/** Removes blank and empty values at any depth. Lists keep all their entries. */
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
