import { onProgress, print, runCommand } from '../bench/output/command';
import { writeReport } from '../bench/output/report';
import { toMarkdown, type Table } from '../bench/output/table';
import { packPackage } from '../n8n/packPackage';
import { repositoryFolder } from '../n8n/paths';
import { withProgress } from '../n8n/progress';
import { fs, parseArgs, path, stripVTControlCharacters } from '../support/platform';
import { checkVersion, notTried, type Verdict } from './checkVersion';
import {
	describeVersion,
	installVersion,
	removeVersion,
	usualVersions,
	type Version,
} from './versions';

interface Result {
	version: Version;
	verdict: Verdict;
}

/** Reads `[versions...]`: print the table for these only; and `--keep`: leave what was installed. */
function readArguments(): { versions: string[]; keep?: boolean } {
	const options = { keep: { type: 'boolean' } } as const;
	const { positionals, values } = parseArgs({ options, allowPositionals: true });
	return { versions: positionals, keep: values.keep };
}

/** @returns whether everything works in the newest version asked for */
async function run(): Promise<boolean> {
	const { versions, keep } = readArguments();
	const archive = await packPackage();
	const results: Result[] = [];
	try {
		for (const n8n of versions.length > 0 ? versions : usualVersions) {
			const version = describeVersion(n8n);
			const verdict = await checkOne(version, archive);
			printReasons(verdict);
			results.push({ version, verdict });
			if (!keep) await removeVersion(n8n);
		}
	} finally {
		await fs.promises.rm(path.dirname(archive), { recursive: true });
	}
	const table = toTable(results);
	print(`\n${toMarkdown(table)}\n\n`);
	if (versions.length === 0) {
		const written = await writeReport({
			section: 'compat',
			command: 'npm run test:compat',
			tables: [table],
		});
		print(`Wrote ${written}\n`);
	}
	return table.requirements.every(({ isMet }) => isMet);
}

async function checkOne(version: Version, archive: string): Promise<Verdict> {
	const check = async () => {
		const host = await withProgress(
			`Installing n8n ${version.n8n}`,
			onProgress,
			async () => await installVersion(version),
		);
		return await withProgress(
			`Running the examples in n8n ${version.n8n}`,
			onProgress,
			async () => await checkVersion(host, archive),
		);
	};
	return await check().catch(({ message }: Error) => {
		print(`${message}\n`);
		const lines = message.split('\n');
		const reason = lines.find((line) => /^npm error (?!code)/.test(line)) ?? lines[0];
		return notTried(`not tried: ${reason}`);
	});
}

function toTable(results: Result[]): Table {
	const newest = results[results.length - 1];
	return {
		title: 'The examples',
		how: 'Each version is installed with the packed archive in it; then the tests of all examples run there.',
		head: ['n8n', 'Examples that work'],
		rows: results.map(({ version, verdict: { loads, examples } }) => [
			version.n8n,
			loads === 'yes' ? `${working(examples).length} of ${examples.size}` : 'does not load',
		]),
		requirements: [
			{
				text: 'every example works in the newest version',
				measured: newest?.version.n8n ?? 'none',
				isMet: newest !== undefined && isFine(newest),
			},
		],
	};
}

function isFine({ verdict: { examples } }: Result): boolean {
	return examples.size > 0 && working(examples).length === examples.size;
}

function working(examples: Verdict['examples']): string[] {
	return [...examples].filter(([, failures]) => failures.length === 0).map(([file]) => file);
}

const failed = (examples: Verdict['examples']) =>
	[...examples].filter(([, failures]) => failures.length > 0);

/** Prints why a version does not load the package, or why examples fail in it. */
function printReasons({ loads, examples }: Verdict): void {
	if (loads !== 'yes') print(`${inOneLine(loads)}\n`);
	for (const [file, [first]] of failed(examples)) print(`${file}: ${inOneLine(first)}\n`);
}

/** A text without stack traces. */
const inOneLine = (text: string) =>
	stripVTControlCharacters(text.replaceAll(/^\s+at .*$/gm, ''))
		.replaceAll(`${repositoryFolder}/`, '')
		.replaceAll(/\s+/g, ' ')
		.replaceAll('|', '/')
		.slice(0, 200);

runCommand(run);
