import { fold, withoutAccents } from './text';

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
