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
