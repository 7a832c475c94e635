/**
 * How a value of an expression, a cell or a model becomes a text or JSON: the only way. It may be anything that
 * JavaScript has, also an object that throws wherever it is touched.
 */
import { isJsonObject, type JsonObject } from './json';
import { InputProblem, wrongValue } from './problem';
import { isRounded, isSheetError, KEEP_DIGITS } from './sheetErrors';

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

/**
 * Checks that a plain value can be sent.
 *
 * @param label the field's name in the editor, for the error
 * @throws InputProblem for a NoValue, a number that is none or has lost digits, and half a character
 */
export function usable<T>(value: T, label: string): T {
	const flaw = flawIn(value);
	if (flaw === undefined) return value;
	throw new InputProblem(
		`'${label}' holds ${flaw}, which cannot be sent as it is`,
		'Check the expression in it. A function may lack its brackets, as in {{ $json.name.trim() }}. Put a number of many digits in quotes, so that it is text.',
	);
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

/** @throws InputProblem if a value, or any in it, is what a spreadsheet shows in place of a result, such as #N/A */
export function assertNoSheetError(value: unknown, label: string): void {
	const text = sheetErrorIn(value);
	if (text === undefined) return;
	throw new InputProblem(
		`'${label}' is ${text}: the sheet has an error in this cell`,
		'Correct the formula in the sheet, or make it give a blank cell, for example with IFERROR.',
	);
}

/** @throws InputProblem for the text of a number that a spreadsheet, or n8n's CSV, has rounded */
export function assertNotRounded(value: unknown, label: string): void {
	if (typeof value !== 'string' || !isRounded(value)) return;
	throw new InputProblem(`'${label}' is ${value.trim()}, a number that was rounded`, KEEP_DIGITS);
}

function sheetErrorIn(value: unknown): string | undefined {
	if (typeof value === 'string') return isSheetError(value) ? value.trim() : undefined;
	if (typeof value !== 'object' || value === null) return undefined;
	return Object.values(value as JsonObject).flatMap((part) => sheetErrorIn(part) ?? [])[0];
}

/**
 * Reads a value as JSON holds it: see `plainValue` and `usable`.
 *
 * @throws InputProblem
 */
export function checkJson<T>(value: T, label: string): T {
	return usable(plainValue(value) as T, label);
}

/**
 * A value as text: a text as it is, a number that has kept its digits, yes or no as true or false, and a date
 * in ISO 8601.
 *
 * @param label the name of the field or column in the editor
 * @throws InputProblem for anything else
 */
export function readAsText(value: unknown, label: string, expected = 'text'): string {
	const text = checkJson(value, label);
	// Most values are texts, and a sync reads many thousands.
	if (typeof text === 'string') return text;
	const isLong = typeof text === 'number' && String(text).includes('e');
	if (['number', 'boolean'].includes(typeof text) && !isLong) return String(text);
	throw wrongValue(label, text, expected);
}
