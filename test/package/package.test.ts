import examples from 'libphonenumber-js/examples.mobile.json';
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import { loadOutputSchema, PackageDirectoryLoader } from 'n8n-core';

import * as phone from '../../nodes/WorkspaceCrm/domain/phone';
import { operations } from '../support/operations';
import { childProcess, createRequire, fs, path, process } from '../../tools/support/platform';
import { packPackage, type PackedPackage } from './packedPackage';

let packed: PackedPackage;
const notices = 'dist/THIRD_PARTY_NOTICES.txt';

beforeAll(() => {
	packed = packPackage();
	// As in a real n8n, n8n-workflow comes from the host.
	fs.symlinkSync(path.resolve('node_modules'), path.join(packed.folder, 'node_modules'));
}, 60_000);
afterAll(() => packed.remove());

test('the tarball holds only the build, the licence, the README and the changelog', () => {
	const strangers = packed.files.filter(
		(file) =>
			!/^(package\.json|README\.md|LICENSE\.md|CHANGELOG\.md)$/.test(file) &&
			file !== notices &&
			!/^dist\/(credentials|icons|nodes)\/.+\.(js|d\.ts|json|svg)$/.test(file),
	);
	expect(strangers).toEqual([]);
	expect(packed.files).toContain('LICENSE.md');
	expect(packed.files).toContain('dist/icons/workspaceCrm.svg');
	expect(packed.files).toContain('dist/nodes/WorkspaceCrm/WorkspaceCrm.node.json');
});

test('the tarball is under 165 kB', () => {
	expect(packed.tarballBytes).toBeLessThan(165_000);
});

test('the notices name the bundled library with its version and its full licences', () => {
	const text = fs.readFileSync(path.join(packed.folder, notices), 'utf8');
	const lock = JSON.parse(fs.readFileSync('package-lock.json', 'utf8')) as {
		packages: Record<string, { version: string }>;
	};
	const { version } = lock.packages['node_modules/libphonenumber-js'];
	expect(text).toContain(`\nlibphonenumber-js ${version}\n`);
	expect(text).toContain("derived from those of Google's libphonenumber");
	for (const file of ['LICENSE', 'LICENSE.Apache', 'AUTHORS']) {
		const paper = fs.readFileSync(path.join('node_modules/libphonenumber-js', file), 'utf8');
		expect(text).toContain(paper.trim());
	}
	expect(text).toContain('Copyright (c) 2016 @catamphetamine');
	expect(text).toContain('Apache License\n                           Version 2.0, January 2004');
	expect(text).toContain('END OF TERMS AND CONDITIONS');
	expect(text).toContain('Google Inc.');
});

test('the notices name every library that is bundled', () => {
	const text = fs.readFileSync(path.join(packed.folder, notices), 'utf8');
	const named = [...text.matchAll(/^-{80}\n(\S+) [\d.]+$/gm)].map(([, name]) => name);
	const imported = new Set<string>();
	for (const folder of ['nodes', 'credentials']) {
		for (const file of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
			if (!file.endsWith('.ts')) continue;
			const code = fs.readFileSync(path.join(folder, file), 'utf8');
			for (const [, name] of code.matchAll(/ from '([^.'][^']*)'/g)) imported.add(name);
		}
	}
	expect([...imported].sort()).toEqual(['libphonenumber-js/max', 'n8n-workflow', 'node:crypto']);
	expect(named).toEqual(['libphonenumber-js']);
});

