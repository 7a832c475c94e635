import * as fc from 'fast-check';

import {
	asName,
	asPlainWord,
	asStored,
	asWord,
	findName,
	nameBeginsWith,
	nameFinder,
} from '../../../nodes/WorkspaceCrm/domain/sameText';
import { anyCharacter } from '../../support/anyCharacter';

const WAYS = { asStored, asName, asWord };
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

describe('a asName name', () => {
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
				expect(asName(text)).toBe(
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
			expect(asName(text)).toBe(text);
		},
	);

	it('differs in upper and lower case, in accents, and in dashes that are longer than a hyphen', () => {
		expect(new Set(['vip', 'VIP', 'víp'].map(asName)).size).toBe(3);
		const hyphens = ['a-b', 'a\u2010b', 'a\u2011b'];
		expect(new Set(hyphens.map(asName))).toEqual(new Set(['a-b']));
		expect(new Set(['a-b', 'a\u2013b', 'a\u2014b', 'a\u2212b'].map(asName)).size).toBe(4);
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
		expect(asWord(one)).toBe(asWord(other));
	});

	it('keeps accents and punctuation', () => {
		expect(asWord('Sí.')).not.toBe(asWord('Si.'));
		expect(asWord('no.')).not.toBe(asWord('no'));
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
		expect(asPlainWord(one)).toBe(asPlainWord(other));
	});

	it.each(['が', 'й', 'हिन्दी', 'ที่', 'שָׁלוֹם', 'مُدَرِّس'])(
		'%s keeps the marks that make it another letter',
		(text) => {
			expect(asPlainWord(text)).toBe(asWord(text));
		},
	);
});

/** What people see depends on what stands beside a character. */
type Kind =
	| 'letter'
	| 'blank'
	| 'unseen'
	| 'joinable'
	| 'emoji'
	| 'joiner'
	| 'style'
	| 'flag'
	| 'tag';

const KINDS: Record<Kind, string[]> = {
	letter: ['a', 'é', '中', '-', ','],
	blank: BLANKS,
	unseen: UNSEEN,
	joinable: ['م', 'क', 'य', '🏽'],
	emoji: ['👩', '❤', '⚖'],
	joiner: ['\u200d', '\u200c'],
	style: ['\ufe0f', '\ufe0e', '\u180c'],
	flag: ['🏴'],
	tag: ['\u{e0067}', '\u{e0062}', '\u{e007f}'],
};

interface Unit {
	kind: Kind;
	written: string;
}

const unit = fc.oneof(
	...Object.entries(KINDS).map(([kind, all]) =>
		fc.constantFrom(...all).map((written) => ({ kind: kind as Kind, written })),
	),
);

/** A slow and simple way, unit by unit. */
function isVisible(units: readonly Unit[], index: number): boolean {
	const at = (place: number) => units[place] as Unit | undefined;
	const isEmoji = (place: number) =>
		at(place)?.kind === 'emoji' || at(place)?.kind === 'flag' || at(place)?.written === '🏽';
	const joins = (place: number) => at(place)?.kind === 'joinable' || isEmoji(place);
	switch (units[index].kind) {
		case 'unseen':
			return false;
		case 'style':
			return isEmoji(index - 1);
		case 'joiner':
			return units.some((_, place) => joins(place));
		case 'tag': {
			const before = units.slice(0, index).reverse();
			return before.find(({ kind }) => kind !== 'tag')?.kind === 'flag';
		}
		default:
			return true;
	}
}

