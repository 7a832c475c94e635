import * as fc from 'fast-check';

import { excerpt, plainText } from '../../../nodes/WorkspaceCrm/domain/text';
import { HOSTILE_TEXTS, UNSEEN } from '../../support/hostileTexts';
import { anyCharacter } from '../../support/anyCharacter';

const anyText = fc.oneof(
	fc.string({ unit: anyCharacter }),
	fc.string({ unit: fc.constantFrom(...'<>&#;`=ab \n\u001b\u009b\u202e\u200d\ud83d\ude00') }),
);

describe('text from outside', () => {
	it.each(HOSTILE_TEXTS)('%j is shown as %j', (written, seen) => {
		expect(plainText(written, 1_000)).toBe(seen);
	});

	it.each([
		['=1+1', "'=1+1"],
		['  =1', "'=1"],
		[' a ', 'a'],
	])('%j becomes no expression, and is trimmed: %j', (written, seen) => {
		expect(plainText(written, 1_000)).toBe(seen);
	});

	it('contains nothing that a page, a log or n8n would interpret', () => {
		fc.assert(
			fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, max) => {
				const shown = plainText(text, max);
				expect(shown).not.toMatch(/[<>`]|&#|&\w+;|^=/);
				expect(shown).not.toMatch(UNSEEN);
				expect(shown.isWellFormed()).toBe(true);
			}),
		);
	});

	it('is cut at the limit, and says how much is left', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 300 }),
				fc.integer({ min: 1, max: 200 }),
				(length, max) => {
					const text = 'x'.repeat(length);
					expect(plainText(text, max)).toBe(
						length <= max ? text : `${'x'.repeat(max)}… (${length - max} more characters)`,
					);
				},
			),
		);
	});

	it('is unchanged if harmless, in any language', () => {
		for (const text of [
			'Müller & Söhne: 5 € (a = b), O\'Neil "x" #1; 100 % _*~',
			'ราคา 日本語 العربية עברית हिन्दी',
			'R&D, a&b 😀 👍🏽 🇩🇪 ❤️',
			'https://crm.example.com/a?b=1&c=2',
		]) {
			expect(plainText(text, 1_000)).toBe(text);
		}
	});

	it('is unchanged when made plain again', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				const shown = plainText(text, 1_000);
				expect(plainText(shown, 1_000)).toBe(shown);
			}),
		);
	});
});

describe('an excerpt', () => {
	it('is part of the text at the place, not too long, and says where the text goes on', () => {
		const text = fc.string({ unit: fc.constantFrom(...'abc  é日'), maxLength: 300 });
		fc.assert(
			fc.property(text, fc.nat(300), fc.integer({ min: 3, max: 90 }), (whole, any, length) => {
				const place = Math.min(any, whole.length);
				const shown = excerpt(whole, length, place);
				const part = shown.replace(/^…|…$/g, '');
				expect(whole).toContain(part);
				expect(part.length).toBeLessThanOrEqual(length);
				const [word = ''] = /^\S*(?=\s)/.exec(whole.slice(place, place + length / 2)) ?? [];
				expect(part).toContain(word);
				if (!shown.startsWith('…')) expect(whole.startsWith(part)).toBe(true);
				if (!shown.endsWith('…')) expect(whole.endsWith(part)).toBe(true);
			}),
		);
	});

	it.each([
		['one two three four', 10, 0, 'one two…'],
		['one two three four', 12, 8, '…three…'],
		['one two three four', 90, 8, 'one two three four'],
		['您的订单已经发货了谢谢您', 6, 6, '…已经发货了谢…'],
	])('%j in %i characters at %i: %j', (text, length, place, expected) => {
		expect(excerpt(text, length, place)).toBe(expected);
	});
});
