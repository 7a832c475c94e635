import { runProcess } from '../n8n/processes';
import { repositoryFolder } from '../n8n/paths';
import { fs, os, path, process } from '../support/platform';

/** A copy of the last commit, with this repository's `node_modules` by link. */
export interface Copy {
	folder: string;
	/** Runs a command in it. @throws CommandError if it fails */
	run(command: string, args: string[], variables?: Record<string, string>): Promise<string>;
	/** The files of the copy, without those that were taken out. */
	files(): Promise<string[]>;
	has(file: string): boolean;
	read(file: string): string;
	write(file: string, text: string): void;
}

export async function copyRepository(name: string): Promise<Copy> {
	const folder = await fs.promises.mkdtemp(path.join(os.tmpdir(), `without-${name}-`));
	const env = { ...process.env, CI: 'true' } as Record<string, string>;
	const run: Copy['run'] = async (command, args, variables) =>
		await runProcess(command, args, { cwd: folder, env: { ...env, ...variables } });
	// A clone, because tests ask git which files there are.
	await run('git', ['clone', '--quiet', '--shared', repositoryFolder, '.']);
	await fs.promises.symlink(
		path.join(repositoryFolder, 'node_modules'),
		path.join(folder, 'node_modules'),
	);
	return {
		folder,
		run,
		files: async () => (await run('git', ['ls-files'])).trim().split('\n'),
		has: (file) => fs.existsSync(path.join(folder, file)),
		read: (file) => fs.readFileSync(path.join(folder, file), 'utf8'),
		write: (file, text) => fs.writeFileSync(path.join(folder, file), text),
	};
}
