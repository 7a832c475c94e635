/**
 * When two texts are the same, and what to show of one. `tidy` is for names (of contacts, tags, columns),
 * `fold` for words that people type, `trimmed` for values that may have several lines, `plainText` for showing
 * what others wrote.
 */

/** Characters that nobody sees: format characters, controls, and letters without a shape. */
const UNSEEN =
	'(?![\\u200d\\u200c\\u{e0020}-\\u{e007f}])\\p{Cf}|(?!\\s)\\p{Cc}|[\\u034f\\u17b4\\u17b5\\u115f\\u1160\\u2800\\u3164\\uffa0]';
/** Joiners belong between parts of an emoji, and between letters of the scripts from Arabic to Mongolian. */
const JOINED =
	'(?!\\p{Cf}|[\\u17b4\\u17b5\\u180b-\\u180d\\u115f\\u1160])[\\u0600-\\u1cff\\p{Extended_Pictographic}\\p{Emoji_Modifier}]';
const IDLE_JOINER = `(?<!${JOINED}|\\p{Emoji}\\ufe0f)[\\u200d\\u200c]|[\\u200d\\u200c](?!${JOINED})`;
/** Flags such as England's are a black flag with invisible letters behind it. */
const IDLE_FLAG_LETTER = '(?<!\\u{1f3f4}[\\u{e0020}-\\u{e007f}]*)[\\u{e0020}-\\u{e007f}]';
/** Behind an emoji, they choose its style. */
const IDLE_STYLE = '(?<!\\p{Emoji})[\\u180b-\\u180d\\ufe00-\\ufe0f]';
const INVISIBLE = `${UNSEEN}|${IDLE_JOINER}|${IDLE_FLAG_LETTER}|${IDLE_STYLE}`;

const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu');
const BLANK_ENDS = new RegExp(`^(?:\\s|${INVISIBLE})+|(?:\\s|${INVISIBLE})+$`, 'gu');
/** As most texts are: visible ASCII characters, with single spaces between them. */
const IS_TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** Removes blanks and invisible characters at both ends. Line breaks and spaces inside stay. In NFC. */
export function trimmed(text: string): string {
	return IS_TIDY.test(text) ? text : text.normalize('NFC').replace(BLANK_ENDS, '');
}

/** They look like that of the keyboard. Longer dashes do not. */
const HYPHENS = /[\u2010\u2011]/g;

/**
 * A name as people see it: in NFC, without invisible characters, with single plain spaces and hyphens. Names with equal
 * results are the same name. Upper and lower case differ.
 */
export function tidy(text: string): string {
	if (IS_TIDY.test(text)) return text;
	const visible = text.normalize('NFC').replace(EVERY_INVISIBLE, '').replace(HYPHENS, '-');
	return visible.replace(/\s+/gu, ' ').trim();
}

/** Finds a name among others: as it is, or else in a spelling that people see as the same. */
export function sameName(name: string, others: readonly string[]): string | undefined {
	return others.includes(name) ? name : others.find((each) => tidy(each) === tidy(name));
}

/**
 * A word or phrase for comparing, as people type it: like `tidy`, and in one case, with compatible characters,
 * apostrophes, skin colours and emoji styles made equal. Accents differ; see `withoutAccents`.
 */
