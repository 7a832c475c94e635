import { net, once } from '../support/platform';
import { PrerequisiteError } from './prerequisites';

const host = '127.0.0.1';

/** A port that nothing listens on at the moment. */
export async function findFreePort(): Promise<number> {
	const port = await tryPort(0);
	if (port === undefined) throw new Error('No free port');
	return port;
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

async function tryPort(port: number): Promise<number | undefined> {
	const server = net.createServer();
	server.listen(port, host);
	try {
		await once(server, 'listening');
	} catch {
		return undefined;
	}
	const address = server.address();
	server.close();
	await once(server, 'close');
	return typeof address === 'object' ? address?.port : undefined;
}
