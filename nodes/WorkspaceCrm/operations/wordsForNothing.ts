/**
 * What JavaScript writes into a text in place of a value: leftovers such as "undefined". A text that somebody
 * wrote may hold the same words, so a text is judged by what has made it, part by part.
 */
import { flawIn, isJsonObject, NoValue, tryParseJson } from '../domain/plainData';
import { isSheetError } from '../domain/sheetErrors';
import { readAsText } from '../domain/typedValues';
import { quoted } from '../domain/inputProblem';
import { outlineOf } from '../n8n/expressions';

/** For nothing, and for an object in place of one of its fields. */
const NOTHING_WORDS = String.raw`undefined|\[object Object\]|(?<!\p{L})(?:null|NaN)(?!\p{L})`;
/** The second is such a thing in an address. */
const INVALID = String.raw`\[object \w{1,40}\]|%5Bobject(?:%20|\+)\w{1,40}%5D|Invalid (?:Date(?:Time)?|Duration|Interval)(?!\p{L})`;
/** The end of a function's head, an arrow, the head of a class, and the body of what is JavaScript's own. */
const CODE = String.raw`\[native code\]|\) ?\{|=>|\bclass [\w$]{0,99} ?\{`;

const FOR_NOTHING = new RegExp(NOTHING_WORDS, 'gu');
const FOR_INVALID = new RegExp(INVALID, 'gu');
/** "Infinity" alone may be a name; a code that calculates has written it for a number. */
const IN_TEXT = `${NOTHING_WORDS}|${INVALID}|${CODE}|(?<!\\p{L})Infinity(?!\\p{L})|∞`;
/** Lists are written as texts without a word for nothing. */
const IN_LIST = `${INVALID}|${CODE}`;

const wordsOf = (flags: string) => ({
	forNoValue: new RegExp(`${NOTHING_WORDS}|${INVALID}`, `g${flags}`),
	inText: new RegExp(IN_TEXT, flags),
	inList: new RegExp(IN_LIST, flags),
});
const WORDS = wordsOf('u');
/** The same as code may write them in other letters. */
const RECASED_WORDS = wordsOf('iu');

/** What any of these has in it, and a number that has lost digits. Most texts have none. */
const SUSPICIOUS =
	/undefined|null|(?<![a-z])nan(?![a-z])|infinity|∞|#[^\s\d]|loading\.|err:5|\[object |%5bobject|\[native|invalid |\{|=>|\d{16}|\de[+-]/i;

/** Whether a text, or any within a value, may hold what an expression has written without a value. */
export function holdsSuspicious(value: unknown): boolean {
	return typeof value === 'string'
		? SUSPICIOUS.test(value)
		: allTextsIn(value).some((text) => SUSPICIOUS.test(text));
}

/** Such as "undefined, undefined", or an empty list as text, where expressions have no value. */
export function isLeftForNothing(text: string): boolean {
	return isOnly(text, FOR_NOTHING) || EMPTY_LIST.test(text);
}

const EMPTY_LIST = /^(?:[\s,]*|\s*(?:\[\]|"")\s*)$/;

/** Whether a text is nothing but leftovers: of nothing, or of a date or an object that is no text. */
export function isLeftover(text: string): boolean {
	return isLeftForNothing(text) || isOnly(text, WORDS.forNoValue);
}

function isOnly(text: string, leftover: RegExp): boolean {
	if (!SUSPICIOUS.test(text)) return false;
	return text.search(leftover) >= 0 && /^[\s\p{P}]*$/u.test(text.replace(leftover, ''));
}

/** Why a part cannot be in a text: what it does, such as "has no value", and what to do about it. */
export interface Flaw {
	does: string;
	remedy: string;
}

export const NO_VALUE: Flaw = {
	does: 'has no value',
	remedy:
		"Check that this item has the field, or say in the expression what to use instead, such as {{ $json.first || 'there' }}. If it may be blank, say that: {{ $json.first || '' }}.",
};

const NO_TEXT =
	"Check what it reads in this item. Of an object, use a field, such as {{ $json.address.city }}. A function may lack its brackets, as in {{ $json.name.trim() }}. Or say what to use instead, such as {{ $json.first || '' }}.";

/** What n8n cannot hand over, such as a function. */
export const UNREADABLE: Flaw = { does: 'gives nothing that can be read as text', remedy: NO_TEXT };

