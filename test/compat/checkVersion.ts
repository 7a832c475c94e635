import { findDeviations, runContactImport } from '../n8n/contactImport';
import type { Host } from '../n8n/installHost';
import { importCredentials, importWorkflows } from '../n8n/n8nCli';
import { N8nRestClient } from '../n8n/n8nRestClient';
import { startN8n, type N8nServer } from '../n8n/n8nServer';
import { createOwner } from '../n8n/owner';
import { installPackage } from '../n8n/packPackage';
import { examplesFolder } from '../n8n/paths';
import { findFreePort } from '../n8n/ports';
import { findSyncDeviations, runScheduledSync } from '../n8n/scheduledSync';
import { findTagDeviations, runTagOnMessage } from '../n8n/tagOnMessage';
import { PUBLIC_URL } from '../n8n/testbed';
import { createUserFolder, removeUserFolder } from '../n8n/userFolders';
import { startSandbox, type Sandbox } from '../sandbox';
import { fs, path } from '../support/platform';
import { OlderRestClient } from './olderRestClient';

/** What a version of n8n does with the package: for each question `yes`, or what went wrong. */
export interface Verdict {
	loads: string;
	contactImport: string;
	scheduledSync: string;
	tagOnMessage: string;
}

export type Question = keyof Verdict;

const exampleFiles = ['contact-import.json', 'scheduled-sync.json', 'tag-on-message.json'];
const nodeNames = ['workspaceCrm', 'workspaceCrmChangesTrigger', 'workspaceCrmTrigger'].map(
	(name) => `n8n-nodes-workspace-crm.${name}`,
);

/** Starts this n8n with the package in it, and runs the main examples. */
export async function checkVersion(host: Host, archive: string): Promise<Verdict> {
	const userFolder = await createUserFolder(host.folder);
	const port = await findFreePort();
	const publicHosts = { [PUBLIC_URL]: `http://127.0.0.1:${port}` };
	const sandbox = await startSandbox({ publicHosts, limiter: { kind: 'off' }, contacts: 200 });
	let n8n: N8nServer | undefined;
	try {
		await installPackage(archive, userFolder);
		await importExamples(host, userFolder, sandbox);
		n8n = await startN8n({ host, userFolder, port, env: { WEBHOOK_URL: PUBLIC_URL } });
		const isOlder = host.version.startsWith('1.');
		const rest = isOlder ? new OlderRestClient(n8n.url) : n8n.rest;
		await rest.setUpOwner(createOwner());
		return await askAll(n8n.url, rest, sandbox);
	} finally {
		await n8n?.stop();
		await sandbox.close();
		await removeUserFolder(userFolder);
	}
}

async function importExamples(host: Host, userFolder: string, sandbox: Sandbox): Promise<void> {
	const cli = { host, userFolder };
	const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' };
	await importCredentials(cli, [
		{ id: 'workspaceCrmDemo', name: 'Workspace CRM', type: 'workspaceCrmApi', data },
	]);
	const folder = path.join(userFolder, 'examples');
	await fs.promises.mkdir(folder);
	for (const file of exampleFiles) {
		await fs.promises.copyFile(path.join(examplesFolder, file), path.join(folder, file));
	}
	await importWorkflows(cli, folder);
}

async function askAll(url: string, rest: N8nRestClient, sandbox: Sandbox): Promise<Verdict> {
	const loads = await ask(async () => await findMissingNodes(url, rest));
	if (loads !== 'yes') return notTried(loads);
	return {
		loads,
		contactImport: await ask(async () => findDeviations(await runContactImport(rest, sandbox))),
		scheduledSync: await ask(async () => findSyncDeviations(await runScheduledSync(rest, sandbox))),
		tagOnMessage: await ask(async () => findTagDeviations(await runTagOnMessage(rest, sandbox))),
	};
}

/** The verdict when the examples could not be tried, for a reason. */
export function notTried(reason: string): Verdict {
	return { loads: reason, contactImport: '', scheduledSync: '', tagOnMessage: '' };
}

async function ask(findProblems: () => Promise<string[]>): Promise<string> {
	const problems = await findProblems().catch(({ message }: Error) => [message]);
	return problems.length === 0 ? 'yes' : problems.join('; ');
}

/** Asks for the list that the editor loads. */
async function findMissingNodes(url: string, { cookie }: N8nRestClient): Promise<string[]> {
	const response = await fetch(`${url}/types/nodes.json`, { headers: { cookie } });
	const types = (await response.json()) as Array<{ name: string }>;
	const missing = nodeNames.filter((wanted) => !types.some(({ name }) => name === wanted));
	return missing.map((name) => `${name} is missing`);
}
