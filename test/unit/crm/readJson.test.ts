import * as fc from 'fast-check';

import { keyHider } from '../../../nodes/WorkspaceCrm/crm/apiKey';
import { readJson } from '../../../nodes/WorkspaceCrm/crm/readJson';
import { anyCharacter } from '../../support/anyCharacter';
import { timeOf } from '../../support/longTextTests';

const read = (text: string) => readJson(Buffer.from(text));

/** A text of JSON, and the value that the service meant by it. */
interface Written {
	text: string;
	value: unknown;
}

const write = (value: unknown): Written => ({ text: JSON.stringify(value), value });

const digits = fc
	.tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.nat(40))
	.map(([sign, number, length]) => `${sign}${BigInt(String(number).slice(0, length + 1))}`)
	.filter((text) => text !== '-0');

/** Numbers hold all integers up to 2^53, and some beyond; those from 10^21 on would be written with an exponent. */
const integer = digits.map((text) => {
	const number = Number(text);
	const isKept = Math.abs(number) < 1e21 && shortest(number) === BigInt(text);
	return { text, value: isKept ? number : text };
});

/** What people see of an integer: as few digits as tell it from its neighbours, then zeros. */
function shortest(number: number): bigint {
	const [mantissa, exponent] = number.toExponential().split('e');
	const [whole, fraction = ''] = mantissa.split('.');
	return BigInt(`${whole}${fraction}`) * 10n ** BigInt(Number(exponent) - fraction.length);
}

/** Not integers: they are the numbers of `JSON.parse`. */
const fraction = fc
	.tuple(digits, fc.constantFrom('.0', '.12345678901234567890', 'e3', 'E+20', '.5e-7', '.0e400'))
	.map(([whole, rest]) => ({ text: whole + rest, value: Number(whole + rest) }));

/** Texts that hold what looks like numbers, ends of texts, and objects. */
const parts = fc.constantFrom('"', '\\', ':', ',', '[', ' ', '12345678901234567890', '\ud83c', '}');
const words = fc.array(fc.oneof(parts, fc.string({ maxLength: 3, unit: anyCharacter })), {
	maxLength: 8,
});
const string = words.map((all) => all.join(''));

const blank = fc.constantFrom('', ' ', '\n\t', '\r\n');

const { any } = fc.letrec<{ any: Written }>((tie) => ({
	any: fc.oneof(
		{ depthSize: 'small' },
		fc.oneof(integer, fraction, string.map(write), fc.constantFrom(null, true, false).map(write)),
		fc.array(fc.tuple(tie('any'), blank), { maxLength: 4 }).map((entries) => ({
			text: `[${entries.map(([{ text }, space]) => space + text + space).join(',')}]`,
			value: entries.map(([{ value }]) => value),
		})),
		fc.array(fc.tuple(string, tie('any'), blank), { maxLength: 4 }).map((entries) => ({
			text: `{${entries
				.map(([name, { text }, space]) => `${space}${JSON.stringify(name)}${space}:${space}${text}`)
				.join(',')}}`,
			value: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
		})),
	),
}));

test('reads what JSON.parse reads, and integers that numbers cannot hold as texts with all their digits', () => {
	const surroundings = fc.tuple(fc.constantFrom('', '\ufeff'), blank, blank);
	fc.assert(
		fc.property(any, surroundings, ({ text, value }, [mark, before, after]) => {
			// The values without integers that are too long are those of JSON.parse: see `write`.
			expect(read(`${mark}${before}${text}${after}`)).toEqual({ value });
		}),
		{ numRuns: 3_000 },
	);
});

test('any text is JSON if and only if JSON.parse reads it', () => {
	const token = fc.constantFrom(
		...['{', '}', '[', ']', ',', ':', '"', '\\', '1234567890123456789', '0', '-', '.', 'e', 'null'],
		...['"a"', ' ', '\n', '"\\""'],
	);
	const text = fc.array(token, { maxLength: 12 }).map((all) => all.join(''));
	fc.assert(
		fc.property(text, (given) => {
			fc.pre(given.trim() !== '');
			let isJson = true;
			try {
				JSON.parse(given);
			} catch {
				isJson = false;
			}
			expect(read(given) !== undefined).toBe(isJson);
		}),
		{ numRuns: 5_000 },
	);
});

test.each(['', ' ', '\r\n', '\ufeff', '\ufeff \n'])('%j is no body', (text) => {
	expect(read(text)).toEqual({ value: undefined });
});

test('keys that repeat, and __proto__, are read as by JSON.parse', () => {
	const text = '{"a":1,"a":12345678901234567,"__proto__":{"b":98765432109876543}}';
	const { value } = read(text) as { value: Record<string, unknown> };
	expect(Object.entries(value)).toEqual([
		['a', '12345678901234567'],
		['__proto__', { b: '98765432109876543' }],
	]);
	expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('hides what is to be hidden before it reads', () => {
	const hide = (text: string) => text.replaceAll('secret', '***');
	expect(readJson(Buffer.from('{"secret":"a secret"}'), hide)).toEqual({
		value: { '***': 'a ***' },
	});
});

test('hides it in whichever way JSON writes it', () => {
	const hide = keyHider('Key/4f+"1c=9xY7z');
	const plain = JSON.stringify('Key/4f+"1c=9xY7z').slice(1, -1);
	const characters = [...plain.replaceAll('\\"', '"')];
	const written = fc
		.tuple(...characters.map((character) => fc.constantFrom(...waysToWrite(character))))
		.map((parts) => parts.join(''));
	fc.assert(
		fc.property(written, (key) => {
			const body = Buffer.from(`{"a":"\\\\ ${key}\\u00e9","b":12345678901234567,"c":-0.0e1}`);
			expect(readJson(body, hide)?.value).toEqual({
				a: '\\ (the API key)é',
				b: '12345678901234567',
				c: -0,
			});
		}),
	);
	for (const address of ['Key%2F4f%2B%221c%3D9xY7z', 'Key%2f4f%2b%221c%3d9xY7z']) {
		expect(hide(address)).toBe('(the API key)');
	}
});

function waysToWrite(character: string): string[] {
	const code = character.charCodeAt(0).toString(16).padStart(4, '0');
	const escapes = [`\\u${code}`, `\\u${code.toUpperCase()}`];
	if (character === '/') escapes.push('\\/');
	return character === '"' ? ['\\"', ...escapes] : [character, ...escapes];
}

test.each([
	['nested arrays', '['.repeat(100_000) + '12345678901234567' + ']'.repeat(100_000)],
	['a long text', `["${'\\"1234567890123456'.repeat(500_000)}",12345678901234567]`],
	['a text as long as an answer can be', `["${'a'.repeat(30_000_000)}",12345678901234567]`],
	['many texts', `[${'"\\\\",12345678901234567,'.repeat(300_000)}0]`],
	['a long number', `[${'9'.repeat(5_000_000)}]`],
	['a text without an end', `[12345678901234567,"${'\\"'.repeat(3_000_000)}`],
	['quotes', `[12345678901234567${'"'.repeat(5_000_000)}`],
	['signs', `[12345678901234567,${'-'.repeat(5_000_000)}`],
])('reads or refuses %s in the time that their length takes', (_, text) => {
	expect(Math.min(timeOf(read, text), timeOf(read, text))).toBeLessThan(3_000);
});
