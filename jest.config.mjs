/**
 * The tests, grouped by what they need. `npx jest test/workflow/paging` runs a single file of any group.
 *
 * @type {import('jest').Config}
 */
export default {
	// Long, for slow machines: only a test that hangs waits for it. Jest ignores a project's own timeout.
	testTimeout: 120_000,
	projects: [
		// Need only this repository: `npm test`. They wait a quarter of the time, so three processes run on two
		// processors; the larger young generation saves garbage collections.
		project('fast', ['unit', 'workflow', 'faults', 'package'], {
			setupFiles: ['<rootDir>/test/support/oneStorage.cjs', '<rootDir>/tools/support/quietLogs.ts'],
		}),
		// Need a real, pinned n8n, and install it if it is missing: `npm run test:n8n`.
		project('n8n', ['n8n'], longTimeout()),
		// Also need Chromium, to test the nodes in n8n's editor: `npm run test:browser`.
		project('browser', ['browser'], longTimeout()),
	],
};

function project(displayName, folders, settings) {
	return {
		displayName,
		testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
		runtime: '<rootDir>/test/support/jest/runtime.cjs',
		roots: folders.map((name) => `<rootDir>/test/${name}`),
		transform: {
			'\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }],
		},
		setupFiles: ['<rootDir>/test/support/oneStorage.cjs'],
		...(process.env.CI && {
			moduleNameMapper: { '^fast-check$': '<rootDir>/test/support/sameValues.cjs' },
		}),
		...settings,
	};
}

function longTimeout() {
	return { setupFilesAfterEnv: ['<rootDir>/test/support/longTimeout.ts'] };
}
