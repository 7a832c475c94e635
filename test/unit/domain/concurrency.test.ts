import * as fc from 'fast-check';

import { forEachInParallel } from '../../../nodes/WorkspaceCrm/domain/concurrency';
import { VirtualClock } from '../../support/virtualClock';

const durations = fc.array(fc.nat(100), { maxLength: 40 });

it('runs every value once, in order, and no more at a time than allowed', async () => {
	await fc.assert(
		fc.asyncProperty(durations, fc.integer({ min: 1, max: 12 }), async (delaysMs, atOnce) => {
			const clock = new VirtualClock();
			const begun: number[] = [];
			let underWay = 0;
			let most = 0;
			await forEachInParallel(delaysMs.entries(), atOnce, async ([index, delayMs]) => {
				begun.push(index);
				underWay += 1;
				most = Math.max(most, underWay);
				await clock.sleep(delayMs);
				underWay -= 1;
			});
			expect(begun).toEqual(delaysMs.map((_, index) => index));
			expect(most).toBe(Math.min(atOnce, delaysMs.length));
		}),
	);
});

it('starts nothing after a failure, and throws the first one', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.tuple(fc.nat(100), fc.boolean()), { minLength: 1, maxLength: 40 }),
			fc.integer({ min: 1, max: 12 }),
			async (values, atOnce) => {
				const clock = new VirtualClock();
				const failed: number[] = [];
				let begunAfterFailure = 0;
				const all = forEachInParallel(
					values.entries(),
					atOnce,
					async ([index, [delayMs, isBad]]) => {
						if (failed.length > 0) begunAfterFailure += 1;
						await clock.sleep(delayMs);
						if (!isBad) return;
						failed.push(index);
						throw index;
					},
				);
				const outcome = await all.then(
					() => undefined,
					(error: unknown) => error,
				);
				expect(outcome).toBe(failed.length > 0 ? failed[0] : undefined);
				expect(begunAfterFailure).toBe(0);
			},
		),
	);
});
