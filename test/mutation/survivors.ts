/** A mutant that no test can notice, and why that is no gap in the tests. */
export interface Explanation {
	/** From `nodes/WorkspaceCrm`. */
	file: string;
	/** The code that is changed, and what it is changed to; line breaks and blanks count as one blank. */
	original: string;
	replacement: string;
	reason: string;
}

export const explanations: Explanation[] = [];
