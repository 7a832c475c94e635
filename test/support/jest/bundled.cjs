const { existsSync } = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '../../..');
const home = path.join(root, '.test-results/bundle');

/** In place of compiling one of our modules, takes it from the bundle, or from the files beside it. */
function codeOf(file) {
	const module = path.relative(root, file).replaceAll(path.sep, '/').replace(/\.ts$/, '');
	const beside = `${home}/domain/${path.basename(module)}.js`;
	if (module.includes('/domain/') && existsSync(beside)) return `require('${beside}')`;
	return `require('${home}/workspaceCrm.js')['${module}']`;
}

module.exports = {
	home,
	root,
	process: (_, file) => ({ code: `module.exports = ${codeOf(file)};` }),
};
