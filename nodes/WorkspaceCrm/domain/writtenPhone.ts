/**
 * How people and programs write phone numbers, and what looks like one but is none. Groups and marks alone cannot tell:
 * 2025-2026 are years and 8163-2968 is a number in Singapore, 020 12345 12346 are two numbers and 021 97123 4567 is one.
 */
import { InputProblem, quoted, rethrow } from './inputProblem';
import { KEEP_DIGITS } from './sheetErrors';
import { asName, asStored } from './sameText';

/** E.164 allows 15 digits; other prefixes than 00, such as 011, are longer than a plus. */
export const MAX_DIGITS = 15;
const MAX_WITH_PREFIX = 18;
/** As many as the numbers of the smallest countries. */
export const MIN_DIGITS = 4;
const MAX_PHONE_CHARACTERS = 60;

/** As most numbers are: digits; or, with a plus, groups with blanks between them, of which only the last is long. */
const IS_PLAIN = /^(?:\d+|\+\d+|\+\d{1,6}(?: \d{2,6})*(?: \d{4,})?)$/;

const OTHER_DIGITS = /(?!\d)\p{Nd}/gu;
const IS_DIGIT = /\p{Nd}/u;
const FULL_WIDTH = /[\uff08\uff09\uff0b\uff0d-\uff0f]/g;
/** Spreadsheets write it in front of a number that is to stay a text. */
const SPREADSHEET_TEXT = /^['\u2018\u2019] ?/;
const DASHES = /[\u2010-\u2015\u2212]/g;

/** A country code, an area code or a zero in brackets. More of the number follows. */
const BRACKETS = /\( ?(\+? ?\d(?:[ -]?\d{1,5})?) ?\)(?=(?:\D*\d){3})/g;
/**
 * Groups of digits, with a blank or one mark between them. A last group of one digit is an extension that can be
 * dialled if it is behind a dash without blanks. Otherwise it is a note, unless the digit before it stands alone, too.
 */
const WRITTEN = /^\+? ?(?:\d+(?:[./]| ?- ?| ))*(?:\d{2,}|\d+-\d|\d \d)$/;

const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const YEAR = '(?:19|20)\\d\\d';
const SEPARATOR = '([./]| ?- ?)';
/** With three parts, a time may follow. */
const DATES = [
	`${DAY}${SEPARATOR}${DAY}\\1(?:${YEAR}(?: .*)?|\\d\\d(?: \\d\\d?\\.\\d\\d.*)?)`,
	`${YEAR}${SEPARATOR}${DAY}(?:\\1${DAY}(?: .*)?)?`,
	`${YEAR} ${DAY} ${DAY}`,
	// A month, or a range of years.
	`(?:${DAY}|${YEAR})${SEPARATOR}${YEAR}`,
].map((pattern) => new RegExp(`^${pattern}$`));

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IP_ADDRESS = new RegExp(`^(?:${OCTET}\\.){3}${OCTET}(?:/\\d+)?$`);
const DECIMALS = [
	// A price, or a range of prices, hours or days.
	/^\d+\.\d\d(?: ?- ?\d+\.\d\d)?$/,
	// A coordinate.
	/^[1-9]\d?\.\d{5,}$/,
	// Other fractions.
	/^\+?\d{7,}\.\d+$/,
	/^\d{4,6}\.0+$/,
];

/** What may stand beside a number. It does if the rest is a number by itself. */
const BESIDE = [
	// The number of a list, before a national number.
	/^(?!8\b)[1-9]\d?(?: ?- ?|[ .])(?=0)/,
	// A note: a few digits behind a whole number, or two behind the only dot or a dash.
	/(?<=\d{7,} |\d{6,}[./])\d{2,3}$/,
	/(?<=^[^.]*\.| - )\d\d$/,
	// A second number: it begins as the first, both are long, or a slash stands not only behind the area code.
	/(?<=^(0\d\d+) .*[ -])\1 .*$/,
	/(?<=\d{5,} - |\d{7,}-(?=\d{5})|^0\d{1,4} \d{5,} )\d{4,}$/,
	/(?<=^(?:[^/\d]*\d){4,}[^/\d]*)\/[^/]*$/,
];

const FRACTION_OF_ZEROS = /^(\+?\d{7,})[.,]0*$/;
const SCIENTIFIC = /^\+?(\d)(?:[.,](\d*))?E\+?(\d+)$/i;

export const WITH_PLUS =
	'Enter the number with a plus and its country code, such as +49 170 5556677';

const NOTHING_ELSE = 'Enter one complete number and nothing else.';

class PhoneProblem extends InputProblem {
	constructor(
		phone: string,
		readonly what: string,
		remedy: string,
	) {
		super(`The phone number ${quoted(phone)} ${what}`, remedy);
	}
}

/** @param remedy by default: see `remedyFor` */
export function phoneProblem(phone: string, what: string, remedy = remedyFor(phone)): InputProblem {
	return new PhoneProblem(phone, what, remedy);
}

/** Reads a number. Its errors quote it as it was typed: nobody finds "01000" in a sheet that has "٠١٠٠٠". */
export function quotingTyped<T>(typed: unknown, read: () => T): T {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof PhoneProblem) || typeof typed !== 'string') return rethrow(error);
		throw phoneProblem(asStored(typed), error.what, error.description);
	}
}

