import * as fc from 'fast-check';

import { VirtualClock } from '../../support/virtualClock';

describe('the virtual clock', () => {
	it('wakes sleepers in the order in which they are due, at exactly that time', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(fc.nat(1_000_000), { maxLength: 30 }), async (delays) => {
				const clock = new VirtualClock(5);
				const woken: Array<[number, number]> = [];
				await Promise.all(
					delays.map(async (delayMs, index) => {
						await clock.sleep(delayMs);
						woken.push([clock.now(), index]);
					}),
				);
				const expected = delays.map((delayMs, index): [number, number] => [5 + delayMs, index]);
				expect(woken).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
			}),
		);
	});

	it('follows a sleeper through long chains of promises before the next one wakes', async () => {
		const clock = new VirtualClock();
		const seen: string[] = [];
		const first = async () => {
			await clock.sleep(1);
			for (let step = 0; step < 500; step += 1) await Promise.resolve();
			seen.push(`first at ${clock.now()}`);
			await clock.sleep(1);
			seen.push(`first again at ${clock.now()}`);
		};
		const second = async () => {
			await clock.sleep(2);
			seen.push(`second at ${clock.now()}`);
		};
		await Promise.all([first(), second()]);
		expect(seen).toEqual(['first at 1', 'second at 2', 'first again at 2']);
	});
});
