import { compileSqlite, ensureHost, hostIn, nodePackage, type Host } from '../n8n/installHost';
import { runNpm } from '../n8n/npm';
import { repositoryFolder } from '../n8n/paths';
import { fs, path } from '../support/platform';
import { pinnedVersion, type Version } from './versions';

/** With a dot in front, because the build copies every picture below the other folders. */
const versionsFolder = path.join(repositoryFolder, '.n8n-compat');

/**
 * Installs a version of n8n into a folder of its own, without running foreign install scripts. The
 * one that all other tests use is there already.
 *
 * n8n and Node are pinned by version alone: what they bring is what the registry has on the day, with
 * the hashes that it names. No lock file of ours covers it, so nothing is published from here.
 */
export async function installVersion({ n8n, node, overrides }: Version): Promise<Host> {
	if (n8n === pinnedVersion) return await ensureHost();
	const folder = path.join(versionsFolder, n8n);
	await fs.promises.mkdir(folder, { recursive: true });
	const dependencies = { n8n, [nodePackage()]: node };
	const description = { private: true, dependencies, overrides };
	await fs.promises.writeFile(path.join(folder, 'package.json'), JSON.stringify(description));
	await runNpm(folder, ['install', '--ignore-scripts', '--no-audit', '--no-fund']);
	const host = hostIn(folder, n8n);
	await compileSqlite(host);
	return host;
}

/** Removes a version again; each takes some 2 GB. */
export async function removeVersion(n8n: string): Promise<void> {
	const folder = path.join(versionsFolder, n8n);
	await fs.promises.rm(folder, { recursive: true, force: true });
}
