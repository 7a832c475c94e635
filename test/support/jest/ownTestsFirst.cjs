const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Runs the tests of a changed module first: they notice most changes. */
module.exports = class extends Sequencer {
	constructor(options) {
		super(options);
		const [file = ''] = options.globalConfig.nonFlagArgs;
		this.own = `${path.basename(file, '.ts')}.test.ts`;
	}

	async sort(tests) {
		const all = await super.sort(tests);
		const isOwn = ({ path: file }) => path.basename(file) === this.own;
		return [...all.filter(isOwn), ...all.filter((test) => !isOwn(test))];
	}
};
