/** Values as people type them: how a value becomes a text, a list of names, yes or no, a number or JSON. */
import { flawIn, isJsonObject, plainValue, tryParseJson, type JsonObject } from './plainData';
import { InputProblem, quoted, wrongValue } from './inputProblem';
import { asName, asStored, asWord, isSameStored } from './sameText';
import { labelText } from './text';
import { YES_NO_WORDS } from './yesNoWords';

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

/** Characters that no keyboard writes, such as NUL. Tabs and line breaks are none. */
const CONTROL = /(?![\t\n\v\f\r])\p{Cc}/u;

export const hasControl = (text: string): boolean => CONTROL.test(text);

/** @throws InputProblem for a text with a control character in it */
export function withoutControl(text: string, label: string): string {
	const [control] = CONTROL.exec(text) ?? [];
	if (control === undefined) return text;
	const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
	throw new InputProblem(
		`'${label}' is ${quoted(text)}, with the control character U+${code} in it`,
		"Nothing was sent. Remove it. If the text comes from a file, it may have been read in a wrong encoding: save the file as 'CSV UTF-8' or XLSX, or choose its encoding in the node that reads it.",
	);
}

/** Commas of all scripts, and the lines of a cell. */
const COMMAS = /[,\u060c\uff0c\u3001\n\r]/;
const SEMICOLONS = /[;\u061b\uff1b]/;

/**
 * Reads names from a text with commas or lines between them, or semicolons; from a line of CSV, with quotes; from the
 * text of a JSON array, or an array. Each is cleaned as a name; blank and repeated ones are left out.
 *
 * @param label the field's name in the editor, for the error
 * @param clean for names chosen from a list: as the service has them, even "vip " with a blank
 * @throws InputProblem if an entry is not text or a number, or a text can be read in several ways
 */
export function readNames(value: unknown, label: string, clean = asName): string[] {
	const list = Array.isArray(value) ? value : splitList(readName(value, label), label);
	const names = list.map((entry) => clean(readName(entry, label)));
	return [...new Set(names.filter((name) => asName(name) !== ''))];
}

function splitList(text: string, label: string): unknown[] {
	const list = /^\s*[[{]/.test(text) ? tryParseJson(text) : splitLine(text);
	if (Array.isArray(list)) return list;
	throw new InputProblem(
		`'${label}' may be one name or a list: ${labelText(text)}`,
		'Separate names by commas only. Put a name that holds a comma, a semicolon or a quotation mark in quotes, as CSV does: vip, "Berlin, Mitte", "the ""new"" one". Or use a JSON array of texts, such as ["vip", "[new]"]: a name that begins with a bracket needs it.',
	);
}

/** A field of CSV in quotes, in which a quotation mark is doubled. */
const IN_QUOTES = /"((?:[^"]|"")*)"/g;

/** @returns undefined if it is neither a line of CSV nor names with one kind of mark between them */
function splitLine(text: string): string[] | undefined {
	const inQuotes = [...text.matchAll(IN_QUOTES)].map(([, name = '']) => name.replaceAll('""', '"'));
	const line = text.replace(IN_QUOTES, '"');
	if (COMMAS.test(line) && SEMICOLONS.test(line)) return undefined;
	const names = line.split(COMMAS.test(line) ? COMMAS : SEMICOLONS);
	const others = names.filter((name) => name.trim() !== '"');
	if (others.some((name) => name.includes('"'))) return undefined;
	if (names.length - others.length !== inQuotes.length) return undefined;
	return names.map((name) => (name.trim() === '"' ? (inQuotes.shift() ?? '') : name));
}

function readName(value: unknown, label: string): string {
	if (value === undefined || value === null) return '';
	const isNoName = typeof value === 'boolean' || Array.isArray(value) || isJsonObject(value);
	if (!isNoName) return readAsText(value, label);
	throw new InputProblem(
		`'${label}' holds a value that is not text`,
		'Use comma-separated text, or an expression that gives an array of texts.',
	);
}

const ANSWERS = new Map(
	Object.values(YES_NO_WORDS).flatMap(([yes, no]) => [
		...wordsFor(true, yes),
		...wordsFor(false, no),
	]),
);

function wordsFor(answer: boolean, words: string) {
	return words.split(', ').map((word) => [asWord(word), answer] as const);
}

/** Whether a value says yes, or no, in any case; undefined for anything else. */
export function yesNoOf(value: unknown): boolean | undefined {
	const entry = onlyEntry(value);
	return typeof entry === 'object' ? undefined : ANSWERS.get(asWord(String(entry)));
}

