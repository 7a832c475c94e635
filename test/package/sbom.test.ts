import { childProcess, fs, process } from '../support/platform';

interface Component {
	type: string;
	'bom-ref': string;
	name: string;
	version?: string;
	purl?: string;
	hashes?: Array<{ alg: string; content: string }>;
	licenses: Array<{ license: { id: string } }>;
}

interface Bom {
	bomFormat: string;
	specVersion: string;
	serialNumber: string;
	version: number;
	metadata: { timestamp: string; component: Component };
	components: Component[];
	dependencies: Array<{ ref: string; dependsOn: string[] }>;
}

const makeBom = () => {
	const args = ['run', '--silent', 'sbom'];
	return childProcess.execFileSync('npm', args, { encoding: 'utf8', env: process.env });
};
const bom = JSON.parse(makeBom()) as Bom;
const all = [bom.metadata.component, ...bom.components];
const readJson = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8'));

test('it has what CycloneDX requires', () => {
	expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
	expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
	expect(new Date(bom.metadata.timestamp).toISOString()).toBe(bom.metadata.timestamp);
	for (const { type, name, licenses, hashes = [] } of all) {
		expect(['library', 'data']).toContain(type);
		expect(name).not.toBe('');
		expect(licenses.map(({ license }) => license.id)).toEqual([
			expect.stringMatching(/^(MIT|Apache-2\.0)$/),
		]);
		for (const hash of hashes) {
			expect(hash).toEqual({ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) });
		}
	}
});

test('each is named once, and each dependency is one of them', () => {
	const refs = all.map((component) => component['bom-ref']);
	expect(new Set(refs).size).toBe(refs.length);
	for (const { ref, dependsOn } of bom.dependencies) {
		for (const each of [ref, ...dependsOn]) expect(refs).toContain(each);
	}
	const reached = new Set(bom.dependencies.flatMap(({ dependsOn }) => dependsOn));
	expect(reached).toEqual(new Set(refs.slice(1)));
});

test('it tells of what is shipped: the package, its library, and the data of that', () => {
	const { version } = readJson('package.json') as { version: string };
	const lock = readJson('package-lock.json') as {
		packages: Record<string, { version: string; integrity: string }>;
	};
	const library = lock.packages['node_modules/libphonenumber-js'];
	expect(all).toMatchObject([
		{
			name: 'n8n-nodes-workspace-crm',
			version,
			purl: `pkg:npm/n8n-nodes-workspace-crm@${version}`,
		},
		{
			name: 'libphonenumber-js',
			version: library.version,
			purl: `pkg:npm/libphonenumber-js@${library.version}`,
			licenses: [{ license: { id: 'MIT' } }],
		},
		{ name: 'libphonenumber metadata', licenses: [{ license: { id: 'Apache-2.0' } }] },
	]);
	const [{ content = '' } = {}] = all[1].hashes ?? [];
	expect(`sha512-${Buffer.from(content, 'hex').toString('base64')}`).toBe(library.integrity);
});

test('each has a number of its own', () => {
	expect((JSON.parse(makeBom()) as Bom).serialNumber).not.toBe(bom.serialNumber);
});
