import { build } from 'esbuild';

import { repositoryFolder } from '../n8n/paths';
import { childProcess, fs, once, path, process } from './platform';

/** A program of ours in a process of its own, which does one job after another. */
export interface ChildProgram<Job, Result> {
	run(job: Job): Promise<Result>;
	end(): Promise<void>;
}

/**
 * Starts a program that sends a message when it is ready, and one with the result of each job that it is sent.
 *
 * @param source relative to the repository
 * @param variables of its environment, in addition to our own
 */
export async function startChildProgram<Job extends object, Result>(
	source: string,
	execArgv: string[] = [],
	variables: Record<string, string> = {},
): Promise<ChildProgram<Job, Result>> {
	const program = await buildProgram(source);
	const child = childProcess.fork(program, { execArgv, env: { ...process.env, ...variables } });
	const ended = once(child, 'exit');
	const nextMessage = async () => {
		const died = ended.then(([code]) => {
			throw new Error(`${source} ended with ${code}`);
		});
		const [message] = (await Promise.race([once(child, 'message'), died])) as [Result];
		return message;
	};
	await nextMessage().finally(() => fs.rmSync(program));
	return {
		async run(job) {
			child.send(job);
			return await nextMessage();
		},
		async end() {
			if (child.connected) child.disconnect();
			await ended;
		},
	};
}

/** Builds plain JavaScript, so that only the program itself takes time and memory in the process. */
async function buildProgram(source: string): Promise<string> {
	// There, it finds n8n's packages, and nothing else picks it up.
	const outfile = path.join(
		repositoryFolder,
		'node_modules/.cache/programs',
		`${crypto.randomUUID()}.cjs`,
	);
	await build({
		entryPoints: [path.join(repositoryFolder, source)],
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'node20',
	});
	return outfile;
}
