import { childProcess, fs, process } from '../support/platform';

const minimalNodeMajor = 20;
const minimalFreeBytes = 4 * 1024 ** 3;

/** Something a person has to put right before we can go on; it is shown without a stack. */
export class PrerequisiteError extends Error {}

/** Refuses, with the remedy, a machine that cannot run the demo at all. */
export function checkPlatform(): void {
	if (process.platform === 'win32') {
		throw new PrerequisiteError('The pinned n8n needs Linux or macOS. On Windows, use WSL.');
	}
	const nodeMajor = Number(process.versions.node.split('.')[0]);
	if (nodeMajor < minimalNodeMajor) {
		throw new PrerequisiteError(
			`Node ${minimalNodeMajor} or newer is needed; this is ${process.version}. Install it from https://nodejs.org.`,
		);
	}
}

/** Refuses, with the remedy, a machine on which the pinned n8n could not be installed. */
export async function checkInstallPrerequisites(folder: string): Promise<void> {
	const problems: string[] = [];
	const missing = ['npm', 'python3', 'make', 'g++'].filter((command) => !isInstalled(command));
	if (missing.length > 0) {
		problems.push(
			`Not found: ${missing.join(', ')}. They are needed to compile n8n's database driver. ` +
				'Debian and Ubuntu: sudo apt-get install python3 make g++. macOS: xcode-select --install.',
		);
	}
	const { bavail, bsize } = await fs.promises.statfs(folder);
	const freeBytes = bavail * bsize;
	if (freeBytes < minimalFreeBytes) {
		const freeGb = (freeBytes / 1024 ** 3).toFixed(1);
		problems.push(`Only ${freeGb} GB are free at ${folder}, and n8n needs 4 GB.`);
	}
	if (problems.length > 0) throw new PrerequisiteError(problems.join('\n'));
}

function isInstalled(command: string): boolean {
	return childProcess.spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}
