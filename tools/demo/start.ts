import { parseArgs, process } from '../support/platform';
import { describeAddresses, startDemo, startDemoCrm, type DemoArguments } from './demo';
import { launcherGone } from './launcher';
import { demoFolder } from '../n8n/paths';
import { PrerequisiteError } from '../n8n/prerequisites';
import { CommandError, stopAllProcesses } from '../n8n/processes';
import { createProgressPrinter, type ProgressEvent, withProgress } from '../n8n/progress';
import { runTour } from './tour';

const help = `npm start -- [options]: start n8n with this package, and a local CRM to try it with

  --fresh                  delete the workflows and credentials of earlier starts
  --once                   run the main operations in n8n's engine, print the results and exit
  --port <number>          port of n8n (default: 5678, or a free one)
  --sandbox-port <number>  port of the local CRM (default: 8787, or a free one)
`;

const cleanUps: Array<() => Promise<void>> = [];
const showProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));
let isStopping = false;

function print(text: string): void {
	process.stdout.write(text);
}

function onProgress(event: ProgressEvent): void {
	// A step that the user stopped has not failed.
	if (!isStopping) showProgress(event);
}

interface Arguments extends DemoArguments {
	once?: boolean;
	help?: boolean;
}

function readArguments(): Arguments {
	const { values } = parseArgs({
		options: {
			help: { type: 'boolean' },
			fresh: { type: 'boolean' },
			once: { type: 'boolean' },
			port: { type: 'string' },
			'sandbox-port': { type: 'string' },
		},
	});
	const { port, 'sandbox-port': sandboxPort, ...rest } = values;
	return { ...rest, port: portNumber(port), sandboxPort: portNumber(sandboxPort) };
}

function portNumber(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new PrerequisiteError(`A port must be a whole number from 1 to 65535, not '${text}'.`);
}

/** Returns the exit code. */
async function run(): Promise<number> {
	const args = readArguments();
	if (args.help) {
		print(help);
		return 0;
	}
	const crm = await startDemoCrm(args, cleanUps);
	if (!args.once) {
		print(
			args.fresh
				? 'Starting fresh: workflows and credentials of earlier starts are deleted.\n'
				: `What you build in n8n is kept in ${demoFolder}. To delete it: npm start -- --fresh\n`,
		);
	}
	print(`The local CRM starts with the same contacts each time: ${crm.sandbox.url}/\n\n`);

	const tour = async () => await runTour(crm.sandbox);
	const { text, deviations } = await withProgress('Running operations', onProgress, tour);
	print(`\nThe main operations, run in n8n's engine against the local CRM:\n\n${text}\n\n`);
	if (deviations.length > 0) print(`Not as expected: ${deviations.join('; ')}\n\n`);
	if (args.once) return deviations.length === 0 ? 0 : 1;

	print(
		'Next: n8n itself. The first start downloads it. Meanwhile, open the CRM in a browser.\n\n',
	);
	const demo = await startDemo(args, crm, { onProgress, cleanUps });
	print(`\n${describeAddresses(demo)}`);
	await demo.n8n.ended;
	if (!isStopping) print(`n8n stopped unexpectedly:\n${demo.n8n.logs}\n`);
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
	const stopped = stopRequested().then((exitCode) => {
		isStopping = true;
		print('\nStopping …\n');
		return exitCode;
	});
	try {
		return await Promise.race([run(), stopped]);
	} catch (error) {
		const { code, message, stack } = error as NodeJS.ErrnoException;
		const isOfArguments = code?.startsWith('ERR_PARSE_ARGS');
		const isClear = error instanceof PrerequisiteError || error instanceof CommandError;
		print(`\n${isClear || isOfArguments ? message : stack}\n`);
		return 1;
	} finally {
		await stopAllProcesses();
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	}
}

void runUntilStopped().then((exitCode) => process.exit(exitCode));
