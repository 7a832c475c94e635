import { fs, path, process } from '../support/platform';

/**
 * Finds the compiler driver for native modules. The one inside npm comes first: the one that n8n's
 * database driver asks for cannot work with Python 3.12 or newer.
 */
export function findNodeGyp(hostFolder: string): string {
	const npmScript = process.env.npm_execpath;
	const candidates = [
		...(npmScript ? [path.join(path.dirname(npmScript), '../node_modules')] : []),
		path.join(path.dirname(process.execPath), '../lib/node_modules/npm/node_modules'),
		path.join(hostFolder, 'node_modules'),
	].map((folder) => path.join(folder, 'node-gyp/bin/node-gyp.js'));
	const found = candidates.find((file) => fs.existsSync(file));
	if (!found) throw new Error(`node-gyp is in none of these places:\n${candidates.join('\n')}`);
	return found;
}
