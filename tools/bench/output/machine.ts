import { ensureHost } from '../../n8n/installHost';
import { runProcess } from '../../n8n/processes';
import { childProcess, os, process } from '../../support/platform';

/** What the figures depend on. */
export async function describeMachine(): Promise<string> {
	const { folder, nodePath, version } = await ensureHost();
	const hostNode = await runProcess(nodePath, ['--version'], { cwd: folder, env: {} });
	return `${describeHardware()}, n8n ${version} on Node.js ${hostNode.trim()}, and Node.js ${process.version} for everything else`;
}

function describeHardware(): string {
	const cpus = `${os.availableParallelism()} processors (${process.platform}, ${process.arch})`;
	const memory = `${Math.round(os.totalmem() / 1024 ** 3)} GB of memory`;
	return `${cpus}, ${memory}`;
}

/** The day, and the commit that was measured; outside of a repository only the day. */
export function describeCommit(): string {
	const day = new Date().toISOString().slice(0, 10);
	const git = (...args: string[]) => {
		const { stdout } = childProcess.spawnSync('git', args, { encoding: 'utf8' });
		return (stdout ?? '').trim();
	};
	const commit = git('rev-parse', '--short', 'HEAD');
	if (commit === '') return day;
	// Pages that other commands have just written change nothing that is measured.
	const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs');
	return `${day} at ${commit}${changed === '' ? '' : ', with changes'}`;
}

/** Whether other programs keep the machine so busy that they would be measured too. */
export function isBusy(): boolean {
	return os.loadavg()[0] > os.availableParallelism() / 2;
}
