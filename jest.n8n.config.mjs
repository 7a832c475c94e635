/**
 * The tests in a real, pinned n8n: `npm run test:n8n`. They install it when it is missing.
 *
 * @type {import('jest').Config}
 */
export default {
	testEnvironment: 'node',
	roots: ['<rootDir>/test/n8n'],
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
	// The first one may install n8n; none takes long after that.
	testTimeout: 300_000,
	maxWorkers: 1,
};