test('the shipped code requires nothing but what n8n Cloud allows', () => {
	const modules = new Set<string>();
	for (const file of packed.files.filter((name) => name.endsWith('.js'))) {
		const code = fs.readFileSync(path.join(packed.folder, file), 'utf8');
		for (const [, module] of code.matchAll(/\brequire\(\s*["'`]([^"'`]+)["'`]\s*\)/g)) {
			modules.add(module);
		}
	}
	const outside = [...modules].filter((module) => !module.startsWith('.'));
	expect(outside.sort()).toEqual(['n8n-workflow', 'node:crypto']);
});

/** Without it, a write that n8n ignores or forbids would pass in silence, although it fails in the tests. */
test('the shipped code is strict', () => {
	const code = packed.files.filter((name) => name.endsWith('.js'));
	const sloppy = code.filter((name) => {
		const file = path.join(packed.folder, name);
		const probe = file.replace(/js$/, 'probe.js');
		const write = 'module.exports.write = (object) => { object.field = 1; };';
		fs.writeFileSync(probe, `${fs.readFileSync(file, 'utf8')}\n${write}`);
		const own = createRequire(file)(probe) as { write: (object: object) => void };
		try {
			own.write(Object.freeze({ field: 0 }));
			return true;
		} catch {
			return false;
		} finally {
			fs.rmSync(probe);
		}
	});
	expect(code).toHaveLength(5);
	expect(sloppy).toEqual([]);
});

test('the bundled phone code behaves like its source', () => {
	const file = path.join(packed.folder, 'phone.js');
	const script = `import('./scripts/bundle.mjs').then(async ({ bundle }) => {
		const { code } = await bundle(['nodes/WorkspaceCrm/domain/phone']);
		require('node:fs').writeFileSync(process.argv[1], code);
	});`;
	childProcess.execFileSync(process.execPath, ['-e', script, file]);
	const built = createRequire(packed.folder)(file) as typeof phone;
	expect(Object.keys(built).sort()).toEqual(Object.keys(phone).sort());
	// what a function returns or throws, for each number in each country
	const outcome = (act: () => unknown) => {
		try {
			return act();
		} catch (error) {
			return (error as Error).message;
		}
	};
	const numbers = [
		'01512 3456789',
		'+44 20 7946 0958',
		'8 912 345-67-89',
		'011 49 151',
		'x',
		'٠١٢٣٤٥',
	];
	for (const country of [undefined, ...getCountries()]) {
		const mobile = country ? `${getExampleNumber(country, examples)?.nationalNumber}` : '';
		for (const number of [...numbers, mobile]) {
			const read = ({ readPhone }: typeof phone) => outcome(() => readPhone(number, country));
			expect(read(built)).toEqual(read(phone));
		}
	}
});

test('the bundled library keeps its function names, so that a reviewer can read it', () => {
	const file = path.join(packed.folder, 'dist/nodes/WorkspaceCrm/workspaceCrm.js');
	const code = fs.readFileSync(file, 'utf8');
	const names = [
		'extractNationalNumber',
		'parsePhoneNumberWithError',
		'parseIncompletePhoneNumber',
	];
	expect(names.filter((name) => !code.includes(`function ${name}(`))).toEqual([]);
});

test('the package declares no dependencies and no overrides', () => {
	const manifest = JSON.parse(
		fs.readFileSync(path.join(packed.folder, 'package.json'), 'utf8'),
	) as Record<string, unknown>;
	expect(manifest.dependencies).toBeUndefined();
	expect(manifest.overrides).toBeUndefined();
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
});

test("n8n-core's loader loads the package with its icons", async () => {
	const loader = new PackageDirectoryLoader(packed.folder);
	await loader.loadAll();

	const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8')) as {
		n8n: { nodes: string[] };
	};
	expect(Object.keys(loader.nodeTypes)).toHaveLength(manifest.n8n.nodes.length);
	expect(Object.keys(loader.nodeTypes)).toContain('workspaceCrm');
	expect(Object.keys(loader.credentialTypes)).toEqual(['workspaceCrmApi']);
	expect(loader.known.credentials.workspaceCrmApi.supportedNodes).toContain('workspaceCrm');
	for (const { type } of Object.values(loader.nodeTypes)) {
		const { iconUrl } = type.description as { iconUrl?: { light: string; dark: string } };
		for (const url of Object.values(iconUrl ?? { none: 'none' })) {
			expect(packed.files).toContain(url.replace(/^icons\/n8n-nodes-workspace-crm\//, ''));
		}
	}
});

test.each(operations)("n8n-core finds the output's schema of $resource $operation", (place) => {
	const nodeDir = path.join(packed.folder, 'dist/nodes/WorkspaceCrm');
	expect(loadOutputSchema({ nodeDir, version: 1, ...place })).toMatchObject({ type: 'object' });
});

// `npm run scan` does the same with the sources.
test("n8n's scan of community packages finds nothing in the tarball", () => {
	const scan = childProcess.spawnSync(
		process.execPath,
		['scripts/scan.mjs', packed.folder, '**/*.js', 'package.json'],
		// While NODE_ENV is 'test', the rules treat every file as one of their own fixtures.
		{ encoding: 'utf8', env: { ...process.env, NODE_ENV: '' } },
	);
	expect(scan.stdout.trim()).toBe('The scan found nothing.');
});