describe('any text', () => {
	const anyUnits = fc.array(unit, { maxLength: 12 });
	const textOf = (units: readonly Unit[]) => units.map(({ written }) => written).join('');

	it('is asStored by its blanks and invisible characters at both ends, and nothing else', () => {
		fc.assert(
			fc.property(anyUnits, (units) => {
				const isKept = units.map((each, at) => each.kind !== 'blank' && isVisible(units, at));
				const [first, last] = [isKept.indexOf(true), isKept.lastIndexOf(true)];
				expect(asStored(textOf(units))).toBe(first < 0 ? '' : textOf(units.slice(first, last + 1)));
			}),
		);
	});

	it('is asName without its invisible characters, with single spaces', () => {
		fc.assert(
			fc.property(anyUnits, (units) => {
				const visible = units.filter((_, at) => isVisible(units, at));
				const words = textOf(visible.map((each) => (each.kind === 'blank' ? SPACE : each)));
				expect(asName(textOf(units))).toBe(words.split(' ').filter(Boolean).join(' '));
			}),
		);
	});

	const SPACE: Unit = { kind: 'blank', written: ' ' };

	it('is asName after one time, whatever comes together', () => {
		const marks = fc.constantFrom(
			...'aAe↔3 \u0301\u0323\u0338\u200b\u200d\ufe0f\u2800مक़्',
			'İ',
			'ﾞ',
		);
		fc.assert(
			fc.property(fc.string({ unit: marks, maxLength: 12 }), (text) => {
				expect(asName(asName(text))).toBe(asName(text));
				expect(asName(text).normalize('NFC')).toBe(asName(text));
				expect(asStored(asStored(text))).toBe(asStored(text));
			}),
		);
	});
});

it('a text of more than 5,000 characters stays in its encoding, and loses what nobody sees', () => {
	const long = 'x'.repeat(4_990);
	expect(asName(`${long} e\u0301`)).toBe(`${long} é`);
	expect(asName(`${long}0123456789 e\u0301\u200b `)).toBe(`${long}0123456789 e\u0301`);
});

it('a name with an emoji keeps its joiners, also a stray one', () => {
	expect([asName('a\u200db'), asName('\u200d')]).toEqual(['ab', '']);
	expect(asName('👩\u200d⚖ a\u200d')).toBe('👩\u200d⚖ a\u200d');
});

describe('one of many names', () => {
	it('is the same one as among few', () => {
		const name = fc.string({ unit: fc.constantFrom(...'aé ', 'e\u0301', '\u200b'), maxLength: 3 });
		fc.assert(
			fc.property(name, fc.array(name), (one, others) => {
				const found = others.includes(one)
					? one
					: others.find((each) => asName(each) === asName(one));
				expect(findName(one, others)).toBe(found);
				expect(nameFinder(others)(one)).toBe(found);
			}),
		);
	});
});

describe('a prefix', () => {
	const spellings = [
		['é', 'e\u0301'],
		['-', '\u2010', '\u2011'],
		[' ', '\u00a0', ' \u3000', '\t '],
		['a', 'a\u200b', '\u00ada'],
		['中', '中\ufeff'],
	];
	/** The same text in two spellings. */
	const piece = fc
		.constantFrom(...spellings)
		.chain((all) => fc.tuple(fc.constantFrom(...all), fc.constantFrom(...all)));
	const pieces = fc.array(piece, { maxLength: 6 });
	const inOne = (all: string[][]) => all.map(([one]) => one).join('');
	const inOther = (all: string[][]) => all.map(([, other]) => other).join('');

	it('begins every name that goes on behind it, however both are written', () => {
		fc.assert(
			fc.property(pieces, pieces, (start, rest) => {
				expect(nameBeginsWith(`${inOne(start)}${inOne(rest)}x`, inOther(start))).toBe(true);
			}),
		);
	});

	it('begins no name that people see beginning otherwise', () => {
		fc.assert(
			fc.property(pieces, pieces, (name, prefix) => {
				const seen = asName(inOne(prefix));
				if (!asName(inOther(name)).startsWith(seen))
					expect(nameBeginsWith(inOther(name), inOther(prefix))).toBe(false);
				expect(nameBeginsWith(inOne(name), inOne(prefix))).toBe(
					nameBeginsWith(asName(inOther(name)), inOther(prefix)),
				);
			}),
		);
	});

	it.each([
		['A list', 'A ', true],
		['A\u00a0\u00a0list', 'A ', true],
		['Abo', 'A ', false],
		['Anna-Club', 'A ', false],
		['A', 'A ', false],
		['A ', 'A ', false],
		['a list', 'A ', false],
		['import:x', ' import:', true],
		['Ärger', 'A\u0308', true],
		['Ärger', 'A', false],
		['x', '', true],
	])('%j begins with %j: %s', (name, prefix, expected) => {
		expect(nameBeginsWith(name, prefix)).toBe(expected);
	});
});

it('a asStored value keeps its line breaks and inner spaces', () => {
	expect(asStored(' \u200bStreet 1\n\n  City  X \u3164')).toBe('Street 1\n\n  City  X');
});
