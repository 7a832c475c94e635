import { process } from '../../tools/support/platform';
import { LONG_TEXTS } from './longTexts';

/** Each takes up to 100 ms. What takes a time by the square of the length takes seconds. */
const LIMIT_MS = 2_000;

export type Act = (long: string) => unknown;

/** By the processor: other programs do not count. */
export function timeOf(act: Act, long: string): number {
	const before = process.cpuUsage();
	try {
		act(long);
	} catch {
		// An error is an answer, too.
	}
	return process.cpuUsage(before).user / 1_000;
}

/** @param acts how each function reads a text that somebody else chose */
export function testLongTexts(acts: Record<string, Act>): void {
	it.each(Object.entries(acts))('no text of 100,000 characters stops n8n: %s', (_name, act) => {
		const slow = LONG_TEXTS.flatMap(([repeated, long]) => {
			const ms = timeOf(act, long);
			// The machine may have been at something else.
			const leastMs = ms < LIMIT_MS ? ms : Math.min(ms, timeOf(act, long));
			return leastMs < LIMIT_MS ? [] : [`${repeated}: ${Math.round(leastMs)} ms`];
		});
		expect(slow).toEqual([]);
	});
}

/** As many parts as 100,000 characters hold. */
export const numbered = (name: string) =>
	Object.fromEntries(Array.from({ length: 8_000 }, (_, index) => [`${name}${index}`, 1]));

export function testManyParts(acts: Record<string, () => unknown>): void {
	it.each(Object.entries(acts))('no value of 8,000 parts stops n8n: %s', (_name, act) => {
		expect(timeOf(act, '')).toBeLessThan(LIMIT_MS);
	});
}
