const { cpSync, mkdirSync, readdirSync } = require('node:fs');
const path = require('node:path');
const { home, root } = require('./bundled.cjs');

/**
 * Before all tests of `npm run test:bundle`: bundles our code as the package has it, by the same script and with
 * the same files beside it. Only, this bundle exports each module by its path, and the package's the nodes alone.
 */
module.exports = async () => {
	mkdirSync(home, { recursive: true });
	cpSync(`${root}/dist/nodes/WorkspaceCrm/domain`, `${home}/domain`, { recursive: true });
	const { bundleOwnCode, SHARED } = await import(`${root}/scripts/bundle.mjs`);
	const modules = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(`${root}/${folder}`, { recursive: true })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/').replace(/\.ts$/, ''))),
	);
	const own = modules.filter(
		(module) => !SHARED.some((name) => module.endsWith(`/domain/${name}`)),
	);
	const exported = own.map((module) => `export * as '${module}' from './${module}';`);
	await bundleOwnCode(exported.join('\n'), `${home}/workspaceCrm.js`);
};
