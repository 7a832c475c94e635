import type { FastifyInstance } from 'fastify';
import { parseUrl } from '../../../nodes/WorkspaceCrm/crm/urls';
import { net } from '../../support/platform';
import { ApiError } from './api-error';

/** Listening on one of these means listening on every address of the machine; neither is a name. */
const everyAddress = ['0.0.0.0', '::'];

/** Whether nobody but this machine reaches what listens on an address. */
export const isLoopback = (address: string): boolean =>
	address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);

/** What clients may call a sandbox in their Host header, by where it listens. */
function ownHosts(address: string, port: number | undefined): string[] {
	const more = everyAddress.includes(address) ? [] : [address];
	return ['localhost', '127.0.0.1', '::1', ...more].map(
		(name) => new URL(`http://${net.isIPv6(name) ? `[${name}]` : name}:${port}`).host,
	);
}

/**
 * Keeps web pages away. A page can send requests to this machine too: from its own origin, or to a
 * name of its own that it makes point here.
 */
export function refuseWebPages(
	app: FastifyInstance,
	{ address, allowedHosts }: { address: string; allowedHosts: readonly string[] },
): void {
	app.addHook('onRequest', async ({ headers, socket }) => {
		const { host = '', origin } = headers;
		const asked = host.toLowerCase();
		if (![...ownHosts(address, socket.localPort), ...allowedHosts].includes(asked)) {
			throw new ApiError(
				403,
				`'${host}' is not a name of this sandbox; to make it one, start with --allow-host ${host}`,
			);
		}
		if (origin !== undefined && parseUrl(origin)?.host !== asked) {
			throw new ApiError(403, `web pages of '${origin}' have no access`);
		}
	});
}
