import { childProcess, fs, os, path, process } from '../support/platform';

/** The package as users install it: packed and unpacked in a folder of its own. */
export interface PackedPackage {
	folder: string;
	/** Paths in it, relative, sorted. */
	files: string[];
	tarballBytes: number;
	remove(): void;
}

/** Packs what `npm run build` made. */
export function packPackage(): PackedPackage {
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
		files,
		tarballBytes: fs.statSync(path.join(work, tarball)).size,
		remove: () => fs.rmSync(work, { recursive: true }),
	};
}
