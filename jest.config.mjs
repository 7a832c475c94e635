/**
 * The tests, by what they need. `npx jest test/workflow/paging` runs one file, whatever it needs.
 *
 * @type {import('jest').Config}
 */
export default {
	// Long, for slow machines: only what hangs waits for it. Jest takes no other one from a project.
	testTimeout: 120_000,
	projects: [
		// Nothing but this repository: `npm test`. A quarter of the time they wait, so it runs three processes on
		// two processors; the larger young generation saves collections of garbage.
		project('fast', ['unit', 'workflow', 'faults', 'package'], {
			setupFiles: ['<rootDir>/test/support/oneStorage.cjs', '<rootDir>/test/support/quietLogs.ts'],
		}),
		// A real, pinned n8n, which they install when it is missing: `npm run test:n8n`.
		project('n8n', ['n8n'], longTimeout()),
		// The same, and Chromium: our nodes in n8n's editor. `npm run test:browser`.
		project('browser', ['browser'], longTimeout()),
	],
};

function project(displayName, folders, settings) {
	return {
		displayName,
		testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
		runtime: '<rootDir>/test/support/jest/runtime.cjs',
		roots: folders.map((name) => `<rootDir>/test/${name}`),
		transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
		setupFiles: ['<rootDir>/test/support/oneStorage.cjs'],
		...settings,
	};
}

function longTimeout() {
	return { setupFilesAfterEnv: ['<rootDir>/test/support/longTimeout.ts'] };
}
