/**
 * What goes wrong, and what is sent to do harm: `npm run test:faults`, and with all pairs of
 * operations and faults `npm run test:faults:long`. They install n8n when it is missing.
 *
 * @type {import('jest').Config}
 */
export default {
	testEnvironment: 'node',
	roots: ['<rootDir>/test/faults'],
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
	globalSetup: '<rootDir>/test/faults/globalSetup.ts',
	globalTeardown: '<rootDir>/test/faults/globalTeardown.ts',
	testTimeout: 300_000,
	// One of them works with n8n, which mostly waits; the other one has the rest.
	maxWorkers: 2,
};
