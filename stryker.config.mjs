import { tmpdir } from 'node:os';
import path from 'node:path';

const source = 'nodes/WorkspaceCrm';

/**
 * The mutation check: `npm run test:mutation`. It runs on copies of the files, not on these.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	// The pure modules. The limiter is tested by simulations, which take too long to run so often.
	mutate: [
		`${source}/domain/*.ts`,
		`${source}/api/*.ts`,
		`!${source}/api/{rateLimiter,rateRule,fairQueue}.ts`,
		`${source}/n8n/clock.ts`,
		`${source}/operations/once.ts`,
		`${source}/resources/contactId.ts`,
		`${source}/trigger/filter.ts`,
		`${source}/webhooks/{deliveryOutput,signature}.ts`,
	],
	testRunner: 'jest',
	jest: { configFile: 'jest.mutation.config.mjs' },
	coverageAnalysis: 'perTest',
	concurrency: 2,
	timeoutMS: 5_000,
	timeoutFactor: 2,
	// A worker grows with each run, and gets slower.
	maxTestRunnerReuse: 200,
	ignorePatterns: ['/*', '!/nodes', '!/test', '!/package.json', '!/jest.mutation.config.mjs'],
	// Outside, because the linter would find the copies.
	tempDirName: path.join(tmpdir(), 'workspace-crm-mutation'),
	cleanTempDir: 'always',
	allowEmpty: false,
	reporters: ['progress', 'clear-text', 'json', 'html'],
	clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false },
	jsonReporter: { fileName: '.test-results/mutation.json' },
	htmlReporter: { fileName: '.test-results/mutation.html' },
	disableTypeChecks: true,
};