/** Check boxes give a list, even for a single answer. */
function onlyEntry(value: unknown): unknown {
	return Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value;
}

/**
 * Reads yes or no, in any case.
 *
 * @param label the name of the field or column in the editor
 * @param remedy how to turn other words into yes and no, where the value comes from
 * @throws InputProblem for anything else, also for what is blank
 */
export function readYesNo(label: string, value: unknown, remedy = () => ''): boolean {
	const answer = yesNoOf(value);
	if (answer !== undefined) return answer;
	throw new InputProblem(
		`'${label}' is ${quoted(value)}, which is neither yes nor no`,
		`Enter yes, no, true or false; the documentation of Sync lists the words of other languages. If the answer is not known, leave it empty. ${remedy()}`.trim(),
	);
}

/**
 * How to turn a word into yes or no by an expression that leaves all others as they are. It shows the no: a wrong yes
 * would be a consent that nobody gave.
 *
 * @param code reads the value
 */
export function turningWord(code: string, value: unknown): string {
	const word = onlyEntry(value);
	const shown = quoted(word);
	// A long word is cut off, some characters are replaced, and braces would end the expression.
	const canBeShown = shown === JSON.stringify(word) && !/[{}]{2}/.test(shown);
	if (!canBeShown || typeof word === 'object') return '';
	// A list of one entry equals its entry.
	return `To turn ${shown} into no, use the expression {{ (${code}) == ${shown} ? "no" : ${code} }}. To turn it into yes, write "yes" instead of "no" in it; to leave it empty, write "".`;
}

/** An apostrophe that keeps a spreadsheet from reading a text as a formula. */
const ESCAPED = /^'+[=+@\t\r-]/;

/**
 * A text of a file without the apostrophe that an export puts before `=`, `+`, `-` and `@`.
 *
 * @param stored the text that the CRM has; if it is the same with the apostrophe, that belongs to it
 */
export function meantText(text: string, stored = ''): string {
	const isEscaped = ESCAPED.test(text) && !isSameStored(text, stored);
	return isEscaped ? asStored(text.slice(1)) : text;
}

/** Other forms, such as 007, 0x1F or long IDs, would change when converted. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/;
export const isPlainNumber = (text: string) => PLAIN_NUMBER.test(text);
/** In half of the world, 600.025 is 600025. */
export const mayBeGrouped = (text: string) => /^\s*-?[1-9]\d{0,2}\.\d{3}\s*$/.test(text);

/**
 * Converts a text to the type of its column.
 *
 * @param remedy see `readYesNo`
 * @throws InputProblem that names the column
 */
export function toType(
	type: string | undefined,
	text: string,
	label: string,
	remedy?: () => string,
): unknown {
	if (type === 'boolean') return readYesNo(label, text, remedy);
	if (type === 'object') return readJsonObject(text, label);
	if (type !== 'number' && type !== 'array') return text;
	const value = tryParseJson(text);
	if (type === 'array' && Array.isArray(value)) return value;
	if (type === 'number' && isPlainNumber(text) && !mayBeGrouped(text)) return value;
	const number = `a number in plain digits, such as ${plainForms(text)}`;
	throw wrongValue(label, text, type === 'array' ? 'a JSON array' : number);
}

/** Longer numbers lose some. */
const MAX_DIGITS = 15;

/** How to write a number that has marks for thousands or decimals. */
function plainForms(text: string): string {
	const digits = text.replace(/[^\d-]/g, '');
	if (!/^-?\d[\d\s.,'\u2019]*$/.test(text) || digits.length > MAX_DIGITS) return '12 or -1.5';
	const [, decimals = ''] = /[.,](\d+)$/.exec(text) ?? [];
	const marks = text.match(/[.,]/g) ?? [];
	const whole = String(Number(digits));
	// A mark that stands twice is one of thousands, or of a date.
	const isDoubled = marks.length > 1 && new Set(marks).size === 1;
	if (isDoubled && decimals.length !== 3) return '12 or -1.5';
	if (decimals === '' || isDoubled) return whole;
	const given = `${digits.slice(0, -decimals.length)}.${decimals}`;
	const fraction = Number(given).toFixed(decimals.length);
	const plain = mayBeGrouped(fraction) ? `${fraction}0` : fraction;
	const mayBeWhole = decimals.length === 3 && marks.length === 1 && !/^-?0/.test(text);
	return mayBeWhole ? `${whole} or ${plain}` : plain;
}
