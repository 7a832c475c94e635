import { scripts as scriptsOfPackage } from '../../package.json';
import pinned from '../../tools/n8n/host/package.json';
import { fs, path } from '../../tools/support/platform';

const folder = '.github/workflows';
const files = fs.readdirSync(folder);
const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8');

/** The jobs of a workflow, by name, as text without comments. */
function jobsOf(file: string): Map<string, string> {
	const [, text] = read(file)
		.replace(/(^|\s)#.*$/gm, '')
		.split(/^jobs:$/m);
	const parts = text.split(/^ {2}([\w-]+):$/m).slice(1);
	return new Map(parts.flatMap((part, index) => (index % 2 ? [] : [[part, parts[index + 1]]])));
}

test.each(files)('%s pins each action to a commit, with its version in a comment', (file) => {
	const uses = [...read(file).matchAll(/uses: *(.*)$/gm)].map(([, action]) => action);
	expect(uses.length).toBeGreaterThan(0);
	for (const action of uses)
		expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(files)('%s runs only scripts that exist', (file) => {
	const text = read(file);
	const names = [...text.matchAll(/\bnpm run (?:-\S+ )*([\w:-]+)/g)].map(([, name]) => name);
	expect(Object.keys(scriptsOfPackage)).toEqual(expect.arrayContaining(names));
	const paths = [...text.matchAll(/\b(?:node|sh) (scripts\/\S+\w)/g)].map(([, script]) => script);
	expect(paths.filter((script) => !fs.existsSync(script))).toEqual([]);
});

test('an action has the same commit everywhere', () => {
	const uses = files.flatMap((file) => [...read(file).matchAll(/uses: *(\S+)@(.*)$/gm)]);
	const commits = new Map<string, Set<string>>();
	for (const [, name, commit] of uses) {
		commits.set(name, (commits.get(name) ?? new Set()).add(commit));
	}
	expect([...commits.values()].every(({ size }) => size === 1)).toBe(true);
});

describe('publishing', () => {
	const jobs = jobsOf('publish.yml');
	const [build, publish] = ['build', 'publish'].map((name) => jobs.get(name) ?? '');

	it('gives each job only the permissions it names', () => {
		expect(read('publish.yml')).toMatch(/^permissions: \{\}$/m);
		const rights = [...jobs].map(([name, text]) => {
			const [, named = ''] = /^ {4}permissions:\n((?: {6}.*\n|\s*\n)+)/m.exec(text) ?? [];
			return [name, named.trim()];
		});
		expect(Object.fromEntries(rights)).toEqual({
			build: 'contents: read',
			publish: 'id-token: write',
			release: 'contents: write',
		});
	});

	it('checks the tag before it installs anything', () => {
		const steps = [
			'check-tag.mjs "$GITHUB_REF_NAME"',
			'npm ci',
			'npm test',
			'npm run scan',
			'npm pack',
		];
		const places = steps.map((step) => build.indexOf(step));
		expect(places).toEqual([...places].sort((a, b) => a - b));
		expect(places[0]).toBeGreaterThan(0);
	});

	it('runs none of our code in the job that may publish, and publishes what another job built', () => {
		const runs = [...publish.matchAll(/run: (.*)$/gm)].map(([, command]) => command);
		expect(runs).toEqual([
			'echo "$SHA256  package.tgz" | sha256sum --check --strict',
			'npm publish ./package.tgz --provenance --access public --ignore-scripts',
		]);
		expect(publish).not.toContain('actions/checkout');
		expect(publish).toContain('SHA256: ${{ needs.build.outputs.sha256 }}');
	});

	it('uses no cache', () => {
		expect(read('publish.yml').match(/actions\/setup-node/g)).toHaveLength(2);
		expect(read('publish.yml').match(/package-manager-cache: false/g)).toHaveLength(2);
		expect(build + publish).not.toMatch(/^ *cache:/m);
	});
});

describe('the images', () => {
	const dockerfile = fs.readFileSync('Dockerfile', 'utf8');
	const compose = fs.readFileSync('compose.yaml', 'utf8');
	const newest = read('newest-n8n.yml');

	it("have the tests' version of n8n unless another is asked for", () => {
		expect(dockerfile).toContain(`ARG N8N_VERSION=${pinned.dependencies.n8n}\n`);
		expect(compose).toContain(`N8N_VERSION: \${N8N_VERSION:-${pinned.dependencies.n8n}}\n`);
	});

	it('come from n8n and Node.js alone', () => {
		const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
		expect(bases).toEqual(['node:24-slim', 'build', 'docker.n8n.io/n8nio/n8n:${N8N_VERSION}']);
		expect(compose.match(/^ +target: .*$/gm)?.map((line) => line.trim())).toEqual([
			'target: n8n',
			'target: sandbox',
		]);
		expect(newest).toContain('docker.n8n.io/n8nio/n8n:latest');
	});

	it('are reached from this machine only', () => {
		const ports = [...compose.matchAll(/^ +ports:\n +- (.*)$/gm)].map(([, port]) => port);
		expect(ports).toEqual(['127.0.0.1:8787:8787', '127.0.0.1:5678:5678']);
	});

	it('are tested once a week, without blocking anything', () => {
		expect(newest).toMatch(/^on:\n {2}schedule:\n.*\n {2}workflow_dispatch:\n\n/m);
		expect([...jobsOf('newest-n8n.yml').keys()]).toEqual(['examples', 'compose', 'scan']);
	});
});
