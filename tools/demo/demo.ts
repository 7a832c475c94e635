import { startSandbox, type Sandbox } from '../sandbox';
import { fs, path } from '../support/platform';
import { ensureBuilt } from '../n8n/buildPackage';
import { ensureHost } from '../n8n/installHost';
import { tryLock } from '../n8n/installLock';
import { importCredentials, importWorkflows } from '../n8n/n8nCli';
import type { Owner } from '../n8n/n8nRestClient';
import { startN8n, type N8nServer } from '../n8n/n8nServer';
import { createOwner, ownerEnvironment } from '../n8n/owner';
import { installPackage, packPackage } from '../n8n/packPackage';
import { demoFolder, examplesFolder } from '../n8n/paths';
import { choosePort } from '../n8n/ports';
import { PrerequisiteError } from '../n8n/prerequisites';
import { type OnProgress, withProgress } from '../n8n/progress';

export interface DemoArguments {
	port?: number;
	sandboxPort?: number;
	/** Whether to empty the folder that n8n's data is kept in. */
	fresh?: boolean;
	/** That folder; the default is one in this repository. */
	data?: string;
}

/** The CRM of the demo, and the port that is kept for n8n. */
export interface DemoCrm {
	sandbox: Sandbox;
	port: number;
}

/** A real n8n with this package and the examples, and a CRM to try them on. */
export interface Demo {
	n8n: N8nServer;
	sandbox: Sandbox;
	owner: Owner;
}

/** What to do in the end, in reverse order, also if the start fails halfway. */
export type CleanUps = Array<() => Promise<void>>;

/** The address under which the sandbox knows n8n; real services accept public https only. */
const publicUrl = 'https://n8n.demo.example.com';

/**
 * Powers that the demo does without: every account of this machine, and every page in a browser, can
 * send it requests, and n8n checks neither their Host nor their Origin.
 */
const restraints = {
	// n8n then manages only the packages that its environment lists, which are none
	N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
	N8N_PUBLIC_API_DISABLED: 'true',
	N8N_SAMESITE_COOKIE: 'strict',
};

/** Starts the CRM, which needs nothing that has to be installed. */
export async function startDemoCrm(args: DemoArguments, cleanUps: CleanUps): Promise<DemoCrm> {
	const port = await choosePort(args.port, 5678, '--port');
	const sandbox = await startSandbox({
		port: await choosePort(args.sandboxPort, 8787, '--sandbox-port'),
		contacts: 200,
		publicHosts: { [publicUrl]: `http://127.0.0.1:${port}` },
	});
	cleanUps.push(async () => await sandbox.close());
	return { sandbox, port };
}

/** Installs n8n where it is missing, and starts it with the package as it would be published. */
export async function startDemo(
	{ data = demoFolder, fresh = false }: DemoArguments,
	{ sandbox, port }: DemoCrm,
	{ onProgress, cleanUps }: { onProgress?: OnProgress; cleanUps: CleanUps },
): Promise<Demo> {
	await ensureBuilt(onProgress);
	const host = await ensureHost({ onProgress });
	const userFolder = await openDataFolder(data, fresh, cleanUps);
	const archive = await packPackage(onProgress);
	await withProgress('Installing the package in n8n', onProgress, async () => {
		await installPackage(archive, userFolder);
		await fs.promises.rm(path.dirname(archive), { recursive: true });
	});

	await withProgress('Importing the credential and the examples', onProgress, async () => {
		const cli = { host, userFolder };
		const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' };
		await importCredentials(cli, [
			{ id: 'workspaceCrmDemo', name: 'Workspace CRM', type: 'workspaceCrmApi', data },
		]);
		// Once, because another import would undo what a person has changed in them.
		const stamp = path.join(userFolder, '.n8n/examples-imported');
		if (fs.existsSync(stamp)) return;
		await importWorkflows(cli, examplesFolder);
		await fs.promises.writeFile(stamp, '');
	});

	const owner = createOwner();
	const n8n = await withProgress(`Starting n8n ${host.version}`, onProgress, async () => {
		const env = {
			N8N_WEBHOOK_URL: publicUrl,
			N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}`,
			...ownerEnvironment(host, owner),
			...restraints,
			// a person may want to try a Code node
			N8N_RUNNERS_MODE: 'internal',
		};
		const server = await startN8n({ host, userFolder, port, env });
		await server.rest.setUpOwner(owner);
		await publishAgain(server);
		return server;
	});
	return { n8n, sandbox, owner };
}

/** The CRM starts without subscriptions, so what a person published before has to subscribe again. */
async function publishAgain({ rest }: N8nServer): Promise<void> {
	const workflows = await rest.get<Array<{ id: string; active: boolean }>>('/workflows');
	for (const { id } of workflows.filter(({ active }) => active)) {
		await rest.unpublish(id);
		// n8n shows which ones cannot be published.
		await rest.publish(id).catch(() => undefined);
	}
}

/** @throws PrerequisiteError if another demo is using the folder */
export async function openDataFolder(
	folder: string,
	isFresh: boolean,
	cleanUps: CleanUps,
): Promise<string> {
	await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 });
	const lock = path.join(folder, 'demo.pid');
	if (!tryLock(lock)) {
		throw new PrerequisiteError(`Another demo is using ${folder}. Stop it first (Ctrl-C).`);
	}
	cleanUps.push(async () => await fs.promises.rm(lock, { force: true }));
	if (isFresh) await fs.promises.rm(path.join(folder, '.n8n'), { recursive: true, force: true });
	return folder;
}

/** Says where everything is, and how to get in. */
export function describeAddresses({ n8n, sandbox, owner }: Demo): string {
	return `n8n          ${n8n.url}
  sign in    ${owner.email}
  password   ${owner.password}  (new at each start)
CRM          ${sandbox.url}
  console    ${sandbox.url}/  (watch requests, and act as a contact)
  API key    ${sandbox.apiKey}

Press Ctrl-C to stop both.
`;
}