/**
 * @param value of a part
 * @param code of the part
 * @param isInJson whether the part stands in the text of a JSON object, where null is a value
 */
export function flawOf(value: unknown, code: string, isInJson = false): Flaw | undefined {
	if (typeof value === 'string') return flawOfText(value, code, isInJson);
	if (value instanceof NoValue) return noText(value);
	if (!Array.isArray(value)) return isText(value) ? undefined : noText(value);
	for (const entry of value as unknown[]) {
		const flaw = flawOf(entry, code);
		if (flaw) return flaw;
	}
	return undefined;
}

function flawOfText(text: string, code: string, isInJson: boolean): Flaw | undefined {
	if (!SUSPICIOUS.test(text)) return undefined;
	if (isSheetError(text)) return noText(text.trim());
	const parsed = isInJson || /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
	if (parsed !== undefined) return flawOfTexts(allTextsIn(parsed), code);
	return isOnly(text, WORDS.forNoValue) ? noText(text.trim()) : flawOfTexts([text], code);
}

function isText(value: unknown): boolean {
	// n8n writes nothing for these.
	if (value === undefined || value === null || Number.isNaN(value)) return true;
	try {
		readAsText(value, '');
		return true;
	} catch {
		return false;
	}
}

function noText(value: unknown): Flaw {
	const isText = typeof value === 'string';
	const shown = isText
		? quoted(value)
		: isJsonObject(value)
			? 'an object'
			: String(flawIn(value) ?? value);
	return { does: `gives ${shown}`, remedy: NO_TEXT };
}

/**
 * Finds a leftover in what code has written.
 *
 * @param texts what it has written: a text, or all those in an object
 */
export function flawOfTexts(texts: readonly string[], code: string): Flaw | undefined {
	const isJoined = code.includes('${') || JOINS.test(outlineOf(code));
	const isListed = LISTS.test(code);
	const isRecased = RECASES.test(code) && (isJoined || isListed);
	const words = isRecased ? RECASED_WORDS : WORDS;
	const alone = texts.find((text) => isOnly(text, isRecased ? words.forNoValue : FOR_INVALID));
	if (alone !== undefined) return noText(alone);
	if (!isJoined && !isListed) return undefined;
	const pattern = isJoined ? words.inText : words.inList;
	const [word] = texts.flatMap((text) => pattern.exec(text)?.[0] ?? []);
	return word === undefined ? undefined : written(word);
}

function written(word: string): Flaw {
	if (word.includes('{') || word.includes('code')) {
		return { does: 'writes the code of a function into it', remedy: NO_TEXT };
	}
	const does = `writes '${word}' into it`;
	if (/\W/.test(word)) return { does, remedy: NO_TEXT };
	return {
		does,
		remedy: `Say in the expression what to use instead of '${word}', such as {{ $json.first || '' }}. If this word belongs to the text of a field, leave only the field in braces and write all else outside of them, as in: Note: {{ $json.note }}.`,
	};
}

/** In an outline: what writes a value into a text, or a number as one. */
const JOINS =
	/\+|\.concat\(|\.replace(?:All)?\([^(),]*,[$(]|\.to(?:Fixed|Precision|LocaleString)\(|\.format\(/;
const LISTS = /\.join\(|\bString\(|\.toString\(|\bencodeURI|\.urlEncode\(/;
/** What writes a text in other letters. */
const RECASES = /\.to\w{1,20}Case\(/;

/** Whether code says what to write for nothing: an empty text. */
export function saysBlank(code: string): boolean {
	const outline = outlineOf(code);
	return (
		BLANK_INSTEAD.test(outline) || (outline.includes('""') && /\$if(?:Empty)?\(/.test(outline))
	);
}

const BLANK_INSTEAD = /(?:^|\?\?|\|\||&&|[?:[]|=>|return)\(?""/;

/** All texts of a value, also names of fields. Dates and other classes have none. */
export function allTextsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	const found: string[] = [];
	const left: unknown[] = [value];
	const seen = new Set<unknown>();
	while (left.length > 0) {
		const part = left.pop();
		if (typeof part === 'string') found.push(part);
		if (!(Array.isArray(part) || isJsonObject(part)) || seen.has(part)) continue;
		seen.add(part);
		for (const [name, each] of Object.entries(part)) left.push(name, each);
	}
	return found;
}
