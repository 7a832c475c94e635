import * as fc from 'fast-check';
import { DateTime, Duration } from 'luxon';

import { anyCharacter } from './anyCharacter';

/** A value that an expression can give, and what a text field makes of it; undefined if it is no text. */
export interface Given {
	value: unknown;
	text: string | undefined;
}

const refused = (value: unknown): Given => ({ value, text: undefined });

/** Objects that throw, or lie, wherever they are touched. */
const HOSTILE: ReadonlyArray<() => unknown> = [
	() => ({ toString: () => 'undefined', toJSON: () => 'undefined' }),
	() => ({
		toString() {
			throw new Error('no text');
		},
		toJSON() {
			throw new Error('no JSON');
		},
	}),
	() => Object.defineProperty({}, 'city', { enumerable: true, get: () => () => 'x' }),
	() =>
		Object.defineProperty({}, 'city', {
			enumerable: true,
			get() {
				throw new TypeError('x is not a function');
			},
		}),
	() =>
		new Proxy(
			{ city: 'Bern' },
			{
				ownKeys() {
					throw new Error('no keys');
				},
			},
		),
	() =>
		new Proxy(
			{},
			{
				getPrototypeOf() {
					throw new Error('no prototype');
				},
			},
		),
	() => new Proxy(() => 'x', {}),
	() => {
		const { proxy, revoke } = Proxy.revocable({}, {});
		revoke();
		return proxy;
	},
	() => {
		const circle: Record<string, unknown> = { city: 'Bern' };
		circle.self = [circle, circle];
		return circle;
	},
	() => {
		const tricky: unknown[] = ['vip'];
		tricky[Symbol.iterator] = () => {
			throw new Error('no iterator');
		};
		return Object.assign(tricky, { x: () => 1 }).concat([() => 1] as never);
	},
	() => ({ isLuxonDateTime: true, toISO: () => 'function () { [native code] }' }),
	() => Object.create(new Date(0)) as unknown,
	() =>
		new (class Person {
			name = 'Anna';
		})(),
];

/** Without an end. n8n itself never gets done with these. */
const ENDLESS: ReadonlyArray<() => unknown> = [
	() => {
		// Each level is new, so it never ends.
		const endless = (): object => new Proxy({ a: 1 }, { get: () => endless() });
		return endless();
	},
	() => new Array(4_000_000_000),
];

const NO_VALUES: ReadonlyArray<() => unknown> = [
	() => 'x'.trim,
	() => () => 5,
	() => class Anna {},
	() => Symbol('x'),
	() => new Set(['vip']),
	() => new Map([['city', 'Bern']]),
	() => new WeakMap(),
	() => /x/,
	() => Promise.resolve('x'),
	() => new Date(NaN),
	() => DateTime.fromISO('x'),
	() => Duration.fromMillis(5),
	() => Infinity,
	() => -Infinity,
	() => 2 ** 53,
	() => Number('12345678901234567890'),
	() => 1e21,
	() => 1e-7,
	() => 'Anna \ud83c',
	() => '\udf89',
	() => new Error('undefined is not a function'),
	() => new Uint8Array(2),
	() => ({ city: 'Bern' }),
	() => ({ city: { trim: 'x'.trim } }),
];

/** What is neither a text nor can be one. */
export const NO_TEXTS: readonly Given[] = [...HOSTILE, ...NO_VALUES].map((make) => refused(make()));

/** What ends at no level, or after billions of parts. */
export const ENDLESS_VALUES: readonly unknown[] = ENDLESS.map((make) => make());

/** What people write, also what a program would not. */
export const writtenText = fc
	.array(
		fc.oneof(
			// A control character is refused, but for those of lines and tabs.
			fc
				.string({ unit: anyCharacter, maxLength: 6 })
				.filter((text) => !/[^\P{Cc}\t\n\r]/u.test(text)),
			fc.constantFrom(
				...[
					'undefined',
					'null',
					'NaN',
					'[object Object]',
					'{{ 1 }}',
					'#N/A',
					'#REF!',
					'"',
					"'",
					';',
				],
				...['() => {}', 'Infinity', 'Invalid DateTime', '🎉', 'é', '=1+1', '-Anna', '@work', '  '],
			),
		),
		{ maxLength: 4 },
	)
	.map((words) => ['Ahnung', ...words].join(' '));

const iso = (ms: number) => new Date(ms).toISOString();
const time = fc.integer({ min: -1e12, max: 4e12 });

/** Any value. As a text, a number has its digits, and a date is in ISO 8601. */
export const anyGiven: fc.Arbitrary<Given> = fc.oneof(
	{ weight: 3, arbitrary: writtenText.map((value) => ({ value, text: value })) },
	{ weight: 3, arbitrary: fc.constantFrom(...NO_TEXTS) },
	fc.maxSafeInteger().map((value) => ({ value, text: value.toString() })),
	fc
		.tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 1, max: 99 }))
		.map(([whole, part]) => {
			const text = `${whole === 0 ? 1 : whole}.${String(part).padStart(2, '0')}`.replace(/0$/, '');
			return { value: Number(text), text };
		}),
	fc.boolean().map((value) => ({ value, text: value ? 'true' : 'false' })),
	fc.bigInt().map((value) => ({ value, text: `${value}` })),
	time.map((ms) => ({ value: new Date(ms), text: iso(ms) })),
	time.map((ms) => ({ value: DateTime.fromMillis(ms, { zone: 'utc' }), text: iso(ms) })),
);

/** What JavaScript writes into a text in place of a value. */
export const JAVASCRIPT =
	/undefined|\bNaN\b|\[object |Infinity|=>|function \(|\[native code|Symbol\(|Invalid Date|is not a function|isLuxon|NoValue|Maximum call stack/;
