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

/** For lists and labels in the editor. */
export const MAX_LABEL_CHARACTERS = 100;

/**
 * Makes foreign text (of the service, a contact or an input item) safe to show: one line that does not affect
 * the text around it, in the editor, a log or a terminal.
 */
export function plainText(text: string, maxCharacters: number): string {
	const more = text.length - maxCharacters;
	const shown = REPLACED.reduce(
		(sofar, [pattern, by]) => sofar.replace(pattern, by),
		text.slice(0, maxCharacters),
	).trim();
	return more > 0 ? `${shown}… (${more} more characters)` : shown;
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
