/**
 * Bundles the package: a verified package may have no dependencies, so the phone library is in the bundle, and our own
 * code is one file, because n8n loads it at every start, and one file takes half the time of 150.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform } from 'esbuild';

const TARGET = 'node20';

/**
 * The library without its formatting and the formats of national numbers, a third of its data: we read numbers, and
 * format none.
 *
 * @see https://gitlab.com/catamphetamine/libphonenumber-js/blob/master/METADATA.md
 */
const withoutFormats = {
	name: 'without-formats',
	setup({ onLoad }) {
		onLoad({ filter: /libphonenumber-js.es6.format\.js$/ }, () => ({
			contents: 'export default () => undefined; export const chooseFormatForNumber = undefined;',
		}));
		// The same code for engines with classes.
		onLoad({ filter: /libphonenumber-js.es6.*\.js$/ }, ({ path }) => ({
			contents: readFileSync(
				path.replace(/(libphonenumber-js.)es6(?=[/\\])/, '$1es6-modern'),
				'utf8',
			),
		}));
		onLoad({ filter: /metadata\.max\.json\.js$/ }, ({ path }) => {
			const data = JSON.parse(readFileSync(path.replace(/\.js$/, ''), 'utf8'));
			for (const country of Object.values(data.countries)) country[FORMATS] &&= 0;
			return { contents: JSON.stringify(data), loader: 'json' };
		});
	},
};

/** The place of the formats in the data of a country. The library, too, writes 0 for none. */
const FORMATS = 4;

/**
 * Bundles what modules export into one file. The names of functions stay, so that errors name them, and a person who
 * reviews the package finds them.
 *
 * @param modules their paths
 * @returns the code, and the packages whose code is in it, with their licences
 */
export async function bundle(modules) {
	const { metafile, outputFiles } = await build({
		stdin: {
			contents: modules.map((module) => `export * from './${module}';`).join('\n'),
			resolveDir: '.',
		},
		write: false,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: TARGET,
		// Without this, esbuild makes sloppy code of it, in which writes that fail in the tests do nothing.
		banner: { js: "'use strict';" },
		external: ['n8n-workflow'],
		minifySyntax: true,
		metafile: true,
		plugins: [withoutFormats],
	});
	const short = { minifyIdentifiers: true, minifySyntax: true, minifyWhitespace: true };
	const { code } = await transform(outputFiles[0].text, { ...short, target: TARGET });
	return { code, packages: packagesOf(Object.keys(metafile.inputs)) };
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
