const { AsyncLocalStorage } = require('node:async_hooks');

/**
 * Jest makes an AsyncLocalStorage for each test file and never turns it off. In Node.js 20 and 22,
 * each promise goes through all that are on, so a worker gets slower with every file. This turns off
 * that of the file before.
 *
 * Seen in jest-circus 30.5, src/testExecutionContext.ts; its stores have the key `test`.
 */
const { prototype } = AsyncLocalStorage;
const last = Symbol.for('the storage of the last test file');

if (!(last in prototype)) {
	const { run } = prototype;
	prototype[last] = undefined;
	prototype.run = function (store, ...rest) {
		if (store && typeof store === 'object' && 'test' in store && prototype[last] !== this) {
			prototype[last]?.disable();
			prototype[last] = this;
		}
		return run.call(this, store, ...rest);
	};
}
