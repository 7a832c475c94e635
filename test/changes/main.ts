import { Command } from 'commander';

import { toMarkdown, type Table } from '../bench/output/table';
import { ensureHost } from '../n8n/installHost';
import { PrerequisiteError } from '../n8n/prerequisites';
import { stopAllProcesses } from '../n8n/processes';
import { createProgressPrinter, withProgress } from '../n8n/progress';
import { writeReport } from '../n8n/reliabilityReport';
import { process } from '../support/platform';
import { FULL_KILLS, measureKills, SHORT_KILLS } from './kills';
import { isMeasurable } from './usage';
import { FULL_VOLUMES, measureVolumes, SHORT_VOLUMES } from './volume';

const print = (text: string) => process.stdout.write(text);

function readArguments(): { short?: boolean } {
	return new Command('npm run test:changes --')
		.description('Watches long lists, kills n8n, and writes docs/reliability/changes.md.')
		.option('--short', 'do a fraction of it, print the tables and write nothing')
		.parse()
		.opts<{ short?: boolean }>();
}

/** Gives whether all requirements are met. */
async function run(): Promise<boolean> {
	const { short } = readArguments();
	if (!isMeasurable) throw new PrerequisiteError('Memory and time are read as Linux tells them.');
	const onProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));
	await ensureHost({ onProgress });
	const measurements: Record<string, () => Promise<Table>> = {
		'Long lists': async () => await measureVolumes(short ? SHORT_VOLUMES : FULL_VOLUMES),
		Kills: async () => await measureKills(short ? SHORT_KILLS : FULL_KILLS),
	};
	const tables: Table[] = [];
	for (const [label, measure] of Object.entries(measurements)) {
		const table = await withProgress(label, onProgress, measure);
		print(`\n${toMarkdown(table)}\n\n`);
		tables.push(table);
	}
	if (!short) {
		const written = await writeReport({
			file: 'changes.md',
			title: 'Changes that the service sends no event for',
			command: 'npm run test:changes',
			introduction:
				'**Workspace CRM Changes Trigger** in a real n8n with its database SQLite. [What a kill loses](../changes.md#what-a-kill-of-n8n-loses) says why.',
			tables,
		});
		print(`Written: ${written}\n`);
	}
	return tables.flatMap(({ requirements }) => requirements).every(({ isMet }) => isMet);
}

run()
	.then((isAllMet) => (process.exitCode = isAllMet ? 0 : 1))
	.catch((error: Error) => {
		print(`\n${error instanceof PrerequisiteError ? error.message : error.stack}\n`);
		process.exitCode = 1;
	})
	.finally(async () => await stopAllProcesses());
