import { startChildProgram, type ChildProgram } from '../../support/childProgram';
import type { Answer, Job } from './job';

/** Sends deliveries, in a process of its own, so that it takes no time from who measures. */
export type Sender = ChildProgram<Job, Answer[]>;

export async function startSender(): Promise<Sender> {
	return await startChildProgram('test/bench/sender/child.ts');
}
