import { net, once, process } from '../support/platform';
import { PrerequisiteError } from './prerequisites';

const host = '127.0.0.1';

/** Each process has its own, so that those that run beside each other find different ports. */
const PER_PROCESS = 20;
/** From here to 31,000. Linux gives outgoing connections ports from 32,768 on, other systems from 49,152 on. */
const first = 11_000 + (process.pid % 1_000) * PER_PROCESS;
let found = 0;

/**
 * A port that nothing listens on, and that nobody gets before the caller uses it: neither an outgoing
 * connection, nor any of the next 19 callers.
 */
export async function findFreePort(): Promise<number> {
	for (let tries = 0; tries < PER_PROCESS; tries += 1) {
		const port = await tryPort(first + (found++ % PER_PROCESS));
		if (port !== undefined) return port;
	}
	throw new Error(`No free port from ${first} to ${first + PER_PROCESS - 1}`);
}

/**
 * The port that a person asked for; an error if it is taken. If they asked for none, the usual port, or any
 * free one if that is taken.
 */
export async function choosePort(
	wish: number | undefined,
	usual: number,
	option: string,
): Promise<number> {
	if (wish === undefined) return (await tryPort(usual)) ?? (await findFreePort());
	if ((await tryPort(wish)) === undefined) {
		throw new PrerequisiteError(`Port ${wish} is in use. Choose another one with ${option}.`);
	}
	return wish;
}

/** The port, unless something uses it. */
async function tryPort(port: number): Promise<number | undefined> {
	const server = net.createServer();
	server.listen(port, host);
	try {
		await once(server, 'listening');
	} catch {
		return undefined;
	}
	server.close();
	await once(server, 'close');
	return port;
}
