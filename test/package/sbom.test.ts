import { childProcess, fs, os, path } from '../../tools/support/platform';

const script = path.resolve('scripts/sbom.mjs');
const readJson = <T>(file: string) => JSON.parse(fs.readFileSync(file, 'utf8')) as T;

interface Bom {
	metadata: { timestamp: string };
	components: Array<{ hashes?: Array<{ content: string }> }>;
}

/** The bill of materials of this package with another version and licence. */
function makeBom(other: { version: string; license: string }): Bom {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbom-'));
	try {
		for (const name of ['node_modules', 'nodes', 'package-lock.json']) {
			fs.symlinkSync(path.resolve(name), path.join(folder, name));
		}
		const manifest = { ...readJson<object>('package.json'), ...other };
		fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
		const text = childProcess.execFileSync('node', [script], { cwd: folder, encoding: 'utf8' });
		return JSON.parse(text) as Bom;
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
}

test('the bill of materials lists the package, its library and the data of that library', () => {
	const bom = makeBom({ version: '9.9.9', license: 'ISC' });
	const lock = readJson<{ packages: Record<string, { version: string; integrity: string }> }>(
		'package-lock.json',
	);
	const { version, integrity } = lock.packages['node_modules/libphonenumber-js'];
	const main = 'pkg:npm/n8n-nodes-workspace-crm@9.9.9';
	const library = `pkg:npm/libphonenumber-js@${version}`;
	const data = 'libphonenumber-metadata';
	expect(bom).toMatchObject({
		bomFormat: 'CycloneDX',
		specVersion: '1.6',
		serialNumber: expect.stringMatching(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
		version: 1,
		metadata: {
			component: {
				type: 'library',
				'bom-ref': main,
				name: 'n8n-nodes-workspace-crm',
				version: '9.9.9',
				purl: main,
				licenses: [{ license: { id: 'ISC' } }],
			},
		},
		components: [
			{
				type: 'library',
				'bom-ref': library,
				name: 'libphonenumber-js',
				version,
				purl: library,
				licenses: [{ license: { id: 'MIT' } }],
				hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
			},
			{
				type: 'data',
				'bom-ref': data,
				name: 'libphonenumber metadata',
				licenses: [{ license: { id: 'Apache-2.0' } }],
			},
		],
		dependencies: [
			{ ref: main, dependsOn: [library] },
			{ ref: library, dependsOn: [data] },
		],
	});
	expect(new Date(bom.metadata.timestamp).toISOString()).toBe(bom.metadata.timestamp);
	const [{ content = '' } = {}] = bom.components[0].hashes ?? [];
	expect(`sha512-${Buffer.from(content, 'hex').toString('base64')}`).toBe(integrity);
});
