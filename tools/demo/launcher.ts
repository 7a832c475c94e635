import { childProcess, delay, process } from '../support/platform';
import { isAlive } from '../n8n/installLock';

const pollMs = 1_000;
const maximalDistance = 4;

/**
 * Resolves when one of the processes between npm and us is gone. npm passes a request to end only
 * to the shell that it started us with, which then ends without telling us.
 */
export async function launcherGone(): Promise<void> {
	const launchers = findLaunchers();
	while (launchers.every(isAlive)) await delay(pollMs, undefined, { ref: false });
}

/** The processes that we descend from up to npm, or none when npm did not start us. */
function findLaunchers(): number[] {
	const launchers: number[] = [];
	let processId = process.ppid;
	while (processId > 1 && launchers.length < maximalDistance) {
		launchers.push(processId);
		const [parentId, command] = describeProcess(processId);
		if (command.startsWith('npm ')) return launchers;
		processId = parentId;
	}
	return [];
}

function describeProcess(processId: number): [parentId: number, command: string] {
	const args = ['-o', 'ppid=,args=', '-p', String(processId)];
	const { stdout } = childProcess.spawnSync('ps', args, { encoding: 'utf8' });
	const [, parentId = '0', command = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout ?? '') ?? [];
	return [Number(parentId), command];
}
