import { Command } from 'commander';

import { toLine, toMarkdown, type Table } from '../bench/output/table';
import { ensureHost } from '../n8n/installHost';
import { repositoryFolder } from '../n8n/paths';
import { runProcess, stopAllProcesses } from '../n8n/processes';
import { createProgressPrinter, withProgress } from '../n8n/progress';
import { writeReport } from '../n8n/reliabilityReport';
import { startTestbed, type Testbed } from '../n8n/testbed';
import { process } from '../support/platform';
import { KILLS, measureCrashes } from './crashes';
import { measureStop, measureUndisturbed, measureUsedUp } from './interruptions';
import { measureRetries } from './retries';
import { measureTogether } from './together';

const print = (text: string) => process.stdout.write(text);
const onProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));

const INTRODUCTION = `**Message > Send Campaign** sends one template to many contacts, and nobody gets it twice. Before it sends a message, the node writes a mark to the contact: an attribute \`sent:<campaign key>:<8 hex digits>\`. Later runs with the same Campaign Key skip whoever has a mark. So one can run the workflow again after anything that went wrong, and it finishes what is left.

One price remains. A crash between the mark and the message leaves the contact *marked without a message*. Nobody can tell it from one whose message went out just before the crash, so later runs skip it. The node sends to 5 contacts at once, so a crash leaves at most 5 of them.

A real n8n runs the workflow. Its service is this project's sandbox of the CRM, with its rate limit off. What is promised is held against the record of the sandbox: its messages, and the attributes of its contacts.`;

function readArguments(): { seed: number; only?: string; print?: boolean } {
	const options = new Command('npm run test:campaign --')
		.description('Disturbs campaigns in a real n8n, and writes docs/reliability/campaign.md.')
		.option('--seed <number>', 'choose the same moments and faults as an earlier run')
		.option('--only <text>', 'only what has this in its name; prints the tables and writes nothing')
		.parse()
		.opts<{ seed?: string; only?: string }>();
	return { ...options, seed: Number(options.seed ?? Date.now() % 1_000_000) };
}

const measurements = (bed: Testbed, seed: number, onKill: (kill: number) => void) => ({
	'No disturbance': async () => await measureUndisturbed(bed),
	Kills: async () => await measureCrashes(bed, seed, onKill),
	'Retry On Fail': async () => await measureRetries(bed, seed),
	'Two at once': async () => await measureTogether(bed),
	'A limit that is used up': async () => await measureUsedUp(bed),
	Stop: async () => await measureStop(bed),
});

/** Gives whether all promises are kept. */
async function run(): Promise<boolean> {
	const { seed, only = '' } = readArguments();
	print(`Seed: ${seed}\n`);
	await ensureHost({ onProgress });
	const bed = await withProgress('Starting n8n', onProgress, startTestbed);
	try {
		let kills = 0;
		const all = Object.entries(measurements(bed, seed, (kill) => (kills = kill)));
		const tables: Table[] = [];
		for (const [label, measure] of all.filter(([name]) => name.includes(only))) {
			const far = async () => (label === 'Kills' ? `${kills} of ${KILLS} kills` : 'still at it');
			const table = await withProgress(label, onProgress, measure, far);
			print(`\n${toMarkdown(table)}\n\n`);
			tables.push(table);
		}
		if (only === '') print(`Written: ${await write(tables)}\n`);
		const broken = tables.flatMap(({ requirements }) => requirements).filter(({ isMet }) => !isMet);
		for (const each of broken) print(`${toLine(each)}\n`);
		return broken.length === 0;
	} finally {
		await withProgress('Stopping', onProgress, async () => await bed.close());
	}
}

async function write(tables: Table[]): Promise<string> {
	const options = { cwd: repositoryFolder, env: process.env as Record<string, string> };
	const commit = await runProcess('git', ['rev-parse', '--short', 'HEAD'], options);
	const day = new Date().toISOString().slice(0, 10);
	return await writeReport({
		file: 'campaign.md',
		title: 'Campaigns',
		command: 'npm run test:campaign',
		introduction: `${INTRODUCTION}\n\nMeasured on ${day}, at commit ${commit.trim()}.`,
		tables,
	});
}

run()
	.then((isAllKept) => (process.exitCode = isAllKept ? 0 : 1))
	.catch((error: Error) => {
		print(`${error.stack}\n`);
		process.exitCode = 1;
	})
	.finally(async () => await stopAllProcesses());
