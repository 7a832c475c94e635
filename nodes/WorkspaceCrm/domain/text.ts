/**
 * When two texts are the same, and what to show of one. `tidy` is for names (of contacts, tags, columns),
 * `fold` for words that people type, `trimmed` for values that may have several lines, `plainText` for showing
 * what others wrote.
 */

/** What nobody sees in some places, or in all: format characters, controls, letters without a shape, styles. */
const OFTEN_INVISIBLE =
	/[\p{Cf}\p{Cc}\u115f\u1160\u2800\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\ufe00-\ufe0f]/gu;
const JOINERS = '\u200c\u200d';
/** Joiners belong between parts of an emoji, and between letters of the scripts from Arabic to Mongolian. */
const JOINABLE = /[\u0600-\u1cff\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
/** Behind an emoji, they choose its style. */
const STYLE = /[\u180b-\u180d\ufe00-\ufe0f]/;
const EMOJI_STYLE = '\ufe0f';
const EMOJI = /\p{Emoji}/u;
/** Flags such as England's are a black flag with invisible letters behind it. */
const BLACK_FLAG = '\u{1f3f4}';
const FLAG_LETTER = /[\u{e0020}-\u{e007f}]/u;

/** A text without invisible characters, or with blanks in their place. */
function replaceInvisible(text: string, by: '' | ' ' = ''): string {
	let flagEnd = -1;
	return text.replace(OFTEN_INVISIBLE, (character, at: number) => {
		const isOfFlag = flagEnd === at || (at > 1 && text.startsWith(BLACK_FLAG, at - 2));
		const isFlagLetter = isOfFlag && FLAG_LETTER.test(character);
		if (isFlagLetter) flagEnd = at + character.length;
		return isFlagLetter || isVisible(text, at) ? character : by.repeat(character.length);
	});
}

/** Whether a character of `OFTEN_INVISIBLE` is a blank, or has an effect beside its neighbours. */
function isVisible(text: string, at: number): boolean {
	const character = text.charAt(at);
	if (STYLE.test(character)) return EMOJI.test(characterBefore(text, at));
	if (JOINERS.includes(character)) return canJoin(text, at);
	return character.trim() === '' && character !== '\ufeff';
}

function canJoin(text: string, at: number): boolean {
	const before = characterBefore(text, at);
	const isStyled = before === EMOJI_STYLE && EMOJI.test(characterBefore(text, at - 1));
	return (isStyled || isJoinable(before)) && isJoinable(characterAt(text, at + 1));
}

function isJoinable(character: string): boolean {
	return JOINABLE.test(character) && character.search(OFTEN_INVISIBLE) < 0;
}

/** Empty behind the end, like `characterBefore` at the beginning. */
function characterAt(text: string, at: number): string {
	const [character = ''] = text.slice(at, at + 2);
	return character;
}

function characterBefore(text: string, at: number): string {
	return [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
}

/** Combining marks, and the two letters that become some in NFKC. */
const MARKS = /[\p{M}\uff9e\uff9f]+/gu;
/** Two for each mark: writing has up to 30 of them in a row (Unicode Standard Annex #15, section 13). */
const MAX_MARK_UNITS = 60;

/** Two signs that are sentences of 8 and 18 letters in NFKC. */
const SENTENCES = /[\ufdfa\ufdfb]+/g;

/**
 * Normalizes a text, except for longer runs of marks, because sorting one takes time by the square of its length,
 * and for signs that would make a long text ten times as long.
 */
function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC'): string {
	if (text.length <= MAX_MARK_UNITS && text.search(SENTENCES) < 0) return text.normalize(form);
	const marks = [...text.matchAll(MARKS)].filter(({ 0: run }) => run.length > MAX_MARK_UNITS);
	const kept = [...text.matchAll(SENTENCES), ...marks].sort((a, b) => a.index - b.index);
	const parts: string[] = [];
	let from = 0;
	for (const { 0: run, index } of kept) {
		parts.push(text.slice(from, index).normalize(form), run);
		from = index + run.length;
	}
	return parts.join('') + text.slice(from).normalize(form);
}

/** As most texts are: visible ASCII characters, with single spaces between them. */
const IS_TIDY = /^[!-~]+(?: [!-~]+)*$/;

/** Removes blanks and invisible characters at both ends. Line breaks and spaces inside stay. In NFC. */
export function trimmed(text: string): string {
	if (IS_TIDY.test(text)) return text;
	const composed = normalized(text, 'NFC');
	const seen = replaceInvisible(composed, ' ');
	return composed.slice(seen.length - seen.trimStart().length, seen.trimEnd().length);
}

/** They look like that of the keyboard. Longer dashes do not. */
const HYPHENS = /[\u2010\u2011]/g;

/**
 * A name as people see it: in NFC, without invisible characters, with single plain spaces and hyphens. Names with equal
 * results are the same name. Upper and lower case differ.
 */
export function tidy(text: string): string {
	return IS_TIDY.test(text) ? text : spaced(text).trim();
}

/** Like `tidy`, with a space at either end if the text has one. */
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
export function sameName(name: string, others: readonly string[]): string | undefined {
	return sameNameIn(others)(name);
}

/** `sameName` for many names. */
export function sameNameIn(others: readonly string[]): (name: string) => string | undefined {
	const exact = new Set(others);
	let byTidy: Map<string, string> | undefined;
	return (name) => {
		if (exact.has(name)) return name;
		// Of several spellings, the first.
		byTidy ??= new Map([...others].reverse().map((other) => [tidy(other), other]));
		return byTidy.get(tidy(name));
	};
}

/** Whether a name begins with a prefix as people see both. Blanks at the end of the prefix count. */
export function beginsWith(name: string, prefix: string): boolean {
	return tidy(name).startsWith(spaced(prefix).trimStart());
}

/**
 * A word or phrase for comparing, as people type it: like `tidy`, and in one case, with compatible characters,
 * apostrophes, skin colours and emoji styles made equal. Accents differ; see `withoutAccents`.
 */
export function fold(text: string): string {
	const visible = tidy(
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
 * A folded text without accents, as many people type it. Only in Latin and Greek, where marks decorate a
 * letter: in other scripts, they make another letter or a vowel.
 */
export function withoutAccents(folded: string): string {
	const plain = folded.replace(/[łøđё]/g, (letter) => STROKES.get(letter) ?? letter);
	const marked = normalized(plain, 'NFD');
	return normalized(marked.replace(/([\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu, '$1'), 'NFC');
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
	const [searched, words] = [toWords(text), toWords(phrase)];
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
	[/&(#|\w+;)/g, '& $1'],
	// n8n treats a saved value that begins with this as an expression.
	[/^ *=/, "'="],
];

/** Most texts need no replacement. */
const IS_SAFE = /^[\w+][\w+(),./:?!@'"-]*(?: [\w+(),./:?!@'"-]+)*$/;

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

/** The same for lists and labels in the editor. */
export function labelText(text: string): string {
	return plainText(text, 100);
}

/** Part of a text, cut between words where it has any: its beginning, or what stands around a place. */
export function excerpt(text: string, length: number, place = 0): string {
	const start = Math.max(0, place - Math.floor(length / 3));
	const end = start + length;
	const before = text.slice(start, place);
	const after = text.slice(place, end);
	const from = start > 0 ? `…${before.replace(/^\S*\s+/u, '')}` : before;
	return from + (text.length > end ? `${withoutLastWord(after)}…` : after);
}

/** The whole text if it has no blank. */
function withoutLastWord(text: string): string {
	const parts = text.split(/(\s+)/u);
	return parts.length === 1 ? text : parts.slice(0, -2).join('');
}

/** A text without the characters at its end that are among these. */
export function withoutEnd(text: string, characters: string): string {
	let end = text.length;
	while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
	return text.slice(0, end);
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

const SHOWN_NAMES = 10;

/** The first of some names, each once. */
export function named(names: Iterable<string>): string {
	const different = [...new Set(names)];
	const shown = different.slice(0, SHOWN_NAMES).map((name) => labelText(name));
	const more = different.length - SHOWN_NAMES;
	return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
