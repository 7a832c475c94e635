import { ensureHost } from '../../n8n/installHost';
import { runProcess } from '../../n8n/processes';
import { os, process } from '../../support/platform';

/** What the figures depend on. */
export async function describeMachine(): Promise<string> {
	const { folder, nodePath, version } = await ensureHost();
	const hostNode = await runProcess(nodePath, ['--version'], { cwd: folder, env: {} });
	const cpus = `${os.availableParallelism()} processors (${process.platform}, ${process.arch})`;
	const memory = `${Math.round(os.totalmem() / 1024 ** 3)} GB of memory`;
	return `a machine with ${cpus} and ${memory}, with n8n ${version} on Node.js ${hostNode.trim()}, and Node.js ${process.version} for everything else`;
}

/** Whether other programs keep the machine so busy that they would be measured too. */
export function isBusy(): boolean {
	return os.loadavg()[0] > os.availableParallelism() / 2;
}
