import { Command } from 'commander';

import { describeHardware } from '../bench/output/machine';
import { toMarkdown, type Table } from '../bench/output/table';
import { repositoryFolder } from '../n8n/paths';
import { writeReport } from '../n8n/reliabilityReport';
import { childProcess, fs, once, path, performance, process } from '../support/platform';
import {
	countByFile,
	findStaleExplanations,
	findSurvivors,
	type FileResult,
	type MutationReport,
	type Survivor,
} from './results';
import { explanations } from './survivors';

const MIN_KILLED_SHARE = 0.9;
const MAX_MINUTES = 60;
const MAX_SHOWN_CHARACTERS = 120;

const print = (text: string) => process.stdout.write(text);

const resultsFolder = path.join(repositoryFolder, '.test-results');
const reportFile = path.join(resultsFolder, 'mutation.json');
/** How long the last run took, if it was a whole one. */
const minutesFile = path.join(resultsFolder, 'mutation-minutes.json');

interface Arguments {
	modules: string[];
	concurrency?: string;
	explain?: boolean;
}

function readArguments(): Arguments {
	const command = new Command('npm run test:mutation --')
		.description(
			'Changes the pure modules in many small ways, and looks whether their unit tests notice.',
		)
		.argument('[modules...]', 'check these only, such as domain/path, and write no page')
		.option('--concurrency <number>', 'how many mutants are tried at the same time')
		.option(
			'--explain',
			'only write the page of the last whole run anew, with what is explained now',
		)
		.parse();
	return { modules: command.args, ...command.opts<Omit<Arguments, 'modules'>>() };
}

/** Gives whether all requirements are met. */
async function run(): Promise<boolean> {
	const { modules, concurrency, explain } = readArguments();
	const minutes = explain
		? await readJson<number>(minutesFile)
		: await mutate(modules, concurrency);
	const report = await readJson<MutationReport>(reportFile);

	const survivors = findSurvivors(report, explanations);
	const table = toTable(countByFile(report), survivors, minutes);
	const closing = describeSurvivors(survivors);
	print(`\n${toMarkdown(table)}\n\n${closing}\n\n`);
	for (const { file, reason } of findStaleExplanations(report, survivors, explanations)) {
		print(`test/mutation/survivors.ts explains what does not survive, in ${file}: ${reason}\n`);
	}
	if (modules.length === 0) {
		const written = await writeReport({
			file: 'mutation.md',
			title: 'Mutation check',
			command: 'npm run test:mutation',
			machine: `${describeHardware()}, with Node.js ${process.version}`,
			tables: [table],
			closing,
		});
		print(`Written: ${written}\n`);
	}
	return table.requirements.every(({ isMet }) => isMet);
}

async function readJson<T>(file: string): Promise<T> {
	return JSON.parse(await fs.promises.readFile(file, 'utf8')) as T;
}

/** Gives how many minutes it took. */
async function mutate(modules: string[], concurrency?: string): Promise<number> {
	const startMs = performance.now();
	for (const file of [reportFile, minutesFile]) await fs.promises.rm(file, { force: true });
	const files = modules.map((name) => `nodes/WorkspaceCrm/${name}.ts`).join(',');
	const child = childProcess.spawn(
		process.execPath,
		[
			path.join(repositoryFolder, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
			'run',
			...(files ? ['--mutate', files] : []),
			...(concurrency ? ['--concurrency', concurrency] : []),
		],
		{
			cwd: repositoryFolder,
			// What depends on the machine's language or time zone does not pass for English or UTC here.
			env: { ...process.env, LC_ALL: 'de_DE.UTF-8', TZ: 'America/New_York' },
			stdio: 'inherit',
		},
	);
	const [exitCode] = (await once(child, 'close')) as [number | null];
	if (exitCode !== 0) throw new Error(`Stryker ended with ${exitCode ?? 'a signal'}`);
	const minutes = (performance.now() - startMs) / 60_000;
	if (modules.length === 0) await fs.promises.writeFile(minutesFile, JSON.stringify(minutes));
	return minutes;
}

function toTable(results: FileResult[], survivors: readonly Survivor[], minutes: number): Table {
	const all = results.reduce(
		(sum, each) => ({
			file: 'All',
			killed: sum.killed + each.killed,
			timedOut: sum.timedOut + each.timedOut,
			survived: sum.survived + each.survived,
			notCovered: sum.notCovered + each.notCovered,
		}),
		{ file: 'All', killed: 0, timedOut: 0, survived: 0, notCovered: 0 },
	);
	const unexplained = survivors.filter(({ reason }) => reason === undefined).length;
	return {
		title: 'The pure modules and their unit tests',
		how: 'Stryker changes the code in one place at a time, such as `<` to `<=`, a text to an empty one, or a block to nothing, and runs the unit tests that come by that place. A change that makes a test fail, or never end, is killed: the tests would notice such a mistake. Properties are tried with the same values on each run.',
		head: [
			'File',
			'Mutants',
			'Killed',
			'Timed out',
			'Survived',
			'No test comes by',
			'Share killed',
		],
		rows: [...results, all]
			.filter((result) => mutantsOf(result) > 0)
			.map((result) => [
				result.file,
				`${mutantsOf(result)}`,
				`${result.killed}`,
				`${result.timedOut}`,
				`${result.survived}`,
				`${result.notCovered}`,
				toPercent(shareKilled(result)),
			]),
		requirements: [
			{
				text: `at least ${toPercent(MIN_KILLED_SHARE)} killed`,
				measured: toPercent(shareKilled(all)),
				isMet: shareKilled(all) >= MIN_KILLED_SHARE,
			},
			{
				text: 'every survivor is explained',
				measured: `${survivors.length - unexplained} of ${survivors.length}`,
				isMet: unexplained === 0,
			},
			{
				text: `at most ${MAX_MINUTES} minutes`,
				measured: `${Math.ceil(minutes)}`,
				isMet: minutes <= MAX_MINUTES,
			},
		],
	};
}

/** A heading for each file, and a line for each change that survives in it. */
function describeSurvivors(survivors: Survivor[]): string {
	if (survivors.length === 0) return '';
	const files = [...new Set(survivors.map(({ file }) => file))];
	const sections = files.map((file) => {
		const lines = survivors.filter((survivor) => survivor.file === file).map(describeSurvivor);
		return `### ${file}\n\n${[...new Set(lines)].join('\n')}`;
	});
	return ['## What survives, and why', ...sections].join('\n\n');
}

function describeSurvivor(survivor: Survivor): string {
	const { lineNumber, original, replacement, isCovered, reason } = survivor;
	const unexplained = isCovered ? 'not explained' : 'not explained: no test comes by';
	return `- Line ${lineNumber}, ${toCode(original)} to ${toCode(replacement)}: ${reason ?? `**${unexplained}**`}`;
}

function toCode(text: string): string {
	const shown =
		text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
	if (shown === '') return 'nothing';
	return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

function mutantsOf({ killed, timedOut, survived, notCovered }: FileResult): number {
	return killed + timedOut + survived + notCovered;
}

function shareKilled(result: FileResult): number {
	return (result.killed + result.timedOut) / Math.max(1, mutantsOf(result));
}

/** Rounded down, so that nothing looks like enough that is not. */
function toPercent(share: number): string {
	return `${Math.floor(share * 1_000) / 10} %`;
}

run()
	.then((isAllMet) => (process.exitCode = isAllMet ? 0 : 1))
	.catch((error: Error) => {
		print(`${error.stack}\n`);
		process.exitCode = 1;
	});
