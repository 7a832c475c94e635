const { mkdirSync, readdirSync } = require('node:fs');
const path = require('node:path');
const { home, root } = require('./bundled.cjs');

/**
 * Before all tests of `npm run test:bundle`: bundles our code as the package has it, by the same script. Only, these
 * files also export each module that they hold, by its path.
 */
module.exports = async () => {
	mkdirSync(`${home}/domain`, { recursive: true });
	const { bundleOwnCode } = await import(`${root}/scripts/bundle.mjs`);
	const modules = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(`${root}/${folder}`, { recursive: true })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/').replace(/\.ts$/, ''))),
	);
	const loaded = modules.filter((module) => /\.(node|credentials)$/.test(module));
	const contents = loaded.map((module) => `export * from './${module}';`).join('\n');
	await bundleOwnCode(contents, home, modules);
};
