/** @type {import('jest').Config} */
export default {
	testEnvironment: 'node',
	roots: ['<rootDir>/test/unit', '<rootDir>/test/workflow', '<rootDir>/test/package'],
	transform: { '\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' } }] },
	testTimeout: 30_000,
};
