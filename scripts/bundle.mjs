/**
 * Bundles the package. A verified package may have no dependencies, so the phone library is bundled into the
 * part that imports it. Our own code is one file, too, because n8n loads it at every start, and one file takes
 * half the time of 150. What n8n does not need then is in parts beside it, which halves the time again.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { build, transform } from 'esbuild';

const HOME = 'nodes/WorkspaceCrm';

/** The file that n8n loads at its start. */
export const MAIN = 'workspaceCrm';

/** The part with the phone library. It waits for the first number. */
const PHONE = 'domain/phone';

/**
 * The parts, with the modules that lead into them. What others use of such a module are functions, of which
 * none is called while n8n loads the package; the first call loads the part. In it is also what the part alone needs.
 */
export const PARTS = {
	[PHONE]: [PHONE],
	running: [
		'changes/changesPoll',
		'crm/apiKey',
		'crm/hosts',
		'crm/send',
		'domain/text',
		'domain/typedValues',
		'editor/choices',
		'events/delivery',
		'events/publish',
		'events/subscriptions',
		'n8n/n8nTransport',
		'n8n/waitingExecution',
		'operations/engine',
		'operations/given',
		'operations/nodeErrors',
		'operations/params',
		'operations/run',
		'resources/contact/sync/automaticMapping',
		'resources/contact/sync/report',
		'resources/contact/sync/row',
		'resources/contact/sync/syncContacts',
		'resources/message/ask/askAndWait',
		'resources/message/ask/receiveReply',
		'resources/message/campaign/summary',
		'resources/message/once/sendOnce',
	],
};

const TARGET = 'node20';

const BUNDLE = {
	bundle: true,
	write: false,
	platform: 'node',
	format: 'cjs',
	target: TARGET,
	// Without this, esbuild makes sloppy code of it, in which writes that fail in the tests do nothing.
	banner: { js: "'use strict';" },
	external: ['n8n-workflow'],
	minifySyntax: true,
};

const entry = (contents) => ({ stdin: { contents, resolveDir: '.' } });

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

/**
 * Bundles our own code: the main file, and the parts beside it. Each module is in one of them only, because
 * `instanceof` needs a single class of each error.
 *
 * @param contents the code of a module that exports what the main file is to export
 * @param home the folder for the files
 * @param wholes modules to export as a whole, too, each by its path, from the file that holds it: for tests
 */
export async function bundleOwnCode(contents, home, wholes = []) {
	const main = { file: MAIN, contents, ...(await inspect(MAIN, contents)) };
	const parts = [];
	for (const [file, doors] of Object.entries(PARTS)) {
		const starts = startsOf(doors);
		parts.push({ file, contents: starts, ...(await inspect(file, starts, main.modules)) });
	}
	const inParts = parts.flatMap(({ modules }) => modules);
	assertUnique(inParts, (module) => `${module} is in two parts`);
	const needed = new Set(parts.flatMap(({ fromMain }) => [...fromMain]));
	assertUnique([...needed].map(nameOf), (name) => `Two modules of the main file export ${name}`);
	for (const line of needed) {
		const [name, module] = line.split(' ');
		main.contents += `\nexport { ${name} } from './${module}';`;
	}
	main.modules.push(...wholes.filter((module) => !inParts.includes(module)));
	for (const { file, contents: start, modules, fromMain } of [main, ...parts]) {
		const own = wholes.filter((module) => modules.includes(module));
		const whole = own.map((module) => `\nexport * as '${module}' from './${module}';`).join('');
		const { outputFiles } = await build({
			...BUNDLE,
			...entry(start + whole),
			plugins: [withoutFormats, inPieces(file, main.modules, [...fromMain].map(nameOf))],
		});
		writeFileSync(join(home, `${file}.js`), await withShortNames(outputFiles[0].text));
	}
}

/** The names of functions stay, so that errors name them, and a person who reviews the package finds them. */
async function withShortNames(code) {
	const short = { minifyIdentifiers: true, minifySyntax: true, minifyWhitespace: true };
	return (await transform(code, { ...short, target: TARGET })).code;
}

/** The packages whose code is in the bundle. */
export async function bundledPackages() {
	const { files } = await inspect(PHONE, startsOf([PHONE]));
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

const startsOf = (doors) => doors.map((door) => `export * from './${HOME}/${door}';`).join('\n');

const nameOf = (nameAndModule) => nameAndModule.split(' ')[0];

/** Which modules are in a file, and what it takes from the main file, as "name module". */
async function inspect(file, contents, inMain = []) {
	const { metafile, outputFiles } = await build({
		...BUNDLE,
		...entry(contents),
		format: 'esm',
		metafile: true,
		plugins: [withoutFormats, inPieces(file, inMain)],
	});
	const files = Object.keys(metafile.inputs);
	const imports = outputFiles[0].text.matchAll(/import ?\{([^}]*)\} ?from ?"main:([^"]+)"/g);
	const fromMain = new Set(
		[...imports].flatMap(([, names, module]) =>
			names.split(',').map((name) => `${name.trim().split(' ')[0]} ${module}`),
		),
	);
	const isOwn = (path) => /^(nodes|credentials)\//.test(path);
	return { files, fromMain, modules: files.filter(isOwn).map((path) => path.replace(/\.ts$/, '')) };
}

/**
 * For the imports of one file: takes the modules of a part that it does not hold from that part, and those of the
 * main file from there.
 *
 * @param inMain the modules of the main file
 * @param names what it takes from there; undefined if that is to be found out
 */
function inPieces(file, inMain, names) {
	const pathTo = (other) => {
		const path = posix.relative(dirname(file), other);
		return path.startsWith('.') ? path : `./${path}`;
	};
	return {
		name: 'in-pieces',
		setup({ onResolve, onLoad }) {
			onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir, namespace }) => {
				if (namespace === 'later' || namespace === 'main') return { path, external: true };
				const module = posix.relative(process.cwd(), posix.join(resolveDir, path));
				const [part] = Object.entries(PARTS).find(([, doors]) =>
					doors.some((door) => module === `${HOME}/${door}`),
				) ?? [file];
				if (part !== file) return { path: module, namespace: 'later', pluginData: part };
				if (file === MAIN || !inMain.includes(module)) return undefined;
				if (!names) return { path: `main:${module}`, external: true };
				return { path: 'main', namespace: 'main' };
			});
			onLoad({ filter: /./, namespace: 'main' }, () => ({
				contents: `export const { ${names} } = require('${pathTo(MAIN)}');`,
			}));
			onLoad({ filter: /./, namespace: 'later' }, async ({ path, pluginData: part }) => ({
				contents: await leadingTo(path, pathTo(part)),
			}));
		},
	};
}

/** A module with the functions of another one, which load its part when they are first called. */
async function leadingTo(module, part) {
	const { metafile } = await build({
		entryPoints: [`${module}.ts`],
		write: false,
		metafile: true,
		format: 'esm',
	});
	const [{ exports }] = Object.values(metafile.outputs);
	const functions = exports.map(
		(name) => `export const ${name} = (...given) => load().${name}(...given);`,
	);
	const load = `let loaded; const load = () => (loaded ??= require('${part}'));`;
	return [load, ...functions].join('\n');
}

function assertUnique(values, textOf) {
	const twice = values.find((value, index) => values.indexOf(value) !== index);
	if (twice !== undefined) throw new Error(textOf(twice));
}
