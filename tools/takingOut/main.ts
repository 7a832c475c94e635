import { onProgress, print, runCommand } from '../bench/output/command';
import { withProgress } from '../n8n/progress';
import { fs, parseArgs } from '../support/platform';
import { copyRepository, type Copy } from './copy';
import { features, type Feature } from './features';
import { takeOut } from './takeOut';

/**
 * Takes each feature out of a copy of the last commit, with the few files and lines that features.ts lists, and
 * checks that the rest compiles, has a good style and passes its tests.
 *
 * Reads `[features...]`: only these; `--quick`: without the tests; and `--keep`: leave the copies.
 */
function readArguments(): { chosen: Feature[]; quick?: boolean; keep?: boolean } {
	const options = { quick: { type: 'boolean' }, keep: { type: 'boolean' } } as const;
	const { positionals, values } = parseArgs({ options, allowPositionals: true });
	const chosen = features.filter(
		({ name }) => positionals.length === 0 || positionals.includes(name),
	);
	if (positionals.length > chosen.length) {
		throw new Error(`The features are ${features.map(({ name }) => name).join(', ')}`);
	}
	return { chosen, ...values };
}

async function run(): Promise<boolean> {
	const { chosen, quick, keep } = readArguments();
	let isRight = true;
	for (const feature of chosen) {
		const copy = await copyRepository(feature.name);
		try {
			print(`\n# Without ${feature.name}, in ${copy.folder}\n\n`);
			await takeOut(feature, copy);
			for (const check of checks.filter(({ isSlow }) => !isSlow || !quick)) {
				isRight = (await passes(check, copy)) && isRight;
			}
		} finally {
			if (!keep) await fs.promises.rm(copy.folder, { recursive: true });
		}
	}
	return isRight;
}

interface JestResults {
	testResults: Array<{
		name: string;
		status: string;
		assertionResults: Array<{ fullName: string; status: string }>;
	}>;
}

interface Check {
	label: string;
	command: [string, ...string[]];
	isSlow?: boolean;
}

/** What Jest writes of all tests, as its own output is too long to be shown. */
const RESULTS = 'results.json';

/** As many as `npm test` has. A single one would keep what each file leaves behind, and get slower and slower. */
const WORKERS = '3';
const OUTPUT = ['--silent', '--json', '--outputFile', RESULTS];
const JEST_OPTIONS = ['--selectProjects', 'fast', '--ci', '--maxWorkers', WORKERS, ...OUTPUT];

const checks: Check[] = [
	{ label: 'It compiles', command: ['npm', 'run', '--silent', 'typecheck'] },
	{ label: 'It has a good style', command: ['npx', 'n8n-node', 'lint'] },
	{ label: 'It is formatted', command: ['npx', 'prettier', '--check', '.'] },
	{ label: 'It builds', command: ['npm', 'run', 'build'], isSlow: true },
	{
		label: 'Its tests pass',
		command: ['npx', 'jest', ...JEST_OPTIONS],
		isSlow: true,
	},
];

async function passes(
	{ label, command: [command, ...args], isSlow }: Check,
	copy: Copy,
): Promise<boolean> {
	const check = async () => await copy.run(command, args);
	return await withProgress(label, onProgress, check).then(
		() => true,
		({ message }: Error) => {
			print(`${isSlow && copy.has(RESULTS) ? failedIn(copy.read(RESULTS)) : message}\n`);
			return false;
		},
	);
}

/** The tests that failed, by their names. */
function failedIn(json: string): string {
	const { testResults } = JSON.parse(json) as JestResults;
	const names = testResults.flatMap(({ name, status, assertionResults: tests }) => {
		const failed = tests.filter((test) => test.status === 'failed');
		const isUnread = status === 'failed' && failed.length === 0;
		return [...(isUnread ? [name] : []), ...failed.map(({ fullName }) => `${name}: ${fullName}`)];
	});
	return names.join('\n');
}

runCommand(run);
