import { randomBytes } from 'node:crypto';
import { fs, path, process } from '../support/platform';
import type { Host } from './installHost';

/** What n8n may see of our environment. A user's own n8n settings are not passed on. */
const passedOn = ['LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

export interface EnvironmentOptions {
	/** Holds everything that n8n writes. */
	userFolder: string;
	/** n8n always opens this port as well, for the helpers that run Code nodes. */
	brokerPort: number;
	/** More variables, or other values. */
	env?: Record<string, string>;
}

/** The environment in which the pinned n8n keeps to itself: own data, own ports, no calls out. */
export function n8nEnvironment(host: Host, options: EnvironmentOptions): Record<string, string> {
	const { userFolder, brokerPort, env = {} } = options;
	const inherited = passedOn.flatMap((name) => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value]];
	});
	return {
		...(Object.fromEntries(inherited) as Record<string, string>),
		PATH: [path.dirname(host.nodePath), process.env.PATH].join(path.delimiter),
		// n8n keeps a cache in the home folder, which two versions of it would share
		HOME: userFolder,
		N8N_USER_FOLDER: userFolder,
		NO_COLOR: '1',
		NODE_ENV: 'production',
		// most of a start is loading n8n's code, and this keeps it compiled
		NODE_COMPILE_CACHE: path.join(host.folder, 'compile-cache'),

		N8N_HOST: '127.0.0.1',
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		// some browsers refuse a secure cookie over plain http, even on this machine
		N8N_SECURE_COOKIE: 'false',

		// no helper processes for Code nodes unless someone asks for them
		N8N_RUNNERS_MODE: 'external',
		N8N_RUNNERS_AUTH_TOKEN: randomBytes(16).toString('hex'),

		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		// one asks n8n's own service for a list at each start, the other greets with an advertisement
		...disabledModules(host),
		// newer versions of n8n load packages such as ours only when told to
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',

		// by default, n8n takes its database for lost if it does not answer within 5 seconds on a busy machine, and
		// then answers every request with 503
		DB_PING_TIMEOUT_MS: '120000',
		...env,
	};
}

/** Those of these modules that this n8n has. A name that it does not know ends it. */
function disabledModules({ folder }: Host): Record<string, string> {
	const modules = path.join(folder, 'node_modules/n8n/dist/modules');
	const known = ['mcp-registry', 'instance-ai'].filter((name) =>
		fs.existsSync(path.join(modules, name)),
	);
	return known.length > 0 ? { N8N_DISABLED_MODULES: known.join(',') } : {};
}
