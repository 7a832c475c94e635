import { createHash } from 'node:crypto';

import { fs, path } from '../support/platform';
import type { Host } from './installHost';
import { withInstallLock } from './installLock';
import { importCredentials } from './n8nCli';
import { installPackage, packPackage } from './packPackage';
import { repositoryFolder } from './paths';
import { createUserFolder } from './userFolders';

/** The IDs of the credentials that the nodes of the tests and of the examples name. */
export const CREDENTIALS = { tests: 'crm', examples: 'workspaceCrmDemo' };

/**
 * A new user folder, with our package installed as users do it, n8n's database and credentials for no
 * service. As that takes a while, it is done once for each build, and copied.
 */
export async function createPreparedFolder(host: Host): Promise<string> {
	const parent = path.join(host.folder, 'prepared');
	const prepared = path.join(parent, `${host.version}-${hashOfBuild()}`);
	const isReady = path.join(prepared, 'ready');
	await fs.promises.mkdir(parent, { recursive: true });
	if (!fs.existsSync(isReady)) {
		await withInstallLock(parent, undefined, async () => {
			if (fs.existsSync(isReady)) return;
			// Including those of earlier builds.
			for (const each of await fs.promises.readdir(parent, { withFileTypes: true })) {
				const former = path.join(parent, each.name);
				if (each.isDirectory()) await fs.promises.rm(former, { recursive: true });
			}
			await prepare(host, prepared);
			await fs.promises.writeFile(isReady, '');
		});
	}
	const userFolder = await createUserFolder(host.folder);
	await fs.promises.cp(prepared, userFolder, { recursive: true });
	return userFolder;
}

async function prepare(host: Host, folder: string): Promise<void> {
	const archive = await packPackage();
	await installPackage(archive, folder);
	await fs.promises.rm(path.dirname(archive), { recursive: true });
	const like = { name: 'CRM', type: 'workspaceCrmApi', data: {} };
	const credentials = Object.values(CREDENTIALS).map((id) => ({ id, ...like }));
	await importCredentials({ host, userFolder: folder }, credentials);
}

/** A hash of everything that is packed. */
function hashOfBuild(): string {
	const folder = path.join(repositoryFolder, 'dist');
	const hash = createHash('sha256');
	const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
	for (const name of ['../package.json', '../README.md', ...names]) {
		const file = path.join(folder, name);
		if (fs.statSync(file).isFile()) hash.update(name).update(fs.readFileSync(file));
	}
	return hash.digest('hex').slice(0, 16);
}
