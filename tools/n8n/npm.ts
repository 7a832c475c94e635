import { process } from '../support/platform';
import { runProcess } from './processes';

/**
 * Settings that `npm run` hands down from the project's own .npmrc. They would overrule those of
 * the folder that npm is to work in, and with `ignore_scripts` nothing could be built.
 */
const inheritedSettings =
	/^npm_(package_|lifecycle_|command$|config_(ignore_scripts|legacy_peer_deps|local_prefix|global_prefix|prefix)$)/i;

/** The environment for an npm that works in a folder other than this project's. */
export function npmEnvironment(additions: Record<string, string> = {}): Record<string, string> {
	const env: Record<string, string> = {};
	for (const [name, value] of Object.entries(process.env)) {
		if (value !== undefined && !inheritedSettings.test(name)) env[name] = value;
	}
	return { ...env, ...additions };
}

/** Runs npm in a folder and returns what it printed. */
export async function runNpm(folder: string, args: string[]): Promise<string> {
	// tools that see CI leave out their spinners, which would fill what is shown when they fail
	return await runProcess('npm', args, { cwd: folder, env: npmEnvironment({ CI: 'true' }) });
}
