/**
 * Bundles the package. A verified package may have no dependencies, so the phone library is bundled into the
 * file that imports it. Our own code is one file, too, because n8n loads it at every start, and one file takes
 * half the time of 150.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';

/**
 * The modules of `domain/` that both bundles use. They stay separate files, because `instanceof` needs a
 * single class of each error.
 */
export const SHARED = ['phone', 'problem', 'text'];

/** Of these, the one that holds the phone library. It takes half of the time to load, so it waits for the first number. */
const LAZY = 'phone';

/** Names stay, so that errors name our functions, and a person who reviews the package can read it. */
const TIGHT = {
	minifySyntax: true,
	minifyWhitespace: true,
	platform: 'node',
	format: 'cjs',
	target: 'node20',
};

/** A module with the functions of the lazy one, which load it when they are first called. */
async function lazyModule() {
	const { metafile } = await build({
		entryPoints: [`nodes/WorkspaceCrm/domain/${LAZY}.ts`],
		write: false,
		metafile: true,
		format: 'esm',
	});
	const [{ exports }] = Object.values(metafile.outputs);
	const functions = exports.map(
		(name) => `export const ${name} = (...given) => load().${name}(...given);`,
	);
	const load = `let loaded; const load = () => (loaded ??= require('./${LAZY}'));`;
	return { contents: [load, ...functions].join('\n') };
}

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
			contents: readFileSync(path.replace(/es6(?=[/\\])/, 'es6-modern'), 'utf8'),
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

/** Writes the bundle, if there is an output file. Returns the packages whose code is in it. */
export async function bundleLibrary(outfile) {
	const { metafile } = await build({
		// the source, because its imports let esbuild leave out what is not used of the library
		entryPoints: ['nodes/WorkspaceCrm/domain/phone.ts'],
		outfile,
		write: outfile !== undefined,
		bundle: true,
		external: SHARED.map((name) => `./${name}`),
		plugins: [withoutFormats],
		...TIGHT,
		drop: ['console'],
		metafile: true,
	});
	// The names of functions stay, for a person who reviews the package; those inside of them are the library's.
	if (outfile !== undefined) await tighten(outfile, { minifyIdentifiers: true });
	return packagesOf(Object.keys(metafile.inputs));
}

/**
 * Bundles our own code.
 *
 * @param contents the code of a module that exports what the bundle is to export
 * @param outfile a file beside `domain/`
 */
export async function bundleOwnCode(contents, outfile) {
	const shared = {
		name: 'shared',
		setup({ onResolve, onLoad }) {
			onResolve({ filter: new RegExp(`/(${SHARED.join('|')})$`) }, ({ path, namespace }) =>
				path.endsWith(`/${LAZY}`) && namespace !== LAZY
					? { path: LAZY, namespace: LAZY }
					: { path: `./domain/${basename(path)}`, external: true },
			);
			onLoad({ filter: /./, namespace: LAZY }, lazyModule);
		},
	};
	await build({
		stdin: { contents, resolveDir: '.' },
		outfile,
		// Without this, esbuild makes sloppy code of it, in which writes that fail in the tests do nothing.
		banner: { js: "'use strict';" },
		bundle: true,
		external: ['n8n-workflow'],
		plugins: [shared],
		...TIGHT,
	});
}

/** Takes blanks out of a file that stays by itself. Names at its top level stay in any case. */
export async function tighten(file, more = {}) {
	const { format, ...options } = { ...TIGHT, ...more };
	const { code } = await transform(readFileSync(file, 'utf8'), options);
	writeFileSync(file, code);
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
