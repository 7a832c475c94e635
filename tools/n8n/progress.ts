import { delay } from '../support/platform';

/** One moment in the life of a step that takes a while. */
export interface ProgressEvent {
	label: string;
	state: 'running' | 'done' | 'failed';
	elapsedMs: number;
}

export type OnProgress = (event: ProgressEvent) => void;

const tickMs = 1_000;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** Runs a task, and reports every second and at its end how long it has been running. */
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

/** Shows progress to a person: a line that moves on a terminal, and in a log two lines for each step. */
export function createProgressPrinter(
	write: (text: string) => unknown,
	isTerminal: boolean,
): OnProgress {
	let frame = 0;
	let started = '';
	return ({ label, state, elapsedMs }) => {
		const isRunning = state === 'running';
		if (isRunning && !isTerminal) {
			if (label !== started) write(`· ${label} …\n`);
			started = label;
			return;
		}
		frame = (frame + 1) % spinnerFrames.length;
		const sign = { running: spinnerFrames[frame], done: '✓', failed: '✗' }[state];
		const line = `${sign} ${label} (${Math.round(elapsedMs / 1_000)} s)`;
		write(`${isTerminal ? '\r\u001b[K' : ''}${line}${isRunning ? '' : '\n'}`);
	};
}
