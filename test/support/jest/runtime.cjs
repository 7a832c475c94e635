const { createRequire, isBuiltin } = require('node:module');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/**
 * Loads packages once for all test files of a worker, as Node does. Jest would load each package anew for
 * each file: of n8n-core alone that is 2,000 modules. Our own modules stay new for each file.
 *
 * Seen in jest-runtime 30.5.
 */
module.exports = class extends Runtime {
	constructor(...args) {
		super(...args);
		const { executor } = this;
		// In this context: see `environment.cjs`.
		executor.compile = (source, filename) =>
			compileFunction(source, executor.injectedModuleParameters, { filename });
	}

	requireModuleOrMock(from, name) {
		const isPackage = /^[^./]/.test(name) && !isBuiltin(name) && name !== '@jest/globals';
		return isPackage ? createRequire(from)(name) : super.requireModuleOrMock(from, name);
	}
};
