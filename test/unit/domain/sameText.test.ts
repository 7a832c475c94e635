import * as fc from 'fast-check';

import { fold, tidy, trimmed, withoutAccents } from '../../../nodes/WorkspaceCrm/domain/text';
import { anyCharacter } from '../../support/anyCharacter';

const WAYS = { trimmed, tidy, fold };
const anyText = fc.oneof(
	fc.string({ unit: anyCharacter }),
	fc.string({
		unit: fc.constantFrom(...'aAéÉßςΣıİかが한ﬁ👍🏽❤ ', '\ufe0f', '\u200d', '\u200c', '\n'),
	}),
);
/** Written out, so that the test does not share the code's rule. */
const UNSEEN = [
	'\u200b',
	'\ufeff',
	'\u00ad',
	'\u2060',
	'\u202e',
	'\u061c',
	'\u0000',
	'\u3164',
	'\u2800',
];
const BLANKS = [' ', '\u00a0', '\t', '\n', '\r\n', '\u2003', '\u3000', '\u2028'];

describe.each(Object.entries(WAYS))('%s', (_name, way) => {
	it('gives the same for both encodings of a text', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				expect(way(text.normalize('NFD'))).toBe(way(text.normalize('NFC')));
				expect(way(text)).toBe(way(text.normalize('NFC')));
			}),
		);
	});

	it('changes nothing the second time', () => {
		fc.assert(fc.property(anyText, (text) => expect(way(way(text))).toBe(way(text))));
	});

	it('ignores blanks and invisible characters at both ends', () => {
		const padding = fc.string({ unit: fc.constantFrom(...BLANKS, ...UNSEEN) });
		const word = fc.constantFrom('vip', 'Café', 'がんばれ', '👩🏽‍⚖️', 'می‌خواهم', '🏴󠁧󠁢󠁥󠁮󠁧󠁿');
		fc.assert(
			fc.property(padding, word, padding, (before, text, after) => {
				expect(way(before + text + after)).toBe(way(text));
			}),
		);
	});
});

describe('a tidy name', () => {
	it('has the visible characters of the text, with plain spaces', () => {
		const piece = fc.constantFrom(
			...BLANKS.map((blank) => [blank, ' ']),
			...UNSEEN.map((each) => [each, '']),
		);
		const letter = fc.constantFrom(...'aZé9,_中م').map((each) => [each, each]);
		fc.assert(
			fc.property(fc.array(fc.oneof(letter, piece)), (pieces) => {
				const text = pieces.map(([written]) => written).join('');
				const seen = pieces.map(([, shown]) => shown).join('');
				expect(tidy(text)).toBe(
					seen
						.split(' ')
						.filter((word) => word !== '')
						.join(' '),
				);
			}),
		);
	});

	it.each(['👨‍👩‍👧', '👩🏽‍⚖️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'می‌خواهم', 'क्‍ष', 'VIP', 'vip-1', '❤️'])(
		'%s stays as it is',
		(text) => {
			expect(tidy(text)).toBe(text);
		},
	);

	it('differs in upper and lower case, in accents, and in dashes that are longer than a hyphen', () => {
		expect(new Set(['vip', 'VIP', 'víp'].map(tidy)).size).toBe(3);
		const hyphens = ['a-b', 'a\u2010b', 'a\u2011b'];
		expect(new Set(hyphens.map(tidy))).toEqual(new Set(['a-b']));
		expect(new Set(['a-b', 'a\u2013b', 'a\u2014b', 'a\u2212b'].map(tidy)).size).toBe(4);
	});
});

describe('a folded word', () => {
	it.each([
		['Straße', 'STRASSE'],
		['ΟΔΟΣ', 'οδος'],
		['HAYIR', 'hayır'],
		['İyi', 'iyi'],
		['D’accord', "d'accord"],
		['👍', '👍🏽'],
		['❤️', '❤'],
		['ＹＥＳ', 'yes'],
		['yes\u200b', 'Yes'],
		['¡Sí!', '¡SI\u0301!'],
	])('%s equals %s', (one, other) => {
		expect(fold(one)).toBe(fold(other));
	});

	it('keeps accents and punctuation', () => {
		expect(fold('Sí.')).not.toBe(fold('Si.'));
		expect(fold('no.')).not.toBe(fold('no'));
	});
});

describe('a word without accents', () => {
	it.each([
		['intéressé', 'interesse'],
		['ΝΑΙ', 'ναί'],
		['złoty', 'zloty'],
		['Größe', 'grosse'],
		['ещё', 'еще'],
	])('%s equals %s', (one, other) => {
		expect(withoutAccents(fold(one))).toBe(withoutAccents(fold(other)));
	});

	it.each(['が', 'й', 'हिन्दी', 'ที่', 'שָׁלוֹם', 'مُدَرِّس'])(
		'%s keeps the marks that make it another letter',
		(text) => {
			expect(withoutAccents(fold(text))).toBe(fold(text));
		},
	);
});

it('a trimmed value keeps its line breaks and inner spaces', () => {
	expect(trimmed(' \u200bStreet 1\n\n  City  X \u3164')).toBe('Street 1\n\n  City  X');
});
