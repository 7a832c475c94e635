import type { Answer } from '../bench/sender/job';

/** How long answers took, in milliseconds. */
export interface AnswerTimes {
	p50: number;
	p95: number;
	p99: number;
	max: number;
}

export function answerTimes(answers: Array<Pick<Answer, 'elapsedMs'>>): AnswerTimes {
	const sorted = answers.map(({ elapsedMs }) => elapsedMs).sort((a, b) => a - b);
	/** The smallest time that so many of a hundred answers kept within. */
	const percentile = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1];
	return { p50: percentile(50), p95: percentile(95), p99: percentile(99), max: percentile(100) };
}
