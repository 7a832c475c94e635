import { PrerequisiteError } from '../../n8n/prerequisites';
import { CommandError, stopAllProcesses } from '../../n8n/processes';
import { createProgressPrinter } from '../../n8n/progress';
import { process } from '../../support/platform';

export const print = (text: string) => process.stdout.write(text);
export const onProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));

/** Runs a command, which fails if `run` throws or returns false. Then stops everything that was started. */
export function runCommand(run: () => Promise<boolean>): void {
	run()
		.then((isAllMet) => (process.exitCode = isAllMet ? 0 : 1))
		.catch((error: Error) => {
			const isClear = error instanceof PrerequisiteError || error instanceof CommandError;
			print(`\n${isClear ? error.message : error.stack}\n`);
			process.exitCode = 1;
		})
		.finally(async () => await stopAllProcesses());
}
