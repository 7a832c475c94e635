import { build } from 'esbuild';

import { repositoryFolder } from '../../n8n/paths';
import { childProcess, once, path } from '../../support/platform';
import type { Answer, Job } from './job';

/** A process that sends deliveries, so that what it does takes no time from who measures. */
export interface Sender {
	send(job: Job): Promise<Answer[]>;
	end(): Promise<void>;
}

export async function startSender(): Promise<Sender> {
	const child = childProcess.fork(await buildProgram());
	const ended = once(child, 'exit');
	const nextMessage = async () => {
		const died = ended.then(([code]) => {
			throw new Error(`The sender ended with ${code}`);
		});
		const [message] = (await Promise.race([once(child, 'message'), died])) as [Answer[]];
		return message;
	};
	await nextMessage();
	return {
		async send(job) {
			child.send(job);
			return await nextMessage();
		},
		async end() {
			if (child.connected) child.disconnect();
			await ended;
		},
	};
}

async function buildProgram(): Promise<string> {
	const outfile = path.join(repositoryFolder, 'node_modules/.cache/load/sender.cjs');
	await build({
		entryPoints: [path.join(repositoryFolder, 'test/load/sender/child.ts')],
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'node20',
	});
	return outfile;
}
