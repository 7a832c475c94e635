const { ModuleMocker } = require('jest-mock');

/** To these, jest-circus adds those of each file. */
const circusHandlers = Symbol.for('EVENT_HANDLERS');

/**
 * Runs tests in Node's own context instead of one of `node:vm`, in which each use of a global such as
 * `Math` is slow, and which packages would have to be loaded into again for each file.
 */
module.exports = class {
	global = globalThis;

	moduleMocker = new ModuleMocker(globalThis);

	fakeTimers = null;

	fakeTimersModern = null;

	#keys = new Set(Reflect.ownKeys(globalThis));

	#console = console;

	#exit = process.exit;

	constructor() {
		this.#keys.delete(circusHandlers);
		delete globalThis[circusHandlers];
	}

	/** Jest asks for it, and `runtime.cjs` does without. */
	getVmContext() {
		return {};
	}

	async setup() {}

	/** What a file has put into packages and the global object goes with it. */
	async teardown() {
		this.moduleMocker.restoreAllMocks();
		const added = Reflect.ownKeys(globalThis).filter((key) => !this.#keys.has(key));
		for (const key of added) Reflect.deleteProperty(globalThis, key);
		globalThis.console = this.#console;
		process.exit = this.#exit;
	}
};
