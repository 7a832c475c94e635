/**
 * The unit tests of the pure modules, for the mutation check: `npm run test:mutation`.
 *
 * @type {import('jest').Config}
 */
export default {
	testEnvironment: 'node',
	roots: ['domain', 'api', 'n8n', 'operations', 'resources', 'trigger', 'changes', 'webhooks'].map(
		(name) => `<rootDir>/test/unit/${name}`,
	),
	// Those of the limiter, of the editor's fields, and what takes long to prove what others show too.
	testPathIgnorePatterns: [
		'rateLimiter',
		'rateRule',
		'hints',
		'longLists',
		'properties',
		'alteredDeliveries',
	].map((name) => `/${name}\\.test\\.ts$`),
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
	dependencyExtractor: '<rootDir>/test/mutation/directImports.cjs',
	moduleNameMapper: { '^n8n-workflow$': '<rootDir>/test/mutation/n8nWorkflow.ts' },
	setupFiles: ['<rootDir>/test/support/oneStorage.cjs', '<rootDir>/test/mutation/sameValues.ts'],
	testTimeout: 5_000,
};
