import { Command } from 'commander';

import { toMarkdown, type Table } from '../bench/output/table';
import { ensureHost } from '../n8n/installHost';
import { stopAllProcesses } from '../n8n/processes';
import { createProgressPrinter, withProgress } from '../n8n/progress';
import { writeReport } from '../n8n/reliabilityReport';
import { process } from '../support/platform';
import { asItComes, FULL, measureDeliveries, SHORT, SLOW, SOME, whenNeeded } from './deliveries';
import { FULL_VOLUME, measureVolume, SHORT_VOLUME } from './volume';
import { FULL_WAITS, measureWaits, SHORT_WAITS } from './waits';

const print = (text: string) => process.stdout.write(text);

function readArguments(): { short?: boolean; waits?: boolean } {
	return new Command('npm run test:load --')
		.description('Puts load on the nodes, and writes docs/reliability/load.md.')
		.option('--short', 'send a fraction of it, print the tables and write nothing')
		.option('--waits', 'load waits for a reply instead, and write docs/reliability/waits.md')
		.parse()
		.opts<{ short?: boolean; waits?: boolean }>();
}

/** Gives whether all requirements are met. */
async function run(): Promise<boolean> {
	const { short, waits } = readArguments();
	const isShort = Boolean(short);
	const onProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));
	await ensureHost({ onProgress });
	const waitMeasurements = {
		'Waits for a reply': async () => await measureWaits(isShort ? SHORT_WAITS : FULL_WAITS),
	};
	const loadMeasurements = {
		'Deliveries, with engines for expressions only when needed': async () =>
			await measureDeliveries(isShort ? SHORT : FULL, whenNeeded),
		'Deliveries, n8n as it comes': async () =>
			await measureDeliveries(isShort ? SHORT : SOME, asItComes),
		'Few deliveries, n8n as it comes': async () =>
			await measureDeliveries(isShort ? SHORT : SLOW, asItComes),
		Volume: async () => await measureVolume(isShort ? SHORT_VOLUME : FULL_VOLUME),
	};

	const measurements: Record<string, () => Promise<Table>> = waits
		? waitMeasurements
		: loadMeasurements;
	const tables: Table[] = [];
	for (const [label, measure] of Object.entries(measurements)) {
		const table = await withProgress(label, onProgress, measure);
		print(`\n${toMarkdown(table)}\n\n`);
		tables.push(table);
	}
	if (!isShort) {
		const report = waits
			? {
					file: 'waits.md',
					title: 'Waits for a reply',
					command: 'npm run test:load -- --waits',
					tables,
				}
			: { file: 'load.md', title: 'Load', command: 'npm run test:load', tables };
		print(`Written: ${await writeReport(report)}\n`);
	}
	return tables.flatMap(({ requirements }) => requirements).every(({ isMet }) => isMet);
}

run()
	.then((isAllMet) => (process.exitCode = isAllMet ? 0 : 1))
	.catch((error: Error) => {
		print(`${error.stack}\n`);
		process.exitCode = 1;
	})
	.finally(async () => await stopAllProcesses());
