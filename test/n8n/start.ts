import { fs, path, process } from '../support/platform';
import { startSandbox, type Sandbox } from '../sandbox';
import { findDeviations, runContactImport } from './contactImport';
import { ensureHost } from './installHost';
import { launcherGone } from './launcher';
import { importCredentials, importWorkflows } from './n8nCli';
import { startN8n, type N8nServer } from './n8nServer';
import { installPackage, packPackage } from './packPackage';
import { examplesFolder } from './paths';
import { choosePort } from './ports';
import { PrerequisiteError } from './prerequisites';
import { CommandError, stopAllProcesses } from './processes';
import { createProgressPrinter, type ProgressEvent, withProgress } from './progress';
import { describeImport, describeSync, describeTagOnMessage } from './report';
import { findSyncDeviations, runScheduledSync } from './scheduledSync';
import { readArguments, type Arguments, usualN8nPort, usualSandboxPort } from './startArguments';
import { findTagDeviations, runTagOnMessage } from './tagOnMessage';
import { createUserFolder, removeUserFolder } from './userFolders';

const contactsToBeginWith = 200;

/** The address under which the sandbox knows n8n; real services accept public https only. */
const publicUrl = 'https://n8n.demo.example.com';

const owner = {
	email: 'demo@example.com',
	firstName: 'Demo',
	lastName: 'Owner',
	password: 'Workspace-CRM-1',
};

const cleanUps: Array<() => Promise<void>> = [];
const showProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));
let isStopping = false;

function print(text: string): void {
	process.stdout.write(text);
}

function onProgress(event: ProgressEvent): void {
	// what is ended halfway has not failed
	if (!isStopping) showProgress(event);
}

/** Installs, builds and starts everything. */
async function startDemo(args: Arguments): Promise<{ n8n: N8nServer; sandbox: Sandbox }> {
	const port = await choosePort(args.port, usualN8nPort, '--port');
	const sandboxPort = await choosePort(args.sandboxPort, usualSandboxPort, '--sandbox-port');
	const host = await ensureHost({ onProgress });
	const userFolder = await openUserFolder(host.folder, args.data);

	const archive = await packPackage({ onProgress });
	await withProgress('Installing it in n8n', onProgress, async () => {
		await installPackage(archive, userFolder);
		await fs.promises.rm(path.dirname(archive), { recursive: true });
	});

	const sandbox = await startSandbox({
		port: sandboxPort,
		contacts: contactsToBeginWith,
		publicHosts: { [publicUrl]: `http://127.0.0.1:${port}` },
	});
	cleanUps.push(async () => await sandbox.close());

	await withProgress('Importing the credential and the examples', onProgress, async () => {
		const cli = { host, userFolder };
		const data = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' };
		await importCredentials(cli, [
			{ id: 'workspaceCrmDemo', name: 'Workspace CRM', type: 'workspaceCrmApi', data },
		]);
		await importWorkflows(cli, examplesFolder);
	});

	const n8n = await withProgress(`Starting n8n ${host.version}`, onProgress, async () => {
		const env = {
			WEBHOOK_URL: publicUrl,
			N8N_EDITOR_BASE_URL: `http://127.0.0.1:${port}`,
			// a person may want to try a Code node; --once has none
			...(!args.once && { N8N_RUNNERS_MODE: 'internal' }),
		};
		const server = await startN8n({ host, userFolder, port, env });
		await server.rest.setUpOwner(owner);
		return server;
	});
	return { n8n, sandbox };
}

async function openUserFolder(hostFolder: string, kept: string | undefined): Promise<string> {
	if (kept !== undefined) {
		const folder = path.resolve(kept);
		await fs.promises.mkdir(folder, { recursive: true });
		return folder;
	}
	const folder = await createUserFolder(hostFolder);
	cleanUps.push(async () => await removeUserFolder(folder));
	return folder;
}

/** Runs the examples. Gives whether they did exactly what they should. */
async function showExamples({ n8n, sandbox }: { n8n: N8nServer; sandbox: Sandbox }) {
	const imported = await withProgress(
		'Running examples/contact-import.json',
		onProgress,
		async () => await runContactImport(n8n.rest, sandbox),
	);
	const synced = await withProgress(
		'Running examples/scheduled-sync.json twice',
		onProgress,
		async () => await runScheduledSync(n8n.rest, sandbox),
	);
	const tagged = await withProgress(
		'Publishing examples/tag-on-message.json, and writing a message in the sandbox',
		onProgress,
		async () => await runTagOnMessage(n8n.rest, sandbox),
	);
	const results = [describeImport(imported), describeSync(synced), describeTagOnMessage(tagged)];
	print(`\n${results.join('\n\n')}\n\n`);
	const deviations = [
		...findDeviations(imported),
		...findSyncDeviations(synced),
		...findTagDeviations(tagged),
	];
	if (deviations.length > 0) print(`Not as expected: ${deviations.join('; ')}\n`);
	return deviations.length === 0;
}

function describeAddresses({ n8n, sandbox }: { n8n: N8nServer; sandbox: Sandbox }): string {
	return [
		`n8n          ${n8n.url}`,
		`  sign in    ${owner.email}`,
		`  password   ${owner.password}`,
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

/** Gives the exit code. */
async function run(args: Arguments): Promise<number> {
	const demo = await startDemo(args);
	const isAsExpected = await showExamples(demo);
	if (args.once) {
		print(isAsExpected ? 'As expected.\n' : '');
		return isAsExpected ? 0 : 1;
	}
	print(describeAddresses(demo));
	await demo.n8n.ended;
	if (!isStopping) print(`n8n ended by itself:\n${demo.n8n.logs}\n`);
	return 1;
}

/** Resolves when a person, or the system, wants us to end. */
async function stopRequested(): Promise<number> {
	return await new Promise((resolve) => {
		// 128 and the signal's number, as shells do; Ctrl-C is the regular way to end the demo
		process.on('SIGINT', () => resolve(130));
		process.on('SIGTERM', () => resolve(143));
		process.on('SIGHUP', () => resolve(129));
		void launcherGone().then(() => resolve(143));
	});
}

async function runUntilStopped(): Promise<number> {
	const args = readArguments();
	const stopped = stopRequested().then((exitCode) => {
		isStopping = true;
		print('\nStopping …\n');
		return exitCode;
	});
	try {
		return await Promise.race([run(args), stopped]);
	} catch (error) {
		const isClear = error instanceof PrerequisiteError || error instanceof CommandError;
		print(`\n${isClear ? error.message : (error as Error).stack}\n`);
		return 1;
	} finally {
		await stopAllProcesses();
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	}
}

void runUntilStopped().then((exitCode) => process.exit(exitCode));
