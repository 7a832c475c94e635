import { compileSqlite, ensureHost, type Host } from '../n8n/installHost';
import { runNpm } from '../n8n/npm';
import { repositoryFolder } from '../n8n/paths';
import { fs, path } from '../support/platform';
import { pinnedVersion, type Version } from './versions';

/** With a dot in front, because the build copies every picture below the other folders. */
const versionsFolder = path.join(repositoryFolder, '.n8n-compat');

/**
 * Installs a version of n8n into a folder of its own, without running foreign install scripts. The
 * one that all other tests use is there already.
 */
export async function installVersion({ n8n, node, overrides }: Version): Promise<Host> {
	if (n8n === pinnedVersion) return await ensureHost();
	const folder = path.join(versionsFolder, n8n);
	await fs.promises.mkdir(folder, { recursive: true });
	const description = { private: true, dependencies: { n8n, node }, overrides };
	await fs.promises.writeFile(path.join(folder, 'package.json'), JSON.stringify(description));
	await runNpm(folder, ['install', '--ignore-scripts', '--no-audit', '--no-fund']);
	await runNpm(folder, ['rebuild', 'node', '--ignore-scripts=false']);
	const host: Host = {
		folder,
		nodePath: path.join(folder, 'node_modules/node/bin/node'),
		n8nPath: path.join(folder, 'node_modules/n8n/bin/n8n'),
		version: n8n,
	};
	await compileSqlite(host);
	return host;
}

/** Removes a version again; each takes some 2 GB. */
export async function removeVersion(n8n: string): Promise<void> {
	const folder = path.join(versionsFolder, n8n);
	await fs.promises.rm(folder, { recursive: true, force: true });
}
