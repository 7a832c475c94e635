/**
 * When two texts are the same. There are three ways, and no other:
 * - as names (of tags, attributes, campaigns, columns): what people see as the same, in one case. `asName`, `findName`.
 * - as words (answers, headings, phrases): as people type them, in any case. `asWord`, `asPlainWord`, `asHeading`.
 * - as texts that the CRM stores: without blanks at their ends, and with the same words. `asStored`, `isSameStored`.
 */
import { isJsonObject } from './plainData';

/** What nobody sees in some places, or in all: format characters, controls, letters without a shape, styles. */
const OFTEN_INVISIBLE =
	/[\p{Cf}\p{Cc}\u115f\u1160\u2800\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\ufe00-\ufe0f]/gu;
const JOINER = /[\u200c\u200d]/;
/** Joiners belong to emojis, and to the scripts from Arabic to Mongolian. */
const JOINABLE =
	/(?![\p{Cf}\u115f\u1160]|[\u17b4\u17b5]|[\u180b-\u180d])[\u0600-\u1cff\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
/** Behind an emoji, they choose its style. */
const STYLE = /[\u180b-\u180d\ufe00-\ufe0f]/;
const EMOJI = /\p{Emoji}/u;
/** Flags such as England's are a black flag with invisible letters behind it. */
const BLACK_FLAG = '\u{1f3f4}';
const FLAG_LETTER = /[\u{e0020}-\u{e007f}]/u;

/** A text without invisible characters, or with blanks in their place. */
function replaceInvisible(text: string, by: '' | ' ' = ''): string {
	const keepsJoiners = JOINER.test(text) && JOINABLE.test(text);
	let flagEnd = -1;
	return text.replace(OFTEN_INVISIBLE, (character, at: number) => {
		const isOfFlag = flagEnd === at || (at > 1 && text.startsWith(BLACK_FLAG, at - 2));
		const isFlagLetter = isOfFlag && FLAG_LETTER.test(character);
		if (isFlagLetter) flagEnd = at + character.length;
		const isKept = JOINER.test(character) ? keepsJoiners : isVisible(text, at);
		return isFlagLetter || isKept ? character : by.repeat(character.length);
	});
}

/** Whether a character of `OFTEN_INVISIBLE` is a blank, or has an effect behind its neighbour. */
function isVisible(text: string, at: number): boolean {
	const character = text.charAt(at);
	if (STYLE.test(character)) return EMOJI.test(characterBefore(text, at));
	return character.trim() === '' && character !== '\ufeff';
}

/** Empty behind the end, like `characterBefore` at the beginning. */
function characterAt(text: string, at: number): string {
	const [character = ''] = text.slice(at, at + 2);
	return character;
}

function characterBefore(text: string, at: number): string {
	return [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
}

/** Nobody writes a longer name, and sorting the marks of a letter takes time by the square of their number. */
const MAX_NORMALIZED_UNITS = 5_000;

/** Normalizes a text. A longer one stays in its encoding. */
function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
	return text.length > MAX_NORMALIZED_UNITS ? text : text.normalize(form);
}

/** As most texts are: visible ASCII characters, with single spaces between them. */
const IS_PLAIN_NAME = /^[!-~]+(?: [!-~]+)*$/;

// As names.

/** They look like that of the keyboard. Longer dashes do not. */
const HYPHENS = /[\u2010\u2011]/g;

/**
 * A name as people see it: in NFC, without invisible characters, with single plain spaces and hyphens. Names with equal
 * results are the same name. Upper and lower case differ.
 */
export function asName(text: string): string {
	return IS_PLAIN_NAME.test(text) ? text : spaced(text).trim();
}

/** Like `asName`, with a space at either end if the text has one. */
function spaced(text: string): string {
	const composed = visibleOf(text);
	// Without an invisible character between them, a letter and its accent become one.
	const visible = composed === text ? text : visibleOf(composed);
	return visible.replace(HYPHENS, '-').replace(/\s+/gu, ' ');
}

function visibleOf(text: string): string {
	return replaceInvisible(normalized(text, 'NFC'));
}

/** Finds a name among others: as it is, or else in a spelling that people see as the same. */
export function findName(name: string, others: readonly string[]): string | undefined {
	return nameFinder(others)(name);
}

/** `findName` for many names. */
export function nameFinder(others: readonly string[]): (name: string) => string | undefined {
	const exact = new Set(others);
	let byForm: Map<string, string> | undefined;
	return (name) => {
		if (exact.has(name)) return name;
		// Of several spellings, the first.
		byForm ??= new Map([...others].reverse().map((other) => [asName(other), other]));
		return byForm.get(asName(name));
	};
}

/** Whether a name begins with a prefix as people see both. Blanks at the end of the prefix count. */
export function nameBeginsWith(name: string, prefix: string): boolean {
	return asName(name).startsWith(spaced(prefix).trimStart());
}

// As words.

/**
 * A word or phrase for comparing, as people type it: like `asName`, and in one case, with compatible characters,
 * apostrophes, skin colours and emoji styles made equal. Accents differ; see `withoutAccents`.
 */
export function asWord(text: string): string {
	const visible = asName(
		normalized(text, 'NFKC').replace(/[\p{Cf}\p{Emoji_Modifier}\ufe00-\ufe0f]/gu, ''),
	);
	// Not every letter has a lower case of its own: ß and ss, ς and σ, and the two Turkish i are equal.
	const lower = visible
		.toUpperCase()
		.toLowerCase()
		.replace(/i\u0307/g, 'i')
		.replace(/ς/g, 'σ');
	return normalized(lower, 'NFKC').replace(/[\u2018\u2019\u02bc\u00b4`]/g, "'");
}

/** Letters with a stroke, whose mark is part of the character. */
const STROKES = new Map(
	['łl', 'øo', 'đd', 'ёе'].map(([letter = '', plain = '']) => [letter, plain]),
);

/**
 * A word without accents, as many people type it. Only in Latin and Greek, where marks decorate a
 * letter: in other scripts, they make another letter or a vowel.
 */
function withoutAccents(word: string): string {
	const plain = word.replace(/[łøđё]/g, (letter) => STROKES.get(letter) ?? letter);
	const marked = normalized(plain, 'NFD');
	return normalized(marked.replace(/([\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu, '$1'), 'NFC');
}

/** A word without accents, as many people type it: `résumé` and `resume`. */
export function asPlainWord(text: string): string {
	return withoutAccents(asWord(text));
}

/** The heading of a column, without spaces, dashes and underscores. */
export function asHeading(name: string): string {
	return asWord(name).replace(/[\s_\p{Pd}\u2212]/gu, '');
}

/** The same without accents, for names that people may mean as one. */
export function asPlainHeading(name: string): string {
	return withoutAccents(asHeading(name));
}

/** Scripts without spaces between words; in them, a word may match anywhere in the text. */
const UNSPACED =
	/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const COMBINING_MARK = /\p{M}/u;
const OF_WORD = /[\p{L}\p{N}\p{M}]/u;

/**
 * Whether a text contains a phrase as whole words: no letter, digit or mark beside it. At an asterisk, the
 * word may go on.
 */
export function hasPhrase(text: string, phrase: string): boolean {
	const [searched, words] = [asWords(text), asWords(phrase)];
	const isOpenBefore = phrase.trimStart().startsWith('*') || UNSPACED.test(characterAt(words, 0));
	const isOpenBehind = phrase.trimEnd().endsWith('*') || endsUnspaced(words);
	const isWhole = (at: number) =>
		(isOpenBefore || !isOfWord(characterBefore(searched, at))) &&
		(isOpenBehind || !isOfWord(characterAt(searched, at + words.length)));
	if (words === '') return false;
	let at = searched.indexOf(words);
	while (at >= 0 && !isWhole(at)) at = searched.indexOf(words, at + 1);
	return at >= 0;
}

/** In one of these scripts, a letter may have several marks behind it. */
function endsUnspaced(words: string): boolean {
	const backwards = [...words].reverse();
	const last = backwards.find(
		(character) => UNSPACED.test(character) || !COMBINING_MARK.test(character),
	);
	return last !== undefined && UNSPACED.test(last);
}

function isOfWord(character: string): boolean {
	return OF_WORD.test(character) && !UNSPACED.test(character);
}

/** A text for comparing words: as `asWord`, without accents, with spaces for punctuation. */
export function asWords(text: string): string {
	return asPlainWord(text)
		.replace(/[\s\p{P}]+/gu, ' ')
		.trim();
}

// As texts that the CRM stores.

/** Removes blanks and invisible characters at both ends. Line breaks and spaces inside stay. In NFC. */
export function asStored(text: string): string {
	if (IS_PLAIN_NAME.test(text)) return text;
	const composed = normalized(text, 'NFC');
	const seen = replaceInvisible(composed, ' ');
	return composed.slice(seen.length - seen.trimStart().length, seen.trimEnd().length);
}

/** Whether the CRM need not be told of a value: JSON that is the same in another order of keys, with the same texts. */
export function isSameStored(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (typeof a === 'string' && typeof b === 'string') return asName(a) === asName(b);
	if (Array.isArray(a) && Array.isArray(b)) {
		return a.length === b.length && a.every((part, index) => isSameStored(part, b[index]));
	}
	if (!isJsonObject(a) || !isJsonObject(b)) return false;
	const keys = Object.keys(a);
	if (keys.length !== Object.keys(b).length) return false;
	return keys.every((key) => Object.hasOwn(b, key) && isSameStored(a[key], b[key]));
}
