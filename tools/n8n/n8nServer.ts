import { delay } from '../support/platform';
import type { Host } from './installHost';
import { n8nEnvironment } from './n8nEnvironment';
import { N8nRestClient } from './n8nRestClient';
import { N8n1RestClient, OlderRestClient } from './olderRestClient';
import { findFreePort } from './ports';
import { type OwnedProcess, startProcess } from './processes';

export interface N8nOptions {
	host: Host;
	/** Holds n8n's database, settings and community packages. */
	userFolder: string;
	/** The default is any free port. */
	port?: number;
	/** More environment variables, or other values. */
	env?: Record<string, string>;
	/** What to start, such as `webhook` or `worker`. The default is all in one. */
	command?: string[];
}

export type N8nServer = Awaited<ReturnType<typeof startN8n>>;

const startTimeoutMs = 180_000;
const pollMs = 200;

/** Starts n8n as a server and resolves once it is ready to work. */
export async function startN8n(options: N8nOptions) {
	const { host, userFolder, env = {}, command = ['start'] } = options;
	const port = options.port ?? (await findFreePort());
	const url = `http://127.0.0.1:${port}`;
	const child = startProcess(host.nodePath, [host.n8nPath, ...command], {
		// n8n reads a .env file from the folder it is started in
		cwd: userFolder,
		env: n8nEnvironment(host, {
			userFolder,
			brokerPort: await findFreePort(),
			env: { N8N_PORT: String(port), ...env },
		}),
	});
	await waitUntilReady(url, child, command.includes('start'));
	return {
		/** The process id. */
		pid: child.pid,
		url,
		port,
		rest: restClientFor(host.version, url),
		/** Everything n8n wrote so far, to either stream. */
		get logs() {
			return child.output();
		},
		/** Resolves when it has ended, for whatever reason. */
		ended: child.ended,
		/** Ends it as an administrator would. */
		stop: async () => await child.stop(),
		/** Ends it as a crash would. */
		kill: async () => await child.kill(),
	};
}

function restClientFor(version: string, url: string): N8nRestClient {
	if (version.startsWith('1.')) return new N8n1RestClient(url);
	return version.startsWith('2.0.') ? new OlderRestClient(url) : new N8nRestClient(url);
}

/** @param hasRest whether it answers the editor's requests. n8n 1.x can report that it is ready before it does. */
async function waitUntilReady(url: string, child: OwnedProcess, hasRest: boolean): Promise<void> {
	const statusOf = async (path: string) =>
		await fetch(url + path).then(
			({ status }) => status,
			() => 0,
		);
	const deadlineMs = Date.now() + startTimeoutMs;
	while (Date.now() < deadlineMs) {
		if (child.hasEnded()) throw new Error(`n8n ended while starting:\n${child.output()}`);
		// not only alive: with its database migrated, its nodes loaded and REST in place
		const isReady = (await statusOf('/healthz/readiness')) === 200;
		if (isReady && (!hasRest || (await statusOf('/rest/login')) !== 404)) return;
		await delay(pollMs);
	}
	await child.kill();
	throw new Error(`n8n was not ready after ${startTimeoutMs / 1_000} s:\n${child.output()}`);
}
