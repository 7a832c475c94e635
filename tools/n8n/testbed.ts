import { signatureOf, startSandbox, type Sandbox, type Subscription } from '../sandbox';
import { fs, path } from '../support/platform';
import { ensureHost } from './installHost';
import { importWorkflows } from './n8nCli';
import { startN8n, type N8nServer } from './n8nServer';
import { createOwner } from './owner';
import { examplesFolder } from './paths';
import { poll } from './poll';
import { findFreePort } from './ports';
import { CREDENTIALS, createPreparedFolder } from './preparedFolder';
import { removeUserFolder } from './userFolders';

/** The address under which the service reaches this n8n; the sandbox maps it, as a proxy would. */
export const PUBLIC_URL = 'https://n8n.example.com';

/** A real n8n with our package installed as users do it, and a sandbox that it works with. */
export interface Testbed {
	sandbox: Sandbox;
	/** Public origin to local origin, as a reverse proxy would map them; may be added to. */
	publicHosts: Record<string, string>;
	/** Holds all that n8n stores. */
	userFolder: string;
	/** The n8n that runs at the moment. */
	n8n: N8nServer;
	/**
	 * Ends n8n, orderly or as a crash would, and starts it again on the same data, without its editor.
	 *
	 * `leaseSeconds`: after how long the new n8n takes up what the old one was publishing or
	 * unpublishing. `env`: other environment variables than before, until the next restart.
	 */
	restart(
		how: 'stop' | 'kill',
		options?: { leaseSeconds?: number; env?: Record<string, string> },
	): Promise<void>;
	close(): Promise<void>;
}

export interface TestbedOptions {
	/** How many contacts the sandbox begins with. Default 0. */
	contacts?: number;
	/** Whether the workflows of `examples/` are there, with the credential that they name. */
	hasExamples?: boolean;
	/** Whether n8n serves its editor, and the list of its nodes. Then it takes longer to start. */
	hasEditor?: boolean;
	/** More environment variables for n8n. */
	env?: Record<string, string>;
}

/** Starts both. Expects `dist` to be built. */
export async function startTestbed({
	contacts = 0,
	hasExamples = false,
	hasEditor = false,
	env: moreEnv,
}: TestbedOptions = {}): Promise<Testbed> {
	const host = await ensureHost();
	const userFolder = await createPreparedFolder(host);
	const port = await findFreePort();
	const publicHosts: Record<string, string> = { [PUBLIC_URL]: `http://127.0.0.1:${port}` };
	const sandbox = await startSandbox({
		publicHosts,
		limiter: { kind: 'off' },
		contacts,
		// The service's own ten seconds are too short for an n8n on a busy machine.
		deliveryTimeoutMs: 240_000,
	});
	if (hasExamples) await importWorkflows({ host, userFolder }, examplesFolder);

	const owner = createOwner();
	const start = async (leaseSeconds = 120, otherEnv: Record<string, string> = {}) => {
		const env = {
			WEBHOOK_URL: PUBLIC_URL,
			N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: String(leaseSeconds),
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
			...moreEnv,
			...otherEnv,
		};
		return await startN8n({ host, userFolder, port, env });
	};
	// Without its editor, n8n starts in three quarters of the time.
	const withoutEditor = { N8N_DISABLE_UI: 'true' };
	const startAgain = async (leaseSeconds?: number, env?: Record<string, string>) => {
		const n8n = await start(leaseSeconds, { ...withoutEditor, ...env });
		await n8n.rest.signIn(owner.email, owner.password).catch(async (error: unknown) => {
			await n8n.kill();
			throw error;
		});
		return n8n;
	};
	const first = await start(undefined, hasEditor ? {} : withoutEditor);
	// Without its editor, n8n does not say whether it has an owner; here it has none.
	if (hasEditor) await first.rest.setUpOwner(owner);
	else await first.rest.post('/owner/setup', owner);
	await first.rest.setCredential(CREDENTIALS.tests, sandbox);
	if (hasExamples) await first.rest.setCredential(CREDENTIALS.examples, sandbox);
	else await first.rest.request('DELETE', `/credentials/${CREDENTIALS.examples}`);
	const testbed: Testbed = {
		sandbox,
		publicHosts,
		userFolder,
		n8n: first,
		async restart(how, { leaseSeconds, env } = {}) {
			await testbed.n8n[how]();
			// If n8n finds this file at its start, it sleeps for ten seconds, and then continues as always.
			await fs.promises.rm(path.join(userFolder, '.n8n', 'crash.journal'), { force: true });
			// After a kill at some moments, n8n 2.41 ends at its next start, while it recovers executions. A supervisor
			// would then start it once more.
			const again = async () => await startAgain(leaseSeconds, env);
			testbed.n8n = await again().catch(again);
		},
		async close() {
			await testbed.n8n.stop();
			await sandbox.close();
			await removeUserFolder(userFolder);
		},
	};
	return testbed;
}

/** Sends a signed body to the URL of a subscription. Returns the status, or 0 if n8n did not answer. */
export async function deliver(
	{ n8n }: Testbed,
	{ url, secret }: Pick<Subscription, 'url' | 'secret'>,
	body: string,
	headers: Record<string, string> = {},
	timeoutMs = 60_000,
): Promise<number> {
	const signature = { 'x-service-signature': signatureOf(body, secret) };
	return await fetch(url.replace(PUBLIC_URL, n8n.url), {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...signature, ...headers },
		body,
		signal: AbortSignal.timeout(timeoutMs),
	}).then(
		({ status }) => status,
		() => 0,
	);
}

/** Waits until a value is as expected, and returns it. Otherwise, the error names the condition. */
export async function eventually<T>(
	read: () => Promise<T> | T,
	isSo: (value: T) => boolean,
): Promise<T> {
	return await poll(read, isSo, String(isSo));
}