export function fold(text: string): string {
	const visible = tidy(
		text.normalize('NFKC').replace(/[\p{Cf}\p{Emoji_Modifier}\ufe00-\ufe0f]/gu, ''),
	);
	// Not every letter has a lower case of its own: ß and ss, ς and σ, and the two Turkish i are equal.
	const lower = visible
		.toUpperCase()
		.toLowerCase()
		.replace(/i\u0307/g, 'i')
		.replace(/ς/g, 'σ');
	return lower.normalize('NFKC').replace(/[\u2018\u2019\u02bc\u00b4`]/g, "'");
}

/** Letters with a stroke, whose mark is part of the character. */
const STROKES = new Map(
	['łl', 'øo', 'đd', 'ёе'].map(([letter = '', plain = '']) => [letter, plain]),
);

/**
 * A folded text without accents, as many people type it. Only in Latin and Greek, where marks decorate a
 * letter: in other scripts, they make another letter or a vowel.
 */
export function withoutAccents(folded: string): string {
	return folded
		.replace(/[łøđё]/g, (letter) => STROKES.get(letter) ?? letter)
		.normalize('NFD')
		.replace(/(?<=[\p{Script=Latin}\p{Script=Greek}]\p{Mn}*)\p{Mn}/gu, '')
		.normalize('NFC');
}

/** Scripts without spaces between words; in them, a word may match anywhere in the text. */
const UNSPACED =
	'[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]';
const BESIDE = `(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}]`;

/**
 * Whether a text contains a phrase as whole words: no letter, digit or mark beside it. At an asterisk, the
 * word may go on.
 */
export function hasPhrase(text: string, phrase: string): boolean {
	const words = toWords(phrase);
	const isOpen = (place: string, asterisk: RegExp) =>
		asterisk.test(phrase) || new RegExp(place, 'u').test(words);
	const before = isOpen(`^${UNSPACED}`, /^\s*\*/) ? '' : `(?<!${BESIDE})`;
	const after = isOpen(`${UNSPACED}\\p{M}*$`, /\*\s*$/) ? '' : `(?!${BESIDE})`;
	const escaped = words.replace(/[$^+|]/g, '\\$&');
	return new RegExp(`${before}${escaped}${after}`, 'u').test(toWords(text));
}

/** A text for comparing words: as `fold`, without accents, with spaces for punctuation. */
export function toWords(text: string): string {
	return withoutAccents(fold(text))
		.replace(/[\s\p{P}]+/gu, ' ')
		.trim();
}

/**
 * n8n's editor shows some texts as HTML and others as plain text, so escapes would be visible in some places.
 * Instead, characters with a meaning in HTML are replaced by ones that look similar.
 */
const REPLACED: ReadonlyArray<readonly [RegExp, string]> = [
	// Invisible characters that reverse, join or hide the text around them, and unpaired surrogates.
	[/[\p{Cf}\p{Cs}]/gu, ''],
	[/[\s\p{Cc}]+/gu, ' '],
	[/</g, '‹'],
	[/>/g, '›'],
	[/`/g, "'"],
	[/&(?=#|\w+;)/g, '& '],
	// n8n treats a saved value that begins with this as an expression.
	[/^ *=/, "'="],
];

/** Most texts need no replacement. */
const IS_SAFE = /^[\w+][\w+(),./:?!@'"-]*(?: [\w+(),./:?!@'"-]+)*$/;

/** For lists and labels in the editor. */
export const MAX_LABEL_CHARACTERS = 100;

/**
 * Makes foreign text (of the service, a contact or an input item) safe to show: one line that does not affect
 * the text around it, in the editor, a log or a terminal.
 */
export function plainText(text: string, maxCharacters: number): string {
	const more = text.length - maxCharacters;
	if (more <= 0 && IS_SAFE.test(text)) return text;
	const shown = REPLACED.reduce(
		(sofar, [pattern, by]) => sofar.replace(pattern, by),
		text.slice(0, maxCharacters),
	).trim();
	return more > 0 ? `${shown}… (${more} more characters)` : shown;
}

/** Part of a text, cut between words where it has any: its beginning, or what stands around a place. */
export function excerpt(text: string, length: number, place = 0): string {
	const start = Math.max(0, place - Math.floor(length / 3));
	const end = start + length;
	const before = text.slice(start, place);
	const after = text.slice(place, end);
	const from = start > 0 ? `…${before.replace(/^\S*\s+/u, '')}` : before;
	return from + (text.length > end ? `${after.replace(/\s+\S*$/u, '')}…` : after);
}

/** A waiting time in words, rounded up: seconds, or minutes from two minutes on. */
export function formatDuration(durationMs: number): string {
	const seconds = Math.max(1, Math.ceil(durationMs / 1_000));
	return seconds < 120 ? several(seconds, 'second') : several(Math.ceil(seconds / 60), 'minute');
}

/** A count of things: `1 contact`, `2 contacts`. */
export function several(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
