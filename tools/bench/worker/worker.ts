import { defaultHostFolder } from '../../n8n/paths';
import { startChildProgram } from '../../support/childProgram';
import type { Job, JobResult } from './job';

export type Worker = Awaited<ReturnType<typeof startWorker>>;

/** A process with n8n's engine in it, so that it shares neither time nor memory with the sandbox. */
export async function startWorker() {
	const source = 'tools/bench/worker/child.ts';
	const program = await startChildProgram<Job, JobResult>(source, ['--expose-gc']);
	return {
		run: async (job: Omit<Job, 'n8nFolder'>) =>
			await program.run({ ...job, n8nFolder: defaultHostFolder }),
		end: program.end,
	};
}
