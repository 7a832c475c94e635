import { loadOutputSchema, PackageDirectoryLoader } from 'n8n-core';

import { operations } from '../support/operations';
import { childProcess, fs, path, process } from '../support/platform';
import { packPackage, type PackedPackage } from './packedPackage';

let packed: PackedPackage;

beforeAll(() => {
	packed = packPackage();
}, 60_000);
afterAll(() => packed.remove());

test('the tarball holds the build and the papers, and nothing else', () => {
	const strangers = packed.files.filter(
		(file) =>
			!/^(package\.json|README\.md|LICENSE\.md|CHANGELOG\.md)$/.test(file) &&
			!/^dist\/(credentials|icons|nodes)\/.+\.(js|d\.ts|json|svg)$/.test(file),
	);
	expect(strangers).toEqual([]);
	expect(packed.files).toContain('LICENSE.md');
	expect(packed.files).toContain('dist/icons/workspaceCrm.svg');
	expect(packed.files).toContain('dist/nodes/WorkspaceCrm/WorkspaceCrm.node.json');
});

test('the tarball is under 150 kB', () => {
	expect(packed.tarballBytes).toBeLessThan(150_000);
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

test('it declares no dependencies and no overrides', () => {
	const manifest = JSON.parse(
		fs.readFileSync(path.join(packed.folder, 'package.json'), 'utf8'),
	) as Record<string, unknown>;
	expect(manifest.dependencies).toBeUndefined();
	expect(manifest.overrides).toBeUndefined();
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
});

test("n8n-core's loader loads it, with its icons", async () => {
	// As in a real n8n, n8n-workflow comes from the host.
	fs.symlinkSync(path.resolve('node_modules'), path.join(packed.folder, 'node_modules'));
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

describe("n8n's scan of community packages finds nothing", () => {
	const scan = (...args: string[]) =>
		childProcess.spawnSync(process.execPath, ['scripts/scan.mjs', ...args], {
			encoding: 'utf8',
			// The rules take every file for one of their own fixtures while NODE_ENV is 'test'.
			env: { ...process.env, NODE_ENV: '' },
		});

	test('in the sources', () => {
		expect(scan('.').stdout.trim()).toBe('The scan found nothing.');
	}, 120_000);

	test('in the tarball', () => {
		expect(scan(packed.folder, '**/*.js', 'package.json').stdout.trim()).toBe(
			'The scan found nothing.',
		);
	}, 120_000);
});
