import { delay, process } from '../../support/platform';

const sampleEveryMs = 10;

/**
 * Calls `act`. Returns its result, and how much more memory than before the process used at its peak. The
 * system keeps the peak of the whole process; if starting the process took more, samples are used instead.
 */
export async function measurePeak<T>(act: () => Promise<T>): Promise<[result: T, bytes: number]> {
	gc?.();
	const idleBytes = inUse();
	const everBytes = largestEver();
	let sampledBytes = 0;
	const finished = new AbortController();
	const sample = async () => {
		while (!finished.signal.aborted) {
			sampledBytes = Math.max(sampledBytes, process.memoryUsage.rss());
			await delay(sampleEveryMs, undefined, { signal: finished.signal }).catch(() => undefined);
		}
	};
	const sampling = sample();
	const result = await act().finally(() => finished.abort());
	await sampling;
	const peakBytes = largestEver() > everBytes ? largestEver() : sampledBytes;
	return [result, peakBytes - idleBytes];
}

/** What the process holds, without the part of its heap that is empty. */
function inUse(): number {
	const { rss, heapTotal, heapUsed } = process.memoryUsage();
	return rss - (heapTotal - heapUsed);
}

const largestEver = () => process.resourceUsage().maxRSS * 1_024;
