import { fs, os, path } from '../support/platform';
import { runNpm } from './npm';
import { repositoryFolder } from './paths';
import { type OnProgress, withProgress } from './progress';

/** Packs this package, which is built already, as it would be published. Returns the archive's path. */
export async function packPackage(onProgress?: OnProgress): Promise<string> {
	return await withProgress('Packing the package', onProgress, async () => {
		const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), 'workspace-crm-pack-'));
		await runNpm(repositoryFolder, ['pack', '--ignore-scripts', '--pack-destination', folder]);
		const [archive] = await fs.promises.readdir(folder);
		return path.join(folder, archive);
	});
}

/**
 * Installs a packed package for an n8n, as users do by hand. n8n loads every package it finds in
 * this folder when it starts; the nodes get the package's name in front, as from the npm registry.
 *
 * Nothing is downloaded: the package has no dependencies, and its peer `n8n-workflow` comes from
 * n8n itself, which puts its own modules on the search path before it loads nodes.
 */
export async function installPackage(archive: string, userFolder: string): Promise<void> {
	const folder = path.join(userFolder, '.n8n/nodes');
	await fs.promises.mkdir(folder, { recursive: true });
	const ledgerFile = path.join(folder, 'package.json');
	if (!fs.existsSync(ledgerFile)) {
		const ledger = { name: 'installed-nodes', private: true, dependencies: {} };
		await fs.promises.writeFile(ledgerFile, JSON.stringify(ledger, null, 2));
	}
	await runNpm(folder, [
		'install',
		archive,
		'--offline',
		'--legacy-peer-deps',
		'--ignore-scripts',
		'--no-audit',
		'--no-fund',
		'--no-update-notifier',
	]);
}
