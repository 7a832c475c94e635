import { createHash } from 'node:crypto';
import { fs, path, process } from '../support/platform';
import { withInstallLock } from './installLock';
import { npmEnvironment, runNpm } from './npm';
import { defaultHostFolder, hostDescriptionFolder } from './paths';
import { checkInstallPrerequisites, checkPlatform, PrerequisiteError } from './prerequisites';
import { startProcess, runProcess } from './processes';
import { type OnProgress, withProgress } from './progress';

/** An installed n8n, with the Node that it runs on. */
export interface Host {
	folder: string;
	nodePath: string;
	n8nPath: string;
	version: string;
}

export interface HostOptions {
	onProgress?: OnProgress;
	/** Where to install it; the default is a git-ignored folder in this repository. */
	folder?: string;
}

interface LockFile {
	packages: Record<string, { version?: string; optional?: boolean }>;
}

const descriptionFiles = ['package.json', 'package-lock.json', '.npmrc'];
const stampFile = 'installed.json';

/**
 * Installs whatever is missing of the pinned n8n. If all is in place, it returns at once. `TEST_N8N_FOLDER`
 * names a folder with another version, which is used as it is.
 */
export async function ensureHost(options: HostOptions = {}): Promise<Host> {
	const { onProgress, folder = defaultHostFolder } = options;
	const { TEST_N8N_FOLDER: other } = process.env;
	if (other) return hostIn(other, await installedVersion(other));
	checkPlatform();
	const host = await describeHost(folder);
	const stamp = await expectedStamp();
	if ((await readStamp(folder)) === stamp && fs.existsSync(host.nodePath)) return host;

	await fs.promises.mkdir(folder, { recursive: true });
	await checkInstallPrerequisites(folder);
	await withInstallLock(folder, onProgress, async () => {
		if ((await readStamp(folder)) !== stamp) {
			// An interrupted install must not pass for the one before it.
			await fs.promises.rm(path.join(folder, stampFile), { force: true });
			await install(host, onProgress);
		}
		// written last: its presence says that everything before it succeeded
		await fs.promises.writeFile(path.join(folder, stampFile), stamp);
	});
	return host;
}

async function installedVersion(folder: string): Promise<string> {
	const file = path.join(folder, 'node_modules/n8n/package.json');
	return (JSON.parse(await fs.promises.readFile(file, 'utf8')) as { version: string }).version;
}

async function describeHost(folder: string): Promise<Host> {
	const text = await fs.promises.readFile(path.join(hostDescriptionFolder, 'package.json'), 'utf8');
	const { dependencies } = JSON.parse(text) as { dependencies: { n8n: string } };
	return hostIn(folder, dependencies.n8n);
}

/** A host by the folder that it is installed in. */
export const hostIn = (folder: string, version: string): Host => ({
	folder,
	nodePath: path.join(folder, 'node_modules', nodePackage(), 'bin/node'),
	n8nPath: path.join(folder, 'node_modules/n8n/bin/n8n'),
	version,
});

/**
 * The package that contains Node for this kind of machine. The one called `node` only downloads it, with a
 * script that no lock file covers.
 */
export function nodePackage(): string {
	const kind = `${process.platform}-${process.arch}`;
	return kind === 'darwin-arm64' ? `node-bin-${kind}` : `node-${kind}`;
}

async function expectedStamp(): Promise<string> {
	const lock = await fs.promises.readFile(path.join(hostDescriptionFolder, 'package-lock.json'));
	const lockSha256 = createHash('sha256').update(lock).digest('hex');
	return JSON.stringify({ lockSha256, platform: process.platform, arch: process.arch });
}

async function readStamp(folder: string): Promise<string | undefined> {
	return await fs.promises.readFile(path.join(folder, stampFile), 'utf8').catch(() => undefined);
}

async function install(host: Host, onProgress: OnProgress | undefined): Promise<void> {
	const { folder } = host;
	for (const file of descriptionFiles) {
		await fs.promises.copyFile(path.join(hostDescriptionFolder, file), path.join(folder, file));
	}
	if (!fs.existsSync(host.nodePath) || !(await hasAllPackages(folder))) {
		const wanted = await neededPackages(folder);
		await withProgress(
			`Downloading n8n ${host.version}, once (2.2 GB on disk, 2 to 5 minutes on a fast line)`,
			onProgress,
			async () => await runNpm(folder, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']),
			() => {
				const isThere = (location: string) =>
					fs.existsSync(path.join(folder, location, 'package.json'));
				const count = wanted.filter(isThere).length;
				return `${count.toLocaleString('en')} of ${wanted.length.toLocaleString('en')} packages`;
			},
		);
	}
	if (!fs.existsSync(host.nodePath)) {
		throw new PrerequisiteError(`There is no ${nodePackage()}, the Node that this n8n needs.`);
	}
	if (!(await runs(host, ['--eval', "require('sqlite3')"]))) {
		await withProgress(
			"Compiling n8n's database driver, once (1 to 2 minutes)",
			onProgress,
			async () => await compileSqlite(host),
		);
	}
}

/** npm writes its own copy of the lock file into node_modules when an install is complete. */
async function hasAllPackages(folder: string): Promise<boolean> {
	const wanted = await readLock(path.join(folder, 'package-lock.json'));
	const present = await readLock(path.join(folder, 'node_modules/.package-lock.json'));
	return Object.entries(wanted?.packages ?? {}).every(
		([location, { version, optional }]) =>
			location === '' || optional || present?.packages[location]?.version === version,
	);
}

/** Where npm puts the packages that every kind of machine needs. */
async function neededPackages(folder: string): Promise<string[]> {
	const { packages = {} } = (await readLock(path.join(folder, 'package-lock.json'))) ?? {};
	const locations = Object.keys(packages).filter((location) => !packages[location].optional);
	return locations.filter((location) => location !== '');
}

async function readLock(file: string): Promise<LockFile | undefined> {
	const text = await fs.promises.readFile(file, 'utf8').catch(() => undefined);
	return text === undefined ? undefined : (JSON.parse(text) as LockFile);
}

async function runs(host: Host, args: string[]): Promise<boolean> {
	const child = startProcess(host.nodePath, args, { cwd: host.folder, env: npmEnvironment() });
	return (await child.ended) === 0;
}

/** Compiles against the headers that came with the Node of this host, so nothing is downloaded. */
export async function compileSqlite(host: Host): Promise<void> {
	const nodeFolder = path.join(path.dirname(host.nodePath), '..');
	await runProcess(
		host.nodePath,
		[findNodeGyp(host.folder), 'rebuild', `--nodedir=${nodeFolder}`, `--jobs=max`],
		{ cwd: path.join(host.folder, 'node_modules/sqlite3'), env: npmEnvironment() },
	);
}

/**
 * Finds the compiler driver for native modules. The one inside npm comes first: the one that n8n's
 * database driver asks for cannot work with Python 3.12 or newer.
 */
function findNodeGyp(hostFolder: string): string {
	const npmScript = process.env.npm_execpath;
	const candidates = [
		...(npmScript ? [path.join(path.dirname(npmScript), '../node_modules')] : []),
		path.join(path.dirname(process.execPath), '../lib/node_modules/npm/node_modules'),
		path.join(hostFolder, 'node_modules'),
	].map((folder) => path.join(folder, 'node-gyp/bin/node-gyp.js'));
	const found = candidates.find((file) => fs.existsSync(file));
	if (!found) throw new Error(`node-gyp is in none of these places:\n${candidates.join('\n')}`);
	return found;
}
