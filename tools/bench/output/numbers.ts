export const seconds = (ms: number) => (ms / 1_000).toFixed(1);
export const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
export const times = (ratio: number) => ratio.toFixed(2);
export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
export const count = (value: number) => value.toLocaleString('en');

/** The middle one, because single runs differ. */
export function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Of several runs, the one with the middle value. */
export function medianBy<T>(runs: T[], valueOf: (run: T) => number): T {
	return [...runs].sort((a, b) => valueOf(a) - valueOf(b))[Math.floor(runs.length / 2)];
}