/** @param otherwise for a number without a plus */
function remedyFor(text: string, otherwise = () => `${WITH_PLUS}.`): string {
	const [extension] = EXTENSION.exec(text) ?? [];
	if (extension) return `Remove the extension: ${quoted(extension)}.`;
	const strangers = [...new Set(text.match(STRANGERS))].slice(0, SHOWN_STRANGERS);
	// Without what stands between digits, they would be another number.
	if (strangers.length > 0 && digitsOf(text).length >= MIN_DIGITS && !IS_BETWEEN.test(text)) {
		return `Remove what does not belong to a phone number: ${strangers.map(quoted).join(', ')}.`;
	}
	if (LONE_DIGIT.test(text)) return 'Write the last digit together with the others, or remove it.';
	return text.includes('+') ? NOTHING_ELSE : otherwise();
}

const LONE_DIGIT = /\d{3} \d$/;
const EXTENSION =
	/(?<=\d[^\p{L}\d]{0,3})(?:ext|extn|extension|x|dw|durchwahl|poste|ramal|anexo)[ .:]{0,3}\d{1,6}$/iu;
const IS_BETWEEN = /\d[^\p{L}\d]*\p{L}\D*\d/u;

/** What is no digit, and no mark that may stand beside one. */
const STRANGERS = /[^\d\s+()./-]+/g;
const SHOWN_STRANGERS = 3;

/**
 * Reads a phone number as it is written, without deciding which number it is.
 *
 * @param value text or a number
 * @param remedy what to enter in place of a text that is none
 * @returns digits and punctuation in ASCII
 * @throws InputProblem if it cannot be a phone number
 */
export function readPhoneText(value: unknown, remedy?: () => string): string {
	return quotingTyped(value, () => {
		const text = readWritten(value, remedy);
		const digits = digitsOf(text);
		const { length } = afterZeros(digits);
		const hasCode = text.includes('+') || length < digits.length;
		if (length < MIN_DIGITS) throw phoneProblem(text, 'is too short', remedyFor(text, remedy));
		if (length <= (hasCode ? MAX_DIGITS : MAX_WITH_PREFIX)) return text;
		throw phoneProblem(text, 'is too long', NOTHING_ELSE);
	});
}

/**
 * Reads groups of digits with marks between them, however long: they may hold more than one number.
 *
 * @returns digits and punctuation in ASCII
 * @throws InputProblem for anything else
 */
