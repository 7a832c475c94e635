/**
 * The bundle of the one library that shipped code uses: a verified package may have no dependencies,
 * so the library is put into the one file that imports it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Writes the bundle, when told where to, and gives the packages whose code is in it. */
export async function bundleLibrary(outfile) {
	const { metafile } = await build({
		// the source, whose imports say what is used of the library; the rest stays out
		entryPoints: ['nodes/WorkspaceCrm/domain/phone.ts'],
		outfile,
		write: outfile !== undefined,
		bundle: true,
		external: ['./problem'],
		minify: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		drop: ['console'],
		metafile: true,
	});
	return packagesOf(Object.keys(metafile.inputs));
}

function packagesOf(files) {
	const inPackage = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
	const folders = new Set(files.flatMap((file) => inPackage.exec(file)?.[0] ?? []));
	return [...folders].sort().map((folder) => {
		const read = (file) => readFileSync(join(folder, file), 'utf8').trim();
		const { name, version, license, homepage } = JSON.parse(read('package.json'));
		const papers = ['LICENSE', 'LICENSE.Apache', 'NOTICE', 'AUTHORS']
			.filter((file) => existsSync(join(folder, file)))
			.map((file) => ({ file, text: read(file) }));
		return { name, version, license, homepage, papers };
	});
}
