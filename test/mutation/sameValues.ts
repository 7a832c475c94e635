import * as fc from 'fast-check';

import { VirtualClock } from '../support/virtualClock';

/** Fewer than in `npm test`, as each mutant goes through them again. */
const MAX_RUNS = 60;

// Properties are tried with the same values on each run, so that a mutant has the same end each time.
// The smallest value that shows it is of no interest, and would take long to find.
fc.configureGlobal({ seed: 1, endOnFailure: true });

const { assert } = fc;
Object.assign(fc, {
	assert: ((property, params) => {
		const numRuns = Math.min(params?.numRuns ?? MAX_RUNS, MAX_RUNS);
		return assert(property, { ...params, numRuns });
	}) as typeof fc.assert,
});

// These tests get by with fewer sleeps, and many mutants would sleep for ever.
VirtualClock.maxWakes = 4_000;
