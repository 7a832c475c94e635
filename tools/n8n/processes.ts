import { childProcess, delay, process, stripVTControlCharacters } from '../support/platform';
import { guardProcessGroups } from './watchdog';

export interface ProcessOptions {
	cwd: string;
	env: Record<string, string>;
}

/** A process that we started and are answerable for, together with everything it starts. */
export interface OwnedProcess {
	/** The process id; 0 if it could not be started. */
	pid: number;
	/** Everything it wrote so far, to either stream. */
	output(): string;
	stdout(): string;
	/** Whether it has ended. */
	hasEnded(): boolean;
	/** Resolves with its exit code, or null when a signal ended it. Never rejects. */
	ended: Promise<number | null>;
	/** Asks it to end. If it has not ended after `graceMs`, ends it and all it started. */
	stop(graceMs?: number): Promise<void>;
	/** Ends it and all it started at once, as a crash would. */
	kill(): Promise<void>;
}

/** n8n needs a fraction of this; npm in the midst of an install does not listen at all. */
const defaultGraceMs = 5_000;
const firstLines = 10;
const lastLines = 30;

/** A command that failed. Its message holds the beginning and the end of what it wrote. */
export class CommandError extends Error {
	constructor(command: string, exitCode: number | null, output: string) {
		const lines = stripVTControlCharacters(output).trimEnd().split('\n');
		const isShort = lines.length <= firstLines + lastLines;
		const shown = isShort
			? lines
			: [...lines.slice(0, firstLines), '…', ...lines.slice(-lastLines)];
		super(`'${command}' ended with ${exitCode ?? 'a signal'}:\n${shown.join('\n')}`);
	}
}

const running = new Set<OwnedProcess>();
let refusesNew = false;

/** Starts a command in a process group of its own. */
export function startProcess(
	command: string,
	args: string[],
	{ cwd, env }: ProcessOptions,
): OwnedProcess {
	if (refusesNew) throw new Error('Stopping, so nothing new is started');
	const child = childProcess.spawn(command, args, {
		cwd,
		env,
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const output = { both: '', stdout: '' };
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		output.stdout += text;
		output.both += text;
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => (output.both += text));

	let isRunning = true;
	const ended = new Promise<number | null>((resolve) => {
		child.once('error', (error) => {
			output.both += `${error.message}\n`;
			resolve(null);
		});
		child.once('close', resolve);
	}).then((exitCode) => {
		isRunning = false;
		running.delete(owned);
		guardProcessGroups([...running].map((each) => each.pid));
		return exitCode;
	});
	const pid = child.pid ?? 0;
	const owned: OwnedProcess = {
		pid,
		output: () => output.both,
		stdout: () => output.stdout,
		hasEnded: () => !isRunning,
		ended,
		async stop(graceMs = defaultGraceMs) {
			if (isRunning && pid) child.kill('SIGTERM');
			await Promise.race([ended, delay(graceMs, undefined, { ref: false })]);
			await owned.kill();
		},
		async kill() {
			signalGroup(pid, 'SIGKILL');
			await ended;
		},
	};
	if (pid) {
		running.add(owned);
		guardProcessGroups([...running].map((each) => each.pid));
	}
	return owned;
}

function signalGroup(groupId: number, signal: NodeJS.Signals): void {
	if (!groupId) return;
	try {
		process.kill(-groupId, signal);
	} catch {
		// nothing of it is left
	}
}

/** Runs a command to its end and returns what it wrote to its standard output. */
export async function runProcess(
	command: string,
	args: string[],
	options: ProcessOptions,
): Promise<string> {
	const child = startProcess(command, args, options);
	const exitCode = await child.ended;
	if (exitCode !== 0) {
		throw new CommandError([command, ...args].join(' '), exitCode, child.output());
	}
	return child.stdout();
}

/** Ends all that was started here; from now on nothing new is started. */
export async function stopAllProcesses(graceMs?: number): Promise<void> {
	refusesNew = true;
	await Promise.all([...running].map(async (child) => await child.stop(graceMs)));
}
