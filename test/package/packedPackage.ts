import { childProcess, fs, os, path, process } from '../../tools/support/platform';

export type PackedPackage = ReturnType<typeof packPackage>;

/** The package as users install it, in a folder of its own: packs and unpacks what `npm run build` made. */
export function packPackage() {
	const root = process.cwd();
	const work = fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-crm-pack-'));
	const run = (command: string, args: string[]) =>
		childProcess.execFileSync(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });

	run('npm', ['pack', '--ignore-scripts', '--pack-destination', work]);
	const [tarball] = fs.readdirSync(work);
	run('tar', ['-xzf', path.join(work, tarball), '-C', work]);

	const folder = path.join(work, 'package');
	const files = fs
		.readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
		.sort();
	return {
		folder,
		/** Paths in it, relative, sorted. */
		files,
		tarballBytes: fs.statSync(path.join(work, tarball)).size,
		remove: () => fs.rmSync(work, { recursive: true }),
	};
}
