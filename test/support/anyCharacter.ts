import * as fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/**
 * Any character of Unicode, as the unit of `fc.string`. Its own unit 'binary' is the same, but makes
 * a table of a million characters in each test file, which takes half a second and 85 MB.
 */
export const anyCharacter = fc
	.nat(0x10ffff - SURROGATES)
	.map(
		(index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES),
		toIndex,
	);

/** @throws if it is not one character, as fast-check expects */
function toIndex(value: unknown): number {
	const [character, ...others] = typeof value === 'string' ? value : '';
	const code = character?.codePointAt(0) ?? SURROGATES_FROM;
	const isSurrogate = code >= SURROGATES_FROM && code < SURROGATES_FROM + SURROGATES;
	if (others.length > 0 || isSurrogate) throw new Error('Not one character');
	return code < SURROGATES_FROM ? code : code - SURROGATES;
}
