import { randomUUID } from 'node:crypto';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { fs, path } from '../support/platform';
import type { Host } from './installHost';
import { n8nEnvironment } from './n8nEnvironment';
import { findFreePort } from './ports';
import { runProcess } from './processes';

interface CliOptions {
	host: Host;
	userFolder: string;
	env?: Record<string, string>;
}

interface NewCredential {
	id: string;
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

/** Runs one of n8n's commands, such as `list:workflow`, and returns what it printed. */
export async function runCli(options: CliOptions, args: string[]): Promise<string> {
	const { host, userFolder, env } = options;
	return await runProcess(host.nodePath, [host.n8nPath, ...args], {
		cwd: userFolder,
		env: n8nEnvironment(host, { userFolder, brokerPort: await findFreePort(), env }),
	});
}

/** Runs a workflow in a process of its own, to its end. */
export async function executeWorkflow(options: CliOptions, id: string): Promise<void> {
	await runCli(options, ['execute', `--id=${id}`]);
}

/** Stores credentials under ids of our choice, replacing those that have them already. */
export async function importCredentials(
	options: CliOptions,
	credentials: NewCredential[],
): Promise<void> {
	const file = path.join(options.userFolder, 'credentials-to-import.json');
	await fs.promises.writeFile(file, JSON.stringify(credentials), { mode: 0o600 });
	await runCli(options, ['import:credentials', `--input=${file}`]);
	await fs.promises.rm(file);
}

/**
 * Stores all workflow files of a folder, replacing workflows that have the same ids. n8n 2.0 stores only those
 * with a version id.
 */
export async function importWorkflows(options: CliOptions, folder: string): Promise<void> {
	const names = (await fs.promises.readdir(folder)).filter((name) => name.endsWith('.json'));
	const read = async (name: string) => {
		const text = await fs.promises.readFile(path.join(folder, name), 'utf8');
		return { versionId: randomUUID(), ...(JSON.parse(text) as object) };
	};
	const file = path.join(options.userFolder, 'workflows-to-import.json');
	await fs.promises.writeFile(file, JSON.stringify(await Promise.all(names.map(read))));
	await runCli(options, ['import:workflow', `--input=${file}`]);
	await fs.promises.rm(file);
}
