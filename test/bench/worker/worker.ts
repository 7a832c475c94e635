import { build } from 'esbuild';

import { defaultHostFolder, repositoryFolder } from '../../n8n/paths';
import { childProcess, fs, once, path } from '../../support/platform';
import type { Job, JobResult } from './job';

/** A process with n8n's engine in it, so that it shares neither time nor memory with the sandbox. */
export interface Worker {
	run(job: Omit<Job, 'n8nFolder'>): Promise<JobResult>;
	end(): Promise<void>;
}

export async function startWorker(): Promise<Worker> {
	const program = await buildProgram();
	const child = childProcess.fork(program, { execArgv: ['--expose-gc'] });
	const ended = once(child, 'exit');
	/** The child's next message; it sends one when it is ready, and one for each job. */
	const answer = async () => {
		const died = ended.then(([code]) => {
			throw new Error(`A worker ended with ${code}`);
		});
		const [message] = (await Promise.race([once(child, 'message'), died])) as [JobResult];
		return message;
	};
	await answer().finally(() => fs.rmSync(program));
	return {
		async run(job) {
			child.send({ ...job, n8nFolder: defaultHostFolder } satisfies Job);
			return await answer();
		},
		async end() {
			if (child.connected) child.disconnect();
			await ended;
		},
	};
}

/** As plain JavaScript, so that nothing but n8n and the nodes takes time and memory in a worker. */
async function buildProgram(): Promise<string> {
	const name = `worker-${crypto.randomUUID()}.cjs`;
	// There it finds n8n's packages, and nobody else finds it.
	const outfile = path.join(repositoryFolder, 'node_modules/.cache/bench', name);
	await build({
		entryPoints: [path.join(repositoryFolder, 'test/bench/worker/child.ts')],
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'node20',
	});
	return outfile;
}
