const { createEmptyTestResult } = require('@jest/test-result');
const { default: runFile } = require('jest-circus/runner');

/** The names of the tests in each file that has run in this process. */
const namesIn = new Map();
let killed;

/** Jest calls a file without a result an error. */
const notRun = {
	ancestorTitles: [],
	failureMessages: [],
	fullName: '',
	status: 'pending',
	title: '',
};

/**
 * For Stryker, which runs all files that load a changed module: once a test has noticed the change, the other files
 * need not run, nor do those without one of the tests that it asks for. Jest's own `bail` does not work in Stryker,
 * and it accepts only a runner whose name says `jest-circus`.
 */
module.exports = async (globalConfig, config, environment, runtime, testPath, ...more) => {
	const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
	const { testNamePattern = '' } = globalConfig;
	const asked = new RegExp(testNamePattern, 'i');
	const isAsked = namesIn.get(testPath)?.some((name) => asked.test(name)) ?? true;
	if (!isAsked || (mutant !== undefined && mutant === killed)) {
		const none = createEmptyTestResult();
		return { ...none, numPendingTests: 1, testFilePath: testPath, testResults: [notRun] };
	}
	const result = await runFile(globalConfig, config, environment, runtime, testPath, ...more);
	namesIn.set(
		testPath,
		result.testResults.map(({ fullName }) => fullName),
	);
	if (result.numFailingTests > 0 || result.testExecError) killed = mutant;
	return result;
};
