import { process } from '../support/platform';
import { findDeviations, runContactImport } from './contactImport';
import { describeAddresses, startDemo, type Demo } from './demo';
import { launcherGone } from './launcher';
import { PrerequisiteError } from './prerequisites';
import { CommandError, stopAllProcesses } from './processes';
import { createProgressPrinter, type ProgressEvent, withProgress } from './progress';
import { describeImport, describeSync, describeTagOnMessage } from './report';
import { findSyncDeviations, runScheduledSync } from './scheduledSync';
import { readArguments, type Arguments } from './startArguments';
import { findTagDeviations, runTagOnMessage } from './tagOnMessage';

const cleanUps: Array<() => Promise<void>> = [];
const showProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));
let isStopping = false;

function print(text: string): void {
	process.stdout.write(text);
}

function onProgress(event: ProgressEvent): void {
	// what is ended halfway has not failed
	if (!isStopping) showProgress(event);
}

/** Runs the examples. Gives whether they did exactly what they should. */
async function showExamples({ n8n, sandbox }: Demo) {
	const imported = await withProgress(
		'Running examples/contact-import.json',
		onProgress,
		async () => await runContactImport(n8n.rest, sandbox),
	);
	const synced = await withProgress(
		'Running examples/scheduled-sync.json twice',
		onProgress,
		async () => await runScheduledSync(n8n.rest, sandbox),
	);
	const tagged = await withProgress(
		'Publishing examples/tag-on-message.json, and writing a message in the sandbox',
		onProgress,
		async () => await runTagOnMessage(n8n.rest, sandbox),
	);
	const results = [describeImport(imported), describeSync(synced), describeTagOnMessage(tagged)];
	print(`\n${results.join('\n\n')}\n\n`);
	const deviations = [
		...findDeviations(imported),
		...findSyncDeviations(synced),
		...findTagDeviations(tagged),
	];
	if (deviations.length > 0) print(`Not as expected: ${deviations.join('; ')}\n`);
	return deviations.length === 0;
}

/** Gives the exit code. */
async function run(args: Arguments): Promise<number> {
	const demo = await startDemo(args, { onProgress, cleanUps });
	const isAsExpected = await showExamples(demo);
	if (args.once) {
		print(isAsExpected ? 'As expected.\n' : '');
		return isAsExpected ? 0 : 1;
	}
	print(describeAddresses(demo));
	await demo.n8n.ended;
	if (!isStopping) print(`n8n ended by itself:\n${demo.n8n.logs}\n`);
	return 1;
}

/** Resolves when a person, or the system, wants us to end. */
async function stopRequested(): Promise<number> {
	return await new Promise((resolve) => {
		// 128 and the signal's number, as shells do; Ctrl-C is the regular way to end the demo
		process.on('SIGINT', () => resolve(130));
		process.on('SIGTERM', () => resolve(143));
		process.on('SIGHUP', () => resolve(129));
		void launcherGone().then(() => resolve(143));
	});
}

async function runUntilStopped(): Promise<number> {
	const args = readArguments();
	const stopped = stopRequested().then((exitCode) => {
		isStopping = true;
		print('\nStopping …\n');
		return exitCode;
	});
	try {
		return await Promise.race([run(args), stopped]);
	} catch (error) {
		const isClear = error instanceof PrerequisiteError || error instanceof CommandError;
		print(`\n${isClear ? error.message : (error as Error).stack}\n`);
		return 1;
	} finally {
		await stopAllProcesses();
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	}
}

void runUntilStopped().then((exitCode) => process.exit(exitCode));
