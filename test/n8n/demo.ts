import { startSandbox, type Sandbox } from '../sandbox';
import { fs, path } from '../support/platform';
import { ensureHost } from './installHost';
import { importCredentials, importWorkflows } from './n8nCli';
import type { Owner } from './n8nRestClient';
import { startN8n, type N8nServer } from './n8nServer';
import { createOwner, ownerEnvironment } from './owner';
import { installPackage, packPackage } from './packPackage';
import { examplesFolder } from './paths';
import { choosePort } from './ports';
import { type OnProgress, withProgress } from './progress';
import { type Arguments, usualN8nPort, usualSandboxPort } from './startArguments';
import { createUserFolder, removeUserFolder } from './userFolders';

/** A real n8n with this package and the examples, and a CRM to try them on. */
export interface Demo {
	n8n: N8nServer;
	sandbox: Sandbox;
	owner: Owner;
}

export interface DemoOptions {
	onProgress?: OnProgress;
	/** Gets what to do in the end, last things first, also when starting fails halfway. */
	cleanUps: Array<() => Promise<void>>;
}

/** The CRM of the demo, and the port that is kept for n8n. */
export interface DemoCrm {
	sandbox: Sandbox;
	port: number;
}

const contactsToBeginWith = 200;

/** The address under which the sandbox knows n8n; real services accept public https only. */
const publicUrl = 'https://n8n.demo.example.com';

/**
 * Powers that the demo does without: every account of this machine, and every page in a browser, can
 * send it requests, and n8n checks neither their Host nor their Origin.
 */
const restraints = {
	// n8n then installs, updates and removes what is listed here, which is nothing
	N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
	N8N_PUBLIC_API_DISABLED: 'true',
	N8N_SAMESITE_COOKIE: 'strict',
};

/** Starts the CRM, which needs nothing that has to be installed. */
export async function startDemoCrm(
	args: Arguments,
	cleanUps: DemoOptions['cleanUps'],
): Promise<DemoCrm> {
	const port = await choosePort(args.port, usualN8nPort, '--port');
	const sandboxPort = await choosePort(args.sandboxPort, usualSandboxPort, '--sandbox-port');
	const sandbox = await startSandbox({
		port: sandboxPort,
		contacts: contactsToBeginWith,
		publicHosts: { [publicUrl]: `http://127.0.0.1:${port}` },
	});
	cleanUps.push(async () => await sandbox.close());
	return { sandbox, port };
}

/** Installs n8n where it is missing, and starts it with the package, which is built already. */
export async function startDemo(
	args: Arguments,
	{ sandbox, port }: DemoCrm,
	{ onProgress, cleanUps }: DemoOptions,
): Promise<Demo> {
	const host = await ensureHost({ onProgress });
	const userFolder = await openUserFolder(host.folder, args.data, cleanUps);

	const archive = await packPackage(onProgress);
	await withProgress('Installing it in n8n', onProgress, async () => {
		await installPackage(archive, userFolder);
		await fs.promises.rm(path.dirname(archive), { recursive: true });
	});

	await withProgress('Importing the credential and the examples', onProgress, async () => {
		const cli = { host, userFolder };
		const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' };
		await importCredentials(cli, [
			{ id: 'workspaceCrmDemo', name: 'Workspace CRM', type: 'workspaceCrmApi', data },
		]);
		await importWorkflows(cli, examplesFolder);
	});

	const owner = createOwner();
	const n8n = await withProgress(`Starting n8n ${host.version}`, onProgress, async () => {
		const env = {
			WEBHOOK_URL: publicUrl,
			// Else n8n makes test URLs from the editor's address, which no service reaches.
			N8N_WEBHOOK_URL: publicUrl,
			N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}`,
			...ownerEnvironment(host, owner),
			...restraints,
			// a person may want to try a Code node; --once has none
			...(!args.once && { N8N_RUNNERS_MODE: 'internal' }),
		};
		const server = await startN8n({ host, userFolder, port, env });
		await server.rest.setUpOwner(owner);
		return server;
	});
	return { n8n, sandbox, owner };
}

async function openUserFolder(
	hostFolder: string,
	kept: string | undefined,
	cleanUps: DemoOptions['cleanUps'],
): Promise<string> {
	if (kept !== undefined) {
		const folder = path.resolve(kept);
		await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 });
		return folder;
	}
	const folder = await createUserFolder(hostFolder);
	cleanUps.push(async () => await removeUserFolder(folder));
	return folder;
}

/** Says what comes after the first results. */
export function describeNext({ sandbox }: DemoCrm): string {
	return [
		'Next: n8n itself, so that you can build workflows with these nodes. If it is not there yet, it is',
		'downloaded now. Meanwhile, look at the contacts, the message and the requests in the CRM:',
		`${sandbox.url}/`,
		'',
		'',
	].join('\n');
}

/** Says where everything is, and how to get in. */
export function describeAddresses({ n8n, sandbox, owner }: Demo): string {
	return [
		`n8n          ${n8n.url}`,
		`  sign in    ${owner.email}`,
		`  password   ${owner.password}  (a new one each time)`,
		`  import     ${n8n.url}/workflow/contactImportDemo`,
		`  sync       ${n8n.url}/workflow/scheduledSyncDemo`,
		`  trigger    ${n8n.url}/workflow/tagOnMessageDemo`,
		`CRM sandbox  ${sandbox.url}`,
		`  console    ${sandbox.url}/  (watch it, and act as a contact)`,
		`  API key    ${sandbox.apiKey}`,
		'  a message  ' +
			`curl -H 'content-type: application/json' -d '{"phone":"+4915112345678","text":"Hi"}' ${sandbox.url}/sandbox/inbound-message`,
		'',
		'Ctrl-C ends both.',
		'',
	].join('\n');
}
