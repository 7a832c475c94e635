import { delay } from '../support/platform';

/** One moment in the life of a step that takes a while. */
export interface ProgressEvent {
	label: string;
	state: 'running' | 'done' | 'failed';
	elapsedMs: number;
	/** How far it is, such as "812 of 2,031 packages". */
	done?: string;
}

export type OnProgress = (event: ProgressEvent) => void;

const tickMs = 1_000;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/**
 * Runs a task, and reports every second and at its end how long it has been running.
 *
 * @param done says how far it is
 */
export async function withProgress<Result>(
	label: string,
	onProgress: OnProgress | undefined,
	task: () => Promise<Result>,
	done?: () => string,
): Promise<Result> {
	if (!onProgress) return await task();
	const startMs = Date.now();
	const report = (state: ProgressEvent['state']) =>
		onProgress({ label, state, elapsedMs: Date.now() - startMs, done: done?.() });
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

const LOG_EVERY_MS = 30_000;

/** Shows progress to a person: a line that moves on a terminal; in a log, a line at the start, at the end and each half minute. */
export function createProgressPrinter(
	write: (text: string) => unknown,
	isTerminal: boolean,
): OnProgress {
	let frame = 0;
	let started = '';
	let loggedMs = 0;
	return ({ label, state, elapsedMs, done }) => {
		const isRunning = state === 'running';
		const isNew = label !== started;
		if (isRunning && !isTerminal && isNew) {
			write(`· ${label} …\n`);
			[started, loggedMs] = [label, 0];
			return;
		}
		if (isRunning && !isTerminal && (!done || elapsedMs - loggedMs < LOG_EVERY_MS)) return;
		loggedMs = elapsedMs;
		frame = (frame + 1) % spinnerFrames.length;
		const signs = { running: isTerminal ? spinnerFrames[frame] : '·', done: '✓', failed: '✗' };
		const far = isRunning && done ? `: ${done}` : '';
		const line = `${signs[state]} ${label}${far} (${Math.round(elapsedMs / 1_000)} s)`;
		write(`${isTerminal ? '\r\u001b[K' : ''}${line}${isRunning && isTerminal ? '' : '\n'}`);
	};
}
