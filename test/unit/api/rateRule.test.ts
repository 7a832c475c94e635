import * as fc from 'fast-check';

import {
	easeRule,
	explainRefusal,
	isAsFast,
	isWorthProbing,
	REFERENCE_RULE,
	type Refusal,
} from '../../../nodes/WorkspaceCrm/api/rateRule';

const refusal: fc.Arbitrary<Refusal> = fc
	.record({
		agesMs: fc.array(fc.nat(60_000), { maxLength: 130 }),
		delayMs: fc.integer({ min: 1_000, max: 300_000 }),
		held: fc.nat(1_000),
	})
	.map(({ agesMs, delayMs, held }) => ({
		nowMs: 1_000_000,
		delayMs,
		grantsMs: agesMs.sort((a, b) => a - b).map((ageMs) => 1_000_000 - ageMs),
		held: held % (agesMs.length + 1),
	}));
const burst = (count: number, spanMs: number, nowMs: number) =>
	Array.from({ length: count }, (_, index) => nowMs - (index * spanMs) / count);

describe('the rule that explains a refusal', () => {
	it('is never faster than the reference, and always lets something through', () => {
		fc.assert(
			fc.property(refusal, (given) => {
				const { limit, windowMs } = explainRefusal(given);
				expect(limit).toBeGreaterThanOrEqual(1);
				expect(windowMs).toBeLessThanOrEqual(REFERENCE_RULE.windowMs);
				expect(windowMs).toBeGreaterThanOrEqual(Math.min(limit, 120) * 500);
			}),
		);
	});

	it('would have refused: what it counts fills it until the wait is over', () => {
		fc.assert(
			fc.property(refusal, (given) => {
				const { limit, windowMs } = explainRefusal(given);
				const endMs = given.nowMs + Math.min(given.delayMs, REFERENCE_RULE.windowMs - 60_000);
				const counted = given.grantsMs.filter((grantMs) => grantMs + windowMs >= endMs);
				if (given.grantsMs.length > 0) expect(counted.length).toBeGreaterThanOrEqual(limit);
			}),
		);
	});

	it.each<[string, Refusal, ReturnType<typeof explainRefusal>]>([
		[
			'a bucket: what it gave, at the rate of the reference',
			{ nowMs: 1_000, delayMs: 1_000, grantsMs: burst(20, 1_000, 1_000), held: 20 },
			{ limit: 20, windowMs: 10_000 },
		],
		[
			'a shared window: our part of it',
			{ nowMs: 1_000, delayMs: 59_000, grantsMs: burst(60, 1_000, 1_000), held: 60 },
			{ limit: 60, windowMs: 59_984 },
		],
		[
			'somebody else who used all of it: one, and then more by asking',
			{ nowMs: 1_000, delayMs: 40_000, grantsMs: [], held: 0 },
			{ limit: 1, windowMs: 40_000 },
		],
	])('for %s', (_name, given, expected) => {
		const rule = explainRefusal(given);
		expect(rule.limit).toBe(expected.limit);
		expect(rule.windowMs).toBeCloseTo(expected.windowMs, -2);
	});
});

describe('a rule that is eased', () => {
	it('gets to the reference, and stays there', () => {
		fc.assert(
			fc.property(refusal, (given) => {
				let rule = explainRefusal(given);
				for (let times = 0; times < 200; times += 1) {
					const eased = easeRule(rule);
					expect(eased.limit / eased.windowMs).toBeLessThanOrEqual(120 / 60_000);
					rule = eased;
				}
				if (rule.limit < 120) throw new Error(JSON.stringify(rule));
				expect(isAsFast(rule)).toBe(true);
				expect(easeRule(rule)).toEqual(rule);
			}),
		);
	});
});

describe('a probe', () => {
	const rule = { limit: 16, windowMs: 60_000 };
	it.each([
		['all is taken for long', Array<number>(16).fill(30_000), true],
		['the first becomes free', [10, ...Array<number>(15).fill(30_000)], true],
		['many become free', [...Array<number>(8).fill(10), ...Array<number>(8).fill(30_000)], false],
	])('while %s', (_name, freeInMs, isWorth) => {
		expect(isWorthProbing(rule, freeInMs)).toBe(isWorth);
	});
});