export function readWritten(value: unknown, remedy?: () => string): string {
	if (typeof value === 'string' && IS_PLAIN.test(value)) return value;
	// A raised dot joins groups, and is no decimal point.
	const text = readNumeral(readLine(value ?? '')).replaceAll('·', '.');
	if (text === '') throw new InputProblem('The phone number is empty', `${WITH_PLUS}.`);
	const what = whatElse(text);
	if (what) throw new InputProblem(`${quoted(value)} ${what}`, remedyFor(text, remedy));
	return text;
}

/** What a text is that is not written as a phone number. */
function whatElse(text: string): string | undefined {
	// No longer text is a number.
	const groups = withoutBrackets(text.slice(0, MAX_PHONE_CHARACTERS + 1));
	if (DATES.some((date) => date.test(groups))) return 'looks like a date, not a phone number';
	if (IP_ADDRESS.test(groups)) return 'looks like an IP address, not a phone number';
	const isWritten = text.length <= MAX_PHONE_CHARACTERS && WRITTEN.test(groups);
	if (isWritten && !DECIMALS.some((decimal) => decimal.test(groups))) return undefined;
	const count = /^\+[\d\s()./-]+$/.test(text) ? digitsOf(text).length : 0;
	return count > 0 && count < MIN_DIGITS
		? 'is too short for a phone number'
		: 'is not a phone number';
}

/** What could be the number, if something else stands beside it. */
export function partsOf(text: string): string[] {
	if (IS_PLAIN.test(text)) return [];
	const groups = withoutBrackets(text);
	return BESIDE.filter((other) => other.test(groups)).map((other) => groups.replace(other, ''));
}

/** With one blank at most beside a dash, and none beside other marks. */
function withoutBrackets(text: string): string {
	const blanks = text.replace(BRACKETS, ' $1 ').replace(/ +/g, ' ');
	return blanks.replace(/ ?([./]) ?/g, '$1').trim();
}

export function digitsOf(text: string): string {
	return text.replace(/\D/g, '');
}

/** 00 means a plus in every country, even where another prefix is dialled: people copy numbers from abroad. */
export function afterZeros(digits: string): string {
	return digits.replace(/^00+/, '');
}

/** One line in ASCII, without invisible characters of chats and web pages. Two lines hold two numbers. */
function readLine(value: unknown): string {
	// Larger integers have lost digits.
	const isWhole = Number.isSafeInteger(value) && Number(value) >= 0;
	const given = typeof value === 'string' || isWhole ? String(value) : '?';
	const text = asStored(given.replace(/\p{Cf}/gu, ''));
	return asciiDigits(/[\n\r]/.test(text) ? text : asName(text))
		.replace(SPREADSHEET_TEXT, '')
		.replace(/^tel: ?/i, '')
		.replace(DASHES, '-');
}

/** Digits of any script, and full-width brackets, plus and minus, as in ASCII. */
export function asciiDigits(text: string): string {
	return text
		.replace(OTHER_DIGITS, asciiDigit)
		.replace(FULL_WIDTH, (character) => character.normalize('NFKC'));
}

/** The ten digits of a script follow each other. Those that do not stand alone have ASCII digits in NFKC. */
function asciiDigit(digit: string): string {
	const plain = digit.normalize('NFKC');
	if (/^\d$/.test(plain)) return plain;
	const code = digit.codePointAt(0) ?? 0;
	let zero = code;
	while (IS_DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1;
	return String((code - zero) % 10);
}

/** Data tools write whole numbers as 436641234567.0 or 4.36641234567E11. */
function readNumeral(text: string): string {
	const [, first, more = '', exponent] = SCIENTIFIC.exec(text) ?? [];
	if (first === undefined) return text.replace(FRACTION_OF_ZEROS, '$1');
	if (more.length === Number(exponent)) return first + more;
	throw phoneProblem(text, 'was rounded by a spreadsheet', KEEP_DIGITS);
}
