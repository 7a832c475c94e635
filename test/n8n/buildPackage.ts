import { fs, path } from '../support/platform';
import { runNpm } from './npm';
import { repositoryFolder } from './paths';
import { type OnProgress, withProgress } from './progress';

/** All that a build reads. */
const sources = [
	'credentials',
	'icons',
	'nodes',
	'package-lock.json',
	'package.json',
	'scripts',
	'tsconfig.json',
];

/** What a build writes last. */
const lastFile = 'dist/THIRD_PARTY_NOTICES.txt';

/** Builds this package, unless it is built and no source has changed since. */
export async function ensureBuilt(onProgress?: OnProgress): Promise<void> {
	if (await isBuilt()) return;
	await withProgress('Building the package', onProgress, async () => {
		await runNpm(repositoryFolder, ['run', 'build']);
	});
}

async function isBuilt(): Promise<boolean> {
	const builtMs = await changedMs(lastFile);
	if (builtMs === undefined) return false;
	for (const source of sources) {
		for (const file of await filesIn(source)) {
			if (((await changedMs(file)) ?? Infinity) > builtMs) return false;
		}
	}
	return true;
}

/** A file, or a folder with all that is in it: a file that was removed changes its folder. */
async function filesIn(source: string): Promise<string[]> {
	const absolute = path.join(repositoryFolder, source);
	if (!(await fs.promises.stat(absolute)).isDirectory()) return [source];
	const entries = await fs.promises.readdir(absolute, { recursive: true });
	return [source, ...entries.map((entry) => path.join(source, entry))];
}

async function changedMs(file: string): Promise<number | undefined> {
	const stat = await fs.promises.stat(path.join(repositoryFolder, file)).catch(() => undefined);
	return stat?.mtimeMs;
}
