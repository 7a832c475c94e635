import { tmpdir } from 'node:os';
import path from 'node:path';

/** Rules without requests or state, each guarded by unit tests of its own. */
const modules = [
	...['apiKey', 'records', 'urls'].map((name) => `crm/${name}`),
	...[
		'concurrency',
		'consent',
		'contactColumns',
		'defaultCountry',
		'json',
		'phone',
		'problem',
		'text',
		'time',
		'typedValues',
		'writtenPhone',
	].map((name) => `domain/${name}`),
	'resources/message/ask/waitLimit',
	'resources/message/ask/waitState',
];

/**
 * Changes these modules in small ways, and fails if their tests notice too few of the changes:
 * `npm run test:mutation`. It works on copies of the files.
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	mutate: modules.map((name) => `nodes/WorkspaceCrm/${name}.ts`),
	testRunner: 'jest',
	jest: {
		config: {
			testEnvironment: 'node',
			// Two try numbers of every country, which takes seconds: too long for each of a thousand mutants.
			testMatch: [
				'crm/{apiKey,authentication,records,urls}',
				'domain/!(everyCountry|misreadMobiles)',
				'resources/contact/sync/automaticMapping',
				'resources/message/ask/wait*',
			].map((names) => `<rootDir>/test/unit/${names}.test.ts`),
			transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
			testRunner: '<rootDir>/test/support/jest/jest-circus-until-failure.cjs',
			testSequencer: '<rootDir>/test/support/jest/ownTestsFirst.cjs',
			setupFiles: ['oneStorage.cjs', 'fewRuns.ts'].map((name) => `<rootDir>/test/support/${name}`),
		},
	},
	coverageAnalysis: 'perTest',
	concurrency: 2,
	timeoutMS: 15_000,
	// Some functions in these modules are tested in n8n's engine only, which this does not run.
	thresholds: { high: 85, low: 80, break: 75 },
	// A worker grows and slows down with each run.
	maxTestRunnerReuse: 200,
	ignorePatterns: ['/*', '!/docs', '!/examples', '!/nodes', '!/test', '!/tools', '!/package.json'],
	// Outside of the repository, because the linter would find the copies.
	tempDirName: path.join(tmpdir(), 'workspace-crm-mutation'),
	cleanTempDir: 'always',
	reporters: ['progress', 'clear-text', 'html'],
	clearTextReporter: { allowColor: false, allowEmojis: false, reportTests: false },
	htmlReporter: { fileName: '.test-results/mutation.html' },
	disableTypeChecks: true,
};
