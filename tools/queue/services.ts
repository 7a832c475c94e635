import { findFreePort } from '../n8n/ports';
import { poll } from '../n8n/poll';
import { PrerequisiteError } from '../n8n/prerequisites';
import { runProcess, startProcess, type OwnedProcess } from '../n8n/processes';
import { fs, net, once, os, path, process } from '../support/platform';

export type Services = Awaited<ReturnType<typeof startServices>>;

export const POSTGRES_USER = 'n8n';
export const POSTGRES_DATABASE = 'postgres';

const host = '127.0.0.1';
const debianPackages = ['redis-server', 'postgresql'];
const debianPostgresFolder = '/usr/lib/postgresql';
const readyTimeoutMs = 30_000;
const isRoot = () => process.getuid?.() === 0;

/** Starts Redis and PostgreSQL on free ports, with their data in a temporary folder; installs them if possible. */
export async function startServices() {
	const { redis, postgresFolder } = await ensureInstalled();
	const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), 'workspace-crm-queue-'));
	// another user's process has to get through to its own folder below
	await fs.promises.chmod(folder, 0o755);
	const [redisPort, postgresPort] = [await findFreePort(), await findFreePort()];
	const started: OwnedProcess[] = [];
	const stop = async () => {
		for (const each of started.reverse()) await each.stop();
		await fs.promises.rm(folder, { recursive: true, force: true });
	};
	const starting = async () => {
		started.push(startRedis(redis, folder, redisPort));
		started.push(await startPostgres(postgresFolder, folder, postgresPort));
		for (const port of [redisPort, postgresPort]) await untilListening(port, started);
	};
	await starting().catch(async (error: unknown) => {
		await stop();
		return await Promise.reject(error);
	});
	return { redisPort, postgresPort, stop };
}

interface Installed {
	redis: string;
	/** With the programs of the newest PostgreSQL. */
	postgresFolder: string;
}

async function ensureInstalled(): Promise<Installed> {
	const found = await findInstalled();
	if (found) return found;
	const install = `apt-get install -y --no-install-recommends ${debianPackages.join(' ')}`;
	if (isRoot() && (await findProgram('apt-get'))) {
		// without a run level, what is installed is not started as a service
		const env = { ...plainEnv(), DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
		await runProcess('sh', ['-c', install], { cwd: os.tmpdir(), env });
		const installed = await findInstalled();
		if (installed) return installed;
	}
	throw new PrerequisiteError(
		`Redis and PostgreSQL are needed. Debian and Ubuntu: sudo ${install}. Nothing else has to be set up.`,
	);
}

async function findInstalled(): Promise<Installed | undefined> {
	const redis = await findProgram('redis-server');
	const versions = await fs.promises.readdir(debianPostgresFolder).catch(() => []);
	const [newest] = versions.sort((a, b) => Number(b) - Number(a));
	const inDebian = newest && path.join(debianPostgresFolder, newest, 'bin');
	const initdb = await findProgram('initdb');
	const postgresFolder = inDebian ?? (initdb && path.dirname(initdb));
	return redis && postgresFolder ? { redis, postgresFolder } : undefined;
}

async function findProgram(name: string): Promise<string | undefined> {
	const child = startProcess('sh', ['-c', `command -v ${name}`], { cwd: '/', env: plainEnv() });
	return (await child.ended) === 0 ? child.stdout().trim() : undefined;
}

const plainEnv = () => ({ PATH: `${process.env.PATH}:/usr/sbin:/sbin`, LC_ALL: 'C.UTF-8' });

function startRedis(program: string, folder: string, port: number): OwnedProcess {
	const settings = ['--bind', host, '--port', String(port), '--dir', folder, '--save', ''];
	return startProcess(program, settings, { cwd: folder, env: plainEnv() });
}

/** PostgreSQL refuses to work for root, so then it is started for the user Debian made for it. */
async function startPostgres(programs: string, folder: string, port: number) {
	const data = path.join(folder, 'postgres');
	const asUser = isRoot()
		? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups']
		: [];
	const options = { cwd: '/', env: plainEnv() };
	const owner = isRoot() ? ['-o', 'postgres'] : [];
	await runProcess('install', ['-d', '-m', '700', ...owner, data], options);

	const command = (program: string, args: string[]): [string, string[]] => {
		const [first, ...others] = [...asUser, path.join(programs, program), ...args];
		return [first, others];
	};
	const set = ['-D', data, '-U', POSTGRES_USER, '--auth=trust', '--encoding=UTF8', '--no-locale'];
	await runProcess(...command('initdb', set), options);
	const settings = [`listen_addresses=${host}`, 'unix_socket_directories=', 'max_connections=200'];
	const args = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])];
	return startProcess(...command('postgres', args), options);
}

async function untilListening(port: number, processes: OwnedProcess[]): Promise<void> {
	const isListening = async () => {
		const dead = processes.find((each) => each.hasEnded());
		if (dead) throw new Error(`A service ended while starting:\n${dead.output()}`);
		const socket = net.connect(port, host);
		const connected = once(socket, 'connect').then(
			() => true,
			() => false,
		);
		return await connected.finally(() => socket.destroy());
	};
	await poll(isListening, Boolean, `a service to listen on port ${port}`, readyTimeoutMs);
}
