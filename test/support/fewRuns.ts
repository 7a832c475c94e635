import * as fc from 'fast-check';

/** The properties run for each of a thousand mutants. */
const MAX_RUNS = 60;

// For Stryker: the same values on each run, so that a mutant always has the same result.
fc.configureGlobal({ seed: 1, endOnFailure: true });

const { assert } = fc;
Object.assign(fc, {
	assert: ((property, params) => {
		const numRuns = Math.min(params?.numRuns ?? MAX_RUNS, MAX_RUNS);
		return assert(property, { ...params, numRuns });
	}) as typeof fc.assert,
});
