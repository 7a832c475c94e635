import { childProcess, fs, os, path } from '../support/platform';

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

const script = path.resolve('scripts/sbom.mjs');
const makeBom = (folder = '.') => {
	const text = childProcess.execFileSync('node', [script], { cwd: folder, encoding: 'utf8' });
	return JSON.parse(text) as Bom;
};
const bom = makeBom();
const all = [bom.metadata.component, ...bom.components];
const readJson = (file: string) => JSON.parse(fs.readFileSync(file, 'utf8'));

test('the bill of materials has the fields that CycloneDX requires', () => {
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

test('every component is named once, and every dependency is a component', () => {
	const refs = all.map((component) => component['bom-ref']);
	expect(new Set(refs).size).toBe(refs.length);
	for (const { ref, dependsOn } of bom.dependencies) {
		for (const each of [ref, ...dependsOn]) expect(refs).toContain(each);
	}
	const reached = new Set(bom.dependencies.flatMap(({ dependsOn }) => dependsOn));
	expect(reached).toEqual(new Set(refs.slice(1)));
});

test('the bill lists the package, its library and the data of that library', () => {
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

test('another package gets its own serial number, version and licence', () => {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbom-'));
	try {
		for (const name of ['node_modules', 'nodes', 'package-lock.json']) {
			fs.symlinkSync(path.resolve(name), path.join(folder, name));
		}
		const other = { ...readJson('package.json'), version: '9.9.9', license: 'ISC' };
		fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(other));
		const { serialNumber, metadata } = makeBom(folder);
		expect(serialNumber).not.toBe(bom.serialNumber);
		const licenses = [{ license: { id: 'ISC' } }];
		expect(metadata.component).toMatchObject({ version: '9.9.9', licenses });
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
});
