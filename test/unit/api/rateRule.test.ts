import * as fc from 'fast-check';

import {
	BucketRule,
	REFERENCE_RULE,
	WindowRule,
	type Slot,
} from '../../../nodes/WorkspaceCrm/api/rateRule';

const NOW_MS = 1_000_000;
const HOUR_MS = 3_600_000;
const slotAt = (startMs: number, endMs = startMs + 50): Slot => ({ startMs, endMs });
const burst = (count: number, agoMs = 1_000) =>
	Array.from({ length: count }, () => slotAt(NOW_MS - agoMs));

/** How many requests a window lets start at once, and how long one more has to wait. */
function capacityOf(window: WindowRule, slots: Slot[], nowMs: number) {
	const all = [...slots];
	while (window.waitMs(all, nowMs) <= 0) all.push(slotAt(nowMs, nowMs));
	return { count: all.length - slots.length, waitMs: window.waitMs(all, nowMs) };
}

/** How many requests a bucket lets start at once, and in how long it lets one more start. */
function tokensOf(bucket: BucketRule, nowMs: number) {
	let count = 0;
	for (; bucket.waitMs(nowMs) <= 0; count += 1) bucket.take(nowMs);
	return { count, waitMs: bucket.waitMs(nowMs) };
}

describe('a window', () => {
	it('holds a request for one window after its end, and while it is in flight', () => {
		const window = new WindowRule({ limit: 1, windowMs: 60_000 });
		expect(window.waitMs([slotAt(0, Infinity)], 59_000)).toBe(Infinity);
		expect(window.waitMs([slotAt(0, 10_000)], 59_000)).toBe(11_000);
		expect(window.waitMs([slotAt(0, 10_000)], 70_000)).toBe(0);
	});

	it('is surely full as long as the service counts the first of its slots', () => {
		const window = new WindowRule({ limit: 1, windowMs: 60_000 });
		expect(window.isSurelyFull([slotAt(0, 20_000)], 57_000)).toBe(true);
		expect(window.isSurelyFull([slotAt(0, 20_000)], 58_000)).toBe(false);
		expect(window.isSurelyFull([], 58_000)).toBe(false);
	});

	it('learns its size and its length from a refusal', () => {
		const window = new WindowRule(REFERENCE_RULE);
		const slots = burst(20);
		window.learn(slots, NOW_MS + 9_000, NOW_MS);
		expect(window.isWhole).toBe(false);
		expect(window.waitMs(slots, NOW_MS)).toBe(9_050);
		expect(capacityOf(window, [], NOW_MS)).toEqual({ count: 20, waitMs: 10_000 });
	});

	it('gets shorter by a wait that was rounded less', () => {
		const window = new WindowRule(REFERENCE_RULE);
		window.learn(burst(20), NOW_MS + 9_900, NOW_MS);
		window.learn(burst(20), NOW_MS + 9_000, NOW_MS);
		expect(capacityOf(window, [], NOW_MS)).toEqual({ count: 20, waitMs: 10_000 });
	});

	it('frees all slots at once when the service does', () => {
		const window = new WindowRule(REFERENCE_RULE);
		const slots = burst(120);
		window.learn(slots, NOW_MS + 20_000, NOW_MS);
		expect(capacityOf(window, slots, NOW_MS + 19_999)).toMatchObject({ count: 0 });
		expect(capacityOf(window, slots, NOW_MS + 20_000)).toEqual({ count: 120, waitMs: 60_000 });
	});

	it('learns nothing about its size when others have used it up', () => {
		const window = new WindowRule(REFERENCE_RULE);
		window.learn([], NOW_MS + 20_000, NOW_MS);
		expect(capacityOf(window, [], NOW_MS)).toEqual({ count: 120, waitMs: 60_000 });
	});

	it('is never faster than the reference, and lets as many start once it has grown', () => {
		const ages = fc.array(fc.nat(60_000), { maxLength: 130 });
		fc.assert(
			fc.property(ages, fc.integer({ min: 1_000, max: HOUR_MS }), (agesMs, delayMs) => {
				const window = new WindowRule(REFERENCE_RULE);
				const slots = agesMs.sort((a, b) => b - a).map((ageMs) => slotAt(NOW_MS - ageMs));
				window.learn(slots, NOW_MS + delayMs, NOW_MS);
				const { count, waitMs } = capacityOf(window, [], NOW_MS);
				expect(count).toBeGreaterThanOrEqual(1);
				expect(count / waitMs).toBeLessThanOrEqual(120 / 60_000);
				for (let step = 1; step < 120; step *= 2) window.grow(step);
				expect(capacityOf(window, [], NOW_MS)).toEqual({ count: 120, waitMs: 60_000 });
			}),
		);
	});
});

describe('a bucket', () => {
	it('gives its burst at once, and then one token after the other', () => {
		const bucket = new BucketRule(REFERENCE_RULE);
		expect(tokensOf(bucket, NOW_MS)).toEqual({ count: 120, waitMs: 500 });
		expect(bucket.missing(NOW_MS)).toBe(120);
		expect(tokensOf(bucket, NOW_MS + 1_000)).toEqual({ count: 2, waitMs: 500 });
		expect(tokensOf(bucket, NOW_MS + HOUR_MS).count).toBe(120);
	});

	it('has more tokens than it knew', () => {
		const bucket = new BucketRule(REFERENCE_RULE);
		tokensOf(bucket, NOW_MS);
		bucket.add(3, NOW_MS);
		expect(tokensOf(bucket, NOW_MS).count).toBe(3);
	});

	it('learns its burst from a refusal, and has a token after the wait', () => {
		const bucket = new BucketRule(REFERENCE_RULE);
		for (let count = 0; count < 20; count += 1) bucket.take(NOW_MS);
		bucket.learn([], NOW_MS + 1_000, NOW_MS);
		expect(bucket.waitMs(NOW_MS)).toBe(1_000);
		expect(tokensOf(bucket, NOW_MS + 1_000)).toEqual({ count: 1, waitMs: 500 });
		expect(tokensOf(bucket, NOW_MS + HOUR_MS).count).toBe(20);
	});

	it('learns its rate from a refusal while it is empty, and is as fast again in a minute', () => {
		const bucket = new BucketRule(REFERENCE_RULE);
		tokensOf(bucket, NOW_MS);
		bucket.learn(burst(10, 5_000), NOW_MS + 1_000, NOW_MS);
		expect(tokensOf(bucket, NOW_MS + 1_000)).toMatchObject({ count: 1 });
		expect(bucket.waitMs(NOW_MS + 1_000)).toBeCloseTo(1_000, -1);
		expect(tokensOf(bucket, NOW_MS + 60_000).waitMs).toBeCloseTo(500, 1);
	});

	it('does not take its burst for its rate', () => {
		const bucket = new BucketRule(REFERENCE_RULE);
		for (let count = 0; count < 20; count += 1) bucket.take(NOW_MS);
		bucket.learn([], NOW_MS + 1_000, NOW_MS);
		expect(tokensOf(bucket, NOW_MS + 4_000).count).toBe(7);
		bucket.learn([], NOW_MS + 5_000, NOW_MS + 4_000);
		expect(tokensOf(bucket, NOW_MS + 5_000).waitMs).toBe(500);
	});

	it('is never slower than a quarter of the reference', () => {
		const bucket = new BucketRule(REFERENCE_RULE);
		tokensOf(bucket, NOW_MS);
		bucket.learn([], NOW_MS + 1_000, NOW_MS);
		expect(tokensOf(bucket, NOW_MS + 1_000).waitMs).toBeCloseTo(2_000, -1);
	});
});
