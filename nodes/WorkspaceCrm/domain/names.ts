import { tryParseJson } from './json';
import { InputProblem } from './problem';
import { MAX_LABEL_CHARACTERS, plainText } from './text';

/**
 * Reads names from comma-separated text, the text of a JSON array, or an array. Blank and repeated names are
 * left out. Typed names are trimmed; entries of an array are not, because a record's "vip " is another name
 * than "vip".
 *
 * @param label the field's name in the editor, for the error
 * @throws InputProblem if an entry is not text or a number, or if it is unclear whether a list is meant
 */
export function readNames(value: unknown, label: string): string[] {
	const list = Array.isArray(value) ? value : readList(String(readScalar(value, label)), label);
	// A name in an array may be anything except the text of a list.
	const nested = Array.isArray(value) && value.find((entry) => readArray(entry) !== undefined);
	if (typeof nested === 'string') throw ambiguous(label, nested);
	const names = list.map((entry) => String(readScalar(entry, label)));
	return [...new Set(names.filter((name) => name.trim() !== ''))];
}

/** Text that looks like a list or an object, but not like a name such as "[x] y". */
const LOOKS_LIKE_JSON = /^(\[(\s*["']|[^\]]*,|.*\]$)|\{.*\}$)/s;

function readList(text: string, label: string): unknown[] {
	const array = readArray(text);
	if (!array && LOOKS_LIKE_JSON.test(text.trim())) throw ambiguous(label, text);
	return array ?? text.split(',').map((name) => name.trim());
}

function readArray(text: unknown): unknown[] | undefined {
	const parsed = typeof text === 'string' ? tryParseJson(text) : undefined;
	return Array.isArray(parsed) ? parsed : undefined;
}

function ambiguous(label: string, text: string): InputProblem {
	return new InputProblem(
		`'${label}' may be one name or a list: ${plainText(text, MAX_LABEL_CHARACTERS)}`,
		'Separate names by commas, or use a JSON array of texts, such as ["vip", "new"]. A name that begins with a bracket needs the array, such as ["[vip]"].',
	);
}

function readScalar(value: unknown, label: string): string | number {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string' || typeof value === 'number') return value;
	throw new InputProblem(
		`'${label}' holds a value that is not text`,
		'Use comma-separated text, or an expression that gives an array of texts.',
	);
}

/** A name without case, spaces, dashes and underscores, for comparing. */
export function plainName(name: string): string {
	return name.toLowerCase().replace(/[\s_-]/g, '');
}
