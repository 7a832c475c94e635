import { delay, fs, path, process } from '../support/platform';
import { type OnProgress, withProgress } from './progress';

const pollMs = 1_000;

/** Keeps two processes from installing into the same folder at the same time. */
export async function withInstallLock(
	folder: string,
	onProgress: OnProgress | undefined,
	task: () => Promise<void>,
): Promise<void> {
	const lockFile = path.join(folder, 'installing.pid');
	if (!tryLock(lockFile)) {
		await withProgress('Waiting for another process that installs n8n', onProgress, async () => {
			while (!tryLock(lockFile)) await delay(pollMs);
		});
	}
	try {
		await task();
	} finally {
		await fs.promises.rm(lockFile, { force: true });
	}
}

/** Takes a lock, unless a process that is alive has it. */
export function tryLock(lockFile: string): boolean {
	const owner = readOwner(lockFile);
	if (owner !== undefined) {
		if (isAlive(owner)) return false;
		// a lock whose owner was killed is nobody's
		fs.rmSync(lockFile, { force: true });
	}
	let problem: unknown;
	try {
		fs.writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
		return true;
	} catch (error) {
		problem = error;
	}
	// someone was quicker, or this folder cannot be written to
	if (!fs.existsSync(lockFile)) throw problem;
	return false;
}

function readOwner(lockFile: string): number | undefined {
	return fs.existsSync(lockFile) ? Number(fs.readFileSync(lockFile, 'utf8')) : undefined;
}

/** Whether a process with this id exists. */
export function isAlive(processId: number): boolean {
	if (!Number.isInteger(processId) || processId <= 0) return false;
	try {
		process.kill(processId, 0);
		return true;
	} catch {
		return false;
	}
}
