/** What to show of a text that others wrote, in an error, a log or the editor. */

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
