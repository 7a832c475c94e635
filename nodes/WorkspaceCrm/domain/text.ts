/**
 * n8n's editor shows some texts as HTML and others as they are, so escaping would show in some places.
 * Instead, what means something in HTML becomes what looks like it and means nothing.
 */
const REPLACED: ReadonlyArray<readonly [RegExp, string]> = [
	// Nobody sees these, but they turn, join or hide what is around them. The last are halves of a pair.
	[/[\p{Cf}\p{Cs}]/gu, ''],
	[/[\s\p{Cc}]+/gu, ' '],
	[/</g, '‹'],
	[/>/g, '›'],
	[/`/g, "'"],
	[/&(?=#|\w+;)/g, '& '],
	// n8n takes what it saves for an expression if it begins with this.
	[/^ *=/, "'="],
];

/** For what the editor shows in lists and above fields. */
export const MAX_LABEL_CHARACTERS = 100;

/**
 * What somebody else wrote (the service, a contact, an input item) as a person may see it: one line of
 * text that changes nothing around it, in the editor, in a log and in a terminal.
 */
export function plainText(text: string, maxCharacters: number): string {
	const more = text.length - maxCharacters;
	const shown = REPLACED.reduce(
		(sofar, [pattern, by]) => sofar.replace(pattern, by),
		text.slice(0, maxCharacters),
	).trim();
	return more > 0 ? `${shown}… (${more} more characters)` : shown;
}

/** A time to wait, as people say it, rounded up: seconds, and from two minutes on minutes. */
export function formatDuration(durationMs: number): string {
	const seconds = Math.ceil(durationMs / 1_000);
	if (seconds <= 1) return '1 second';
	return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}

/** A count of things: `1 contact`, `2 contacts`. */
export function several(count: number, thing: string): string {
	return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** What a run took, as a sentence. */
export function usageText(requests: number, waitedMs: number): string {
	const seconds = Math.round(waitedMs / 1_000);
	const waited = seconds > 0 ? `, ${several(seconds, 'second')} of waiting for the CRM` : '';
	return `${several(requests, 'request')}${waited}.`;
}
