import { childProcess, fs, os, path, process } from '../../tools/support/platform';

const script = path.resolve('scripts/check-tag.mjs');
let folder: string;

const git = (...args: string[]) => {
	const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgSign=false'];
	childProcess.execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore' });
};

const changelog = (section: string) =>
	fs.writeFileSync(
		path.join(folder, 'CHANGELOG.md'),
		`# Changelog\n\n${section}\n\n## 1.2.2 (2026-01-01)\n\n- Older.\n`,
	);

/** What the check says about a tag; empty if all is well. */
function check(tag: string): string {
	const run = childProcess.spawnSync(process.execPath, [script, tag, 'notes.md'], {
		cwd: folder,
		encoding: 'utf8',
	});
	expect(run.status).toBe(run.stderr === '' ? 0 : 1);
	return run.stderr;
}

const notOnMain = 'The commit is not on main.\n';

/** A repository as the workflow checks it out: main as a remote branch, a commit, no branch. */
beforeEach(() => {
	folder = fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-crm-tag-'));
	fs.writeFileSync(path.join(folder, 'package.json'), '{"version":"1.2.3"}');
	changelog('## 1.2.3 (2026-02-03)\n\n- Something new.');
	git('init', '--initial-branch=work');
	git('add', '.');
	git('commit', '--message=one');
	git('update-ref', 'refs/remotes/origin/main', 'HEAD');
	git('checkout', '--detach');
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('a tag that is the version may be released from main', () => {
	expect(check('1.2.3')).toBe('');
	const notes = fs.readFileSync(path.join(folder, 'notes.md'), 'utf8');
	expect(notes).toBe('- Something new.\n');
});

test.each([
	'## Unreleased\n\n- New.',
	'## 1.2.3\n\n- New.',
	'## 1.2.3 (soon)\n\n- New.',
	'## 1.2.3-rc.1 (2026-02-03)\n\n- New.',
	'## 11.2.3 (2026-02-03)\n\n- New.',
	'## 1.2.3 (2026-02-03)',
])('a changelog with %j is refused', (section) => {
	changelog(section);
	expect(check('1.2.3')).toBe(
		"CHANGELOG.md has no section '## 1.2.3 (<date>)' that says what is new.\n",
	);
	expect(fs.existsSync(path.join(folder, 'notes.md'))).toBe(false);
});

test.each(['1.2.4', 'v1.2.3', '1.2.3-rc.1', '1.2', '', '1.2.3 '])(
	"any other tag is refused: '%s'",
	(tag) => {
		expect(check(tag)).toBe(`The tag is '${tag}', and package.json says '1.2.3'.\n`);
	},
);

test('an older commit of main may be released', () => {
	git('commit', '--allow-empty', '--message=two');
	git('update-ref', 'refs/remotes/origin/main', 'HEAD');
	git('checkout', '--detach', 'HEAD~1');
	expect(check('1.2.3')).toBe('');
});

test('a commit that is not on main is refused', () => {
	git('commit', '--allow-empty', '--message=two');
	expect(check('1.2.3')).toBe(notOnMain);
	expect(check('1.2.4')).toContain(notOnMain);
});

test('every commit is refused if main cannot be read', () => {
	git('update-ref', '-d', 'refs/remotes/origin/main');
	expect(check('1.2.3')).toBe(notOnMain);
});
