const { createHash } = require('node:crypto');
const path = require('node:path');

const root = path.resolve(__dirname, '../../..');
const home = path.join(root, '.test-results/bundle');

/** In place of compiling one of our modules, takes it from the file of the bundle that holds it. */
function codeOf(file) {
	const module = path.relative(root, file).replaceAll(path.sep, '/').replace(/\.ts$/, '');
	const pieces = ['workspaceCrm', 'running', 'domain/phone'].map(
		(piece) => `'${home}/${piece}.js'`,
	);
	return `[${pieces}].map((file) => require(file)['${module}']).find(Boolean)`;
}

module.exports = {
	home,
	root,
	process: (_, file) => ({ code: `module.exports = ${codeOf(file)};` }),
	/** Jest keeps the code, also for other versions of this file, so the key is all that the code depends on. */
	getCacheKey: (_, file) => createHash('sha256').update(codeOf(file)).digest('hex'),
};
