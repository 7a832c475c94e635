import { Command } from 'commander';

import { toMarkdown, type Table } from '../bench/output/table';
import { packPackage } from '../n8n/packPackage';
import { repositoryFolder } from '../n8n/paths';
import { stopAllProcesses } from '../n8n/processes';
import { createProgressPrinter, withProgress } from '../n8n/progress';
import { writeReport } from '../n8n/reliabilityReport';
import { fs, path, process } from '../support/platform';
import { checkVersion, notTried, type Question, type Verdict } from './checkVersion';
import { installVersion, removeVersion } from './installVersion';
import { describeVersion, usualVersions, type Version } from './versions';

const print = (text: string) => process.stdout.write(text);
const onProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));

const questions: Record<Question, string> = {
	loads: 'Loads',
	contactImport: 'contact-import.json',
	scheduledSync: 'scheduled-sync.json',
	tagOnMessage: 'tag-on-message.json',
};
const names = Object.keys(questions) as Question[];

interface Result {
	version: Version;
	verdict: Verdict;
}

function readArguments(): { versions: string[]; keep?: boolean } {
	const command = new Command('npm run test:compat --')
		.description('Runs the main examples in other versions of n8n, and writes the table of them.')
		.argument('[versions...]', 'print the table for these versions only, and write nothing')
		.option('--keep', 'leave what was installed in .n8n-compat')
		.parse();
	return { versions: command.args, ...command.opts<{ keep?: boolean }>() };
}

/** Gives whether the newest version asked for does everything. */
async function run(): Promise<boolean> {
	const { versions, keep } = readArguments();
	const archive = await packPackage();
	const results: Result[] = [];
	try {
		for (const n8n of versions.length > 0 ? versions : usualVersions) {
			const version = describeVersion(n8n);
			results.push({ version, verdict: await checkOne(version, archive) });
			if (!keep) await removeVersion(n8n);
		}
	} finally {
		await fs.promises.rm(path.dirname(archive), { recursive: true });
	}
	const table = toTable(results);
	print(`\n${toMarkdown(table)}\n\n`);
	if (versions.length === 0) {
		const written = await writeReport({
			file: 'compatibility.md',
			title: 'Versions of n8n',
			command: 'npm run test:compat',
			tables: [table],
		});
		print(`Written: ${written}\n`);
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
	const isFine = ({ verdict }: Result) => names.every((name) => verdict[name] === 'yes');
	const fine = results.filter(isFine);
	const newest = results[results.length - 1];
	return {
		title: 'The main examples',
		how: 'Each version is installed on its own, with the package in it as users install it; then the examples run as in `npm start`, and what comes of them is compared with what should.',
		head: ['n8n', 'Node.js', ...names.map((name) => questions[name])],
		rows: results.map(({ version, verdict }) => [
			version.n8n,
			version.node,
			...names.map((name) => inOneLine(verdict[name])),
		]),
		requirements: [
			{
				text: 'the newest version does everything',
				measured: newest ? newest.version.n8n : 'none',
				isMet: newest !== undefined && isFine(newest),
			},
			{
				text: 'an n8n 1.x does everything',
				measured: fine[0]?.version.n8n ?? 'none',
				isMet: fine.some(({ version }) => version.n8n.startsWith('1.')),
			},
		],
	};
}

const inOneLine = (text: string) =>
	text
		.replaceAll(`${repositoryFolder}/`, '')
		.replaceAll(/\s+/g, ' ')
		.replaceAll('|', '/')
		.slice(0, 200);

run()
	.then((isAllMet) => (process.exitCode = isAllMet ? 0 : 1))
	.catch((error: Error) => {
		print(`${error.stack}\n`);
		process.exitCode = 1;
	})
	.finally(async () => await stopAllProcesses());
