import { defaultHostFolder } from '../../n8n/paths';
import { startChildProgram } from '../../support/childProgram';
import type { Job, JobResult } from './job';

/** A process with n8n's engine in it, so that it shares neither time nor memory with the sandbox. */
export interface Worker {
	run(job: Omit<Job, 'n8nFolder'>): Promise<JobResult>;
	end(): Promise<void>;
}

export async function startWorker(): Promise<Worker> {
	const program = await startChildProgram<Job, JobResult>('test/bench/worker/child.ts', [
		'--expose-gc',
	]);
	return {
		run: async (job) => await program.run({ ...job, n8nFolder: defaultHostFolder }),
		end: program.end,
	};
}
