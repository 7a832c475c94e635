import type { RecordedRequest } from '../http/recorded-request';

/** For each second: the requests in the minute that ended with it. */
export interface RateHistory {
	/** The last second, since 1970. */
	toSecond: number;
	/** Those that the rate limit counted, oldest second first. */
	used: number[];
	/** Those that it refused. */
	refused: number[];
}

const secondsShown = 300;
const windowSeconds = 60;

function sumsOfWindows(countsBySecond: number[]): number[] {
	let sum = 0;
	return countsBySecond
		.map((count, second) => {
			sum += count - (countsBySecond[second - windowSeconds] ?? 0);
			return sum;
		})
		.slice(-secondsShown);
}

/** How the rate limit was used in the last five minutes. `requests` are in order of arrival. */
export function rateHistory(requests: readonly RecordedRequest[], nowMs: number): RateHistory {
	const seconds = secondsShown + windowSeconds;
	const toSecond = Math.floor(nowMs / 1000);
	const fromSecond = toSecond - seconds + 1;
	const counts = {
		counted: new Array<number>(seconds).fill(0),
		refused: new Array<number>(seconds).fill(0),
	};
	for (let index = requests.length - 1; index >= 0; index -= 1) {
		const { atMs, rate } = requests[index];
		const second = Math.floor(atMs / 1000) - fromSecond;
		if (second < 0) break;
		if (rate && second < seconds) counts[rate][second] += 1;
	}
	return {
		toSecond,
		used: sumsOfWindows(counts.counted),
		refused: sumsOfWindows(counts.refused),
	};
}
