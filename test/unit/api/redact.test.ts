import * as fc from 'fast-check';

import { redactor } from '../../../nodes/WorkspaceCrm/api/redact';

const SHOWN_AS = '(the API key)';
const unit = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const inUnits = (char: string) => char.replace(/[^]/g, (each) => unit(each.charCodeAt(0)));

/** The forms that a character can have, by what writes them. */
const forms: Array<(char: string) => string> = [
	(char) => char,
	(char) => JSON.stringify(char).slice(1, -1),
	(char) => (char === '/' ? '\\/' : char),
	(char) => inUnits(char),
	(char) => inUnits(char).toUpperCase().replaceAll('\\U', '\\u'),
	(char) => encodeURIComponent(char),
	(char) => encodeURIComponent(char).toLowerCase(),
	(char) => encodeURIComponent(encodeURIComponent(char)),
	(char) => new URLSearchParams({ '': char }).toString().slice(1),
	(char) => [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
];

const chars = fc.oneof(
	fc.constantFrom(...'/+=%"\\ü &?#\'<.*~-_:{}[]()^$|aZ09€東🎉'),
	fc.constantFrom('\\', '\\u0041', '%41', '"', '/'),
);
/** Blanks at the ends of a key are not sent, so no key has them. */
const secrets = fc
	.array(chars, { minLength: 8, maxLength: 40 })
	.map((all) => all.join(''))
	.filter((text) => text.trim() === text);

describe('a secret', () => {
	it('is hidden in each form, also where every character has its own', () => {
		const choices = fc.array(fc.nat(forms.length - 1), { minLength: 1, maxLength: 40 });
		fc.assert(
			fc.property(secrets, choices, (secret, chosen) => {
				const written = [...secret].map((char, at) => forms[chosen[at % chosen.length]](char));
				const text = `Bearer ${written.join('')}, said twice: ${written.join('')}.`;
				const shown = `Bearer ${SHOWN_AS}, said twice: ${SHOWN_AS}.`;
				expect(redactor(secret, SHOWN_AS)(text)).toBe(shown);
			}),
			{ numRuns: 500 },
		);
	});

	it('is hidden in any case, because some programs change that', () => {
		expect(redactor('Key-4f1c9', SHOWN_AS)('KEY-4F1C9 and key-4f1c9')).toBe(
			`${SHOWN_AS} and ${SHOWN_AS}`,
		);
	});

	it('is no reason to change any other text', () => {
		const others = fc.string({ unit: fc.constantFrom(...'/+=%"\\ü5u0cab ') });
		fc.assert(
			fc.property(others, (text) => {
				expect(redactor('key-4f1c', SHOWN_AS)(text)).toBe(text);
			}),
		);
		for (const text of ['key-4f1', 'key+4f1c']) {
			expect(redactor('key-4f1c', SHOWN_AS)(text)).toBe(text);
		}
	});

	it('is looked for in one pass, however much the text is like it', () => {
		const backslashes = '\\'.repeat(40);
		const redact = redactor(`${backslashes}x`, SHOWN_AS);
		for (const text of ['\\'.repeat(39), '\\'.repeat(200_000), '\\u005c'.repeat(40_000)]) {
			expect(redact(`${text}!`)).toBe(`${text}!`);
		}
		const percent = redactor('%25%25%25%25%25!', SHOWN_AS);
		const text = '%25'.repeat(100_000);
		expect(percent(text)).toBe(text);
	});
});
