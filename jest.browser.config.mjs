/**
 * The tests of our nodes in n8n's editor, in Chromium: `npm run test:browser`. They install n8n when
 * it is missing, and say so when Chromium is.
 *
 * @type {import('jest').Config}
 */
export default {
	testEnvironment: 'node',
	roots: ['<rootDir>/test/browser'],
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
	testTimeout: 300_000,
	maxWorkers: 1,
};
