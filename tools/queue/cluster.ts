import { randomBytes } from 'node:crypto';

import { ensureHost } from '../n8n/installHost';
import { startN8n, type N8nServer } from '../n8n/n8nServer';
import { createOwner } from '../n8n/owner';
import { installPackage, packPackage } from '../n8n/packPackage';
import { findFreePort } from '../n8n/ports';
import { PUBLIC_URL } from '../n8n/testbed';
import { createUserFolder, removeUserFolder } from '../n8n/userFolders';
import { startSandbox, type Sandbox } from '../sandbox';
import { fs, path } from '../support/platform';
import { startBalancer, type Balancer } from './balancer';
import { POSTGRES_DATABASE, POSTGRES_USER, startServices, type Services } from './services';

/** n8n in queue mode: a main process, two webhook processors and two workers. */
export interface Cluster {
	sandbox: Sandbox;
	main: N8nServer;
	processors: N8nServer[];
	workers: N8nServer[];
	/** Between the service and the webhook processors. */
	balancer: Balancer;
	credentialId: string;
	/** Ends the main process as a crash would. */
	killMain(): Promise<void>;
	/** Starts it again on the same data. */
	startMain(): Promise<void>;
	close(): Promise<void>;
}

/** Starts all of it. Expects `dist` to be built. */
export async function startCluster(): Promise<Cluster> {
	const cleanUps: Array<() => Promise<unknown>> = [];
	const close = async () => {
		for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
	};
	return await start(cleanUps, close).catch(async (error: unknown) => {
		await close();
		return await Promise.reject(error);
	});
}

async function start(
	cleanUps: Array<() => Promise<unknown>>,
	close: () => Promise<void>,
): Promise<Cluster> {
	const host = await ensureHost();
	const services = await startServices();
	cleanUps.push(services.stop);
	const archive = await packPackage();
	cleanUps.push(async () => await fs.promises.rm(path.dirname(archive), { recursive: true }));
	const env = sharedSettings(services);
	const processes: N8nServer[] = [];
	const userFolders: string[] = [];
	cleanUps.push(async () => {
		await Promise.all(processes.map(async (each) => await each.stop()));
		for (const each of userFolders) await removeUserFolder(each);
	});

	/** Each process has files of its own, as if it ran on a machine of its own. */
	const startProcess = async (command: string[], more: Record<string, string> = {}) => {
		const userFolder = await createUserFolder(host.folder);
		userFolders.push(userFolder);
		await installPackage(archive, userFolder);
		const port = await findFreePort();
		const health = { QUEUE_HEALTH_CHECK_PORT: String(port), ...more };
		const options = { host, userFolder, port, command, env: { ...env, ...health } };
		const n8n = await startN8n(options);
		processes.push(n8n);
		return n8n;
	};
	const owner = createOwner();
	const startMain = async () => {
		// As in n8n's documentation, only the main process knows the public address.
		const main = await startProcess(['start'], { WEBHOOK_URL: PUBLIC_URL });
		await main.rest.setUpOwner(owner);
		return main;
	};

	// The first one makes the tables that the others need.
	const main = await startMain();
	const processors = [await startProcess(['webhook']), await startProcess(['webhook'])];
	// One job at a time each, so that of two jobs each worker gets one.
	const worker = ['worker', '--concurrency=1'];
	// An execution that waits tells the service where its n8n can be reached.
	const address = { WEBHOOK_URL: PUBLIC_URL };
	const workers = [await startProcess(worker, address), await startProcess(worker, address)];

	const balancer = await startBalancer(processors.map(({ url }) => url));
	cleanUps.push(balancer.close);
	const publicHosts = { [PUBLIC_URL]: balancer.url };
	const sandbox = await startSandbox({ publicHosts, limiter: { kind: 'off' } });
	cleanUps.push(sandbox.close);
	const cluster: Cluster = {
		sandbox,
		main,
		processors,
		workers,
		balancer,
		credentialId: await main.rest.createCredential('CRM', 'workspaceCrmApi', {
			baseUrl: sandbox.url,
			apiKey: sandbox.apiKey,
			authHeader: 'bearer',
		}),
		killMain: async () => await cluster.main.kill(),
		async startMain() {
			cluster.main = await startMain();
		},
		close,
	};
	return cluster;
}

/** What all processes of one n8n have in common. */
function sharedSettings({ redisPort, postgresPort }: Services): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redisPort),
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgresPort),
		DB_POSTGRESDB_DATABASE: POSTGRES_DATABASE,
		DB_POSTGRESDB_USER: POSTGRES_USER,
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
		N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '500',
	};
}
