import { delay } from '../support/platform';

/** One moment in the life of a step that takes a while. */
export interface ProgressEvent {
	label: string;
	state: 'running' | 'done' | 'failed';
	elapsedMs: number;
	/** How far it is. */
	detail?: string;
}

export type OnProgress = (event: ProgressEvent) => void;

const tickMs = 1_000;
const spinnerFrames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/**
 * Runs a task and tells, every second and at its end, how long it has been running.
 *
 * @param readDetail how far it is
 */
export async function withProgress<Result>(
	label: string,
	onProgress: OnProgress | undefined,
	task: () => Promise<Result>,
	readDetail?: () => Promise<string>,
): Promise<Result> {
	if (!onProgress) return await task();
	const startMs = Date.now();
	const report = (state: ProgressEvent['state'], detail?: string) =>
		onProgress({ label, state, elapsedMs: Date.now() - startMs, detail });
	const finished = new AbortController();
	const ticking = tick(async () => {
		const detail = await readDetail?.();
		if (!finished.signal.aborted) report('running', detail);
	}, finished.signal);
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

async function tick(report: () => Promise<void>, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		await report();
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
	return ({ label, state, elapsedMs, detail }) => {
		const isRunning = state === 'running';
		if (isRunning && !isTerminal) {
			if (label !== started) write(`· ${label} …\n`);
			started = label;
			return;
		}
		frame = (frame + 1) % spinnerFrames.length;
		const sign = { running: spinnerFrames[frame], done: '✓', failed: '✗' }[state];
		const far = detail === undefined ? '' : ` · ${detail}`;
		const line = `${sign} ${label} (${Math.round(elapsedMs / 1_000)} s)${far}`;
		write(`${isTerminal ? '\r\u001b[K' : ''}${line}${isRunning ? '' : '\n'}`);
	};
}

/**
 * How much of something is there. Not how long the rest will take: most packages are there after a
 * third of the time, and the last ones are large.
 */
export function describeShare(done: number, total: number): string {
	// For half a minute, npm compares its list with what there is.
	if (done === 0) return 'npm is reading the list of packages';
	return `${done.toLocaleString('en')} of ${total.toLocaleString('en')} packages`;
}
