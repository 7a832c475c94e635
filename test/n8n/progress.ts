import { delay } from '../support/platform';

/** One moment in the life of a step that takes a while. */
export interface ProgressEvent {
	label: string;
	state: 'running' | 'done' | 'failed';
	elapsedMs: number;
}

export type OnProgress = (event: ProgressEvent) => void;

const tickMs = 1_000;
const lineEveryMs = 15_000;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Runs a task and tells, every second and at its end, how long it has been running. */
export async function withProgress<Result>(
	label: string,
	onProgress: OnProgress | undefined,
	task: () => Promise<Result>,
): Promise<Result> {
	if (!onProgress) return await task();
	const startMs = Date.now();
	const report = (state: ProgressEvent['state']) =>
		onProgress({ label, state, elapsedMs: Date.now() - startMs });
	const finished = new AbortController();
	const ticking = tick(() => report('running'), finished.signal);
	let end: ProgressEvent['state'] = 'failed';
	try {
		const result = await task();
		end = 'done';
		return result;
	} finally {
		finished.abort();
		await ticking;
		report(end);
	}
}

async function tick(report: () => void, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		report();
		await delay(tickMs, undefined, { signal }).catch(() => undefined);
	}
}

/**
 * Shows progress to a person: a line that moves on a terminal, and in a log a line at the start,
 * one every 15 seconds and one at the end.
 */
export function createProgressPrinter(
	write: (text: string) => unknown,
	isTerminal: boolean,
): OnProgress {
	return isTerminal ? createLivePrinter(write) : createLinePrinter(write);
}

function createLivePrinter(write: (text: string) => unknown): OnProgress {
	let frame = 0;
	return ({ label, state, elapsedMs }) => {
		frame = (frame + 1) % spinnerFrames.length;
		const sign = { running: spinnerFrames[frame], done: '✓', failed: '✗' }[state];
		const end = state === 'running' ? '' : '\n';
		write(`\r\u001b[K${sign} ${label} ${seconds(elapsedMs)}${end}`);
	};
}

function createLinePrinter(write: (text: string) => unknown): OnProgress {
	let nextLineAtMs = 0;
	return ({ label, state, elapsedMs }) => {
		if (state === 'done') write(`✓ ${label} (${seconds(elapsedMs)})\n`);
		if (state === 'failed') write(`✗ ${label} (${seconds(elapsedMs)})\n`);
		if (state !== 'running') {
			nextLineAtMs = 0;
			return;
		}
		if (elapsedMs < nextLineAtMs) return;
		write(nextLineAtMs === 0 ? `· ${label} …\n` : `  still at it after ${seconds(elapsedMs)}\n`);
		nextLineAtMs += lineEveryMs;
	};
}

function seconds(elapsedMs: number): string {
	return `${Math.round(elapsedMs / 1_000)} s`;
}
