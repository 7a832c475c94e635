/**
 * The bundles of the package. A verified package may have no dependencies, so the one library that shipped
 * code uses is put into the one file that imports it. Everything of our own is one file, too: every start
 * of n8n loads it, and one file takes half the time of 150.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * The modules of `domain/` that both bundles use, and that stay files of their own: an error is told by its
 * class, so there may be only one of it.
 */
export const SHARED = ['phone', 'problem', 'text'];

/** Writes the bundle, when told where to, and gives the packages whose code is in it. */
export async function bundleLibrary(outfile) {
	const { metafile } = await build({
		// the source, whose imports say what is used of the library; the rest stays out
		entryPoints: ['nodes/WorkspaceCrm/domain/phone.ts'],
		outfile,
		write: outfile !== undefined,
		bundle: true,
		external: SHARED.map((name) => `./${name}`),
		minify: true,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		drop: ['console'],
		metafile: true,
	});
	return packagesOf(Object.keys(metafile.inputs));
}

/**
 * Puts our own code into one file, as readable as before.
 *
 * @param files of TypeScript, whose exports it has
 * @param outfile in the folder that `domain/` lies in
 */
export async function bundleOwnCode(files, outfile) {
	const shared = {
		name: 'shared',
		setup({ onResolve }) {
			onResolve({ filter: new RegExp(`/(${SHARED.join('|')})$`) }, ({ path }) => ({
				path: `./domain/${basename(path)}`,
				external: true,
			}));
		},
	};
	await build({
		stdin: {
			contents: files.map((file) => `export * from './${file}';`).join('\n'),
			resolveDir: '.',
		},
		outfile,
		bundle: true,
		external: ['n8n-workflow'],
		plugins: [shared],
		platform: 'node',
		format: 'cjs',
		target: 'node20',
	});
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
