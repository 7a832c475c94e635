import * as fc from 'fast-check';

import {
	isReadingCheaper,
	pageCount,
	sampleOffset,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/plan';

const PAGE = 100;

/**
 * The requests of a sync whose contacts are the oldest of the workspace, of which a share is
 * unchanged, spread evenly.
 */
function costOf(contacts: number, total: number, unchangedShare: number): number {
	const offset = sampleOffset(contacts, PAGE);
	const matched = Math.max(0, Math.min(PAGE, Math.min(total, contacts) - offset));
	const sample = { contacts, total, matched, unchanged: Math.floor(matched * unchangedShare) };
	const toWrite = contacts - Math.floor(Math.min(contacts, total) * unchangedShare);
	if (isReadingCheaper(sample, PAGE)) return 1 + pageCount(total, PAGE) + toWrite;
	return 1 + contacts - sample.unchanged;
}

describe('the requests of a sync', () => {
	it.each([
		[10_000, 10_000, 1, 101],
		[10_000, 10_000, 0.99, 201],
		[10_000, 10_000, 0.5, 5_101],
		[10_000, 10_000, 0, 10_001],
		[10_000, 0, 0, 10_001],
		[500, 500, 1, 6],
		[150, 1_000, 1, 11],
	])('for %d items and %d contacts, of which %d are unchanged, are %d', (...row) => {
		const [contacts, total, share, expected] = row;
		expect(costOf(contacts, total, share)).toBe(expected);
	});

	it('are never many more than one for each contact, and far fewer where most is unchanged', () => {
		const sizes = fc.integer({ min: 3, max: 20_000 });
		fc.assert(
			fc.property(
				sizes,
				sizes,
				fc.double({ min: 0, max: 1, noNaN: true }),
				(contacts, total, share) => {
					const cost = costOf(contacts, total, share);
					expect(cost).toBeLessThanOrEqual(1 + contacts * 1.25);
					const isSame = contacts === total && contacts >= 1_000;
					if (isSame && share > 0.9) expect(cost).toBeLessThan(contacts * 0.2);
				},
			),
		);
	});
});

describe('the page that is looked at', () => {
	it('begins in the first half of where the input would lie, at a whole page', () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 100_000 }), (contacts) => {
				const offset = sampleOffset(contacts, PAGE);
				expect(offset % PAGE).toBe(0);
				expect(offset).toBeLessThanOrEqual(contacts / 2);
				expect(offset + PAGE).toBeGreaterThan(contacts / 2);
			}),
		);
	});
});

describe('whether all contacts are read', () => {
	const isCheaper = (contacts: number, total: number, matched: number, unchanged: number) =>
		isReadingCheaper({ contacts, total, matched, unchanged }, PAGE);

	it('depends on whether it takes fewer requests than it saves; the same number is not fewer', () => {
		expect(isCheaper(100, 2_400, 100, 25)).toBe(true);
		expect(isCheaper(100, 2_401, 100, 25)).toBe(false);
		expect(isCheaper(100, 2_500, 100, 25)).toBe(false);
	});

	it('takes a quarter for unchanged where the page that was looked at has nothing of the input', () => {
		expect(isCheaper(100, 2_400, 0, 0)).toBe(true);
		expect(isCheaper(100, 2_500, 0, 0)).toBe(false);
		expect(isCheaper(10_000, 10_000, 0, 0)).toBe(true);
	});

	it('saves nothing where everything that was found has changed', () => {
		expect(isCheaper(10_000, 10_000, 100, 0)).toBe(false);
		expect(isCheaper(10_000, 10_000, 1, 0)).toBe(false);
	});
});
