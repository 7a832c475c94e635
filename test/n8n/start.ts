import { process } from '../support/platform';
import { ensureBuilt } from './buildPackage';
import { findDeviations, runContactImport } from './contactImport';
import {
	describeAddresses,
	describeNext,
	startDemo,
	startDemoCrm,
	type Demo,
	type DemoCrm,
} from './demo';
import { launcherGone } from './launcher';
import { PrerequisiteError } from './prerequisites';
import { CommandError, stopAllProcesses } from './processes';
import { createProgressPrinter, type ProgressEvent, withProgress } from './progress';
import { describeImport, describeSync, describeTagOnMessage, describeTour } from './report';
import { findSyncDeviations, runScheduledSync } from './scheduledSync';
import { readArguments, type Arguments } from './startArguments';
import { findTagDeviations, runTagOnMessage } from './tagOnMessage';
import { findTourDeviations, runTour } from './tour';

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

/** Runs the main operations in n8n's engine, without its server. Gives what was not as it should be. */
async function showTour({ sandbox }: DemoCrm): Promise<string[]> {
	print(`Watch the CRM here: ${sandbox.url}/\n\n`);
	// The engine takes seconds to load, so that goes on beside the build.
	await Promise.all([ensureBuilt(onProgress), import('../support/engine')]);
	const steps = await withProgress(
		'Running the main operations',
		onProgress,
		async () => await runTour(sandbox),
	);
	print(`\n${describeTour(steps)}\n\n`);
	return findTourDeviations(steps);
}

/** Runs the examples in a real n8n. Gives what was not as it should be. */
async function showExamples({ n8n, sandbox }: Demo): Promise<string[]> {
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
	return [...findDeviations(imported), ...findSyncDeviations(synced), ...findTagDeviations(tagged)];
}

/** Gives the exit code. */
async function run(args: Arguments): Promise<number> {
	const crm = await startDemoCrm(args, cleanUps);
	const deviations = await showTour(crm);
	const start = async () => await startDemo(args, crm, { onProgress, cleanUps });
	if (args.once) {
		if (args.n8n) deviations.push(...(await showExamples(await start())));
		const isAsExpected = deviations.length === 0;
		print(isAsExpected ? 'As expected.\n' : `Not as expected: ${deviations.join('; ')}\n`);
		return isAsExpected ? 0 : 1;
	}
	if (deviations.length > 0) print(`Not as expected: ${deviations.join('; ')}\n\n`);
	print(describeNext(crm));
	const demo = await start();
	print(`\n${describeAddresses(demo)}`);
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
