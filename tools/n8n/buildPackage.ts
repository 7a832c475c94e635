import { childProcess } from '../support/platform';
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
	// A file that was removed changes its folder.
	const args = [...sources, '-newer', lastFile];
	const newer = childProcess.spawnSync('find', args, { cwd: repositoryFolder, encoding: 'utf8' });
	if (newer.status === 0 && newer.stdout === '') return;
	await withProgress('Building the package', onProgress, async () => {
		await runNpm(repositoryFolder, ['run', 'build']);
	});
}
