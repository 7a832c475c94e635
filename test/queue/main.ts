import { writeReport } from '../bench/output/report';
import { toMarkdown, type Table } from '../bench/output/table';
import { ensureHost } from '../n8n/installHost';
import { PrerequisiteError } from '../n8n/prerequisites';
import { CommandError, stopAllProcesses } from '../n8n/processes';
import { createProgressPrinter, withProgress } from '../n8n/progress';
import { process } from '../support/platform';
import { startCluster, type Cluster } from './cluster';
import { measureRepeats } from './repeats';
import { measureSharedKey } from './sharedKey';
import { measureSubscriptions } from './subscriptions';
import { measureWaits } from './waits';

const print = (text: string) => process.stdout.write(text);
const onProgress = createProgressPrinter(print, Boolean(process.stdout.isTTY));

const measurements: Array<{ label: string; measure: (cluster: Cluster) => Promise<Table> }> = [
	{ label: 'Repeats', measure: measureRepeats },
	{ label: 'Two workers with one API key', measure: measureSharedKey },
	{ label: 'Subscriptions', measure: measureSubscriptions },
	// Last, as it kills a worker.
	{ label: 'Waits', measure: measureWaits },
];

/** Gives whether all requirements are met. */
async function run(): Promise<boolean> {
	await ensureHost({ onProgress });
	const cluster = await withProgress(
		'Starting Redis, PostgreSQL and five n8n processes',
		onProgress,
		startCluster,
	);
	try {
		const tables: Table[] = [];
		for (const { label, measure } of measurements) {
			const table = await withProgress(label, onProgress, async () => await measure(cluster));
			print(`\n${toMarkdown(table)}\n\n`);
			tables.push(table);
		}
		const written = await writeReport({
			page: 'measured.md',
			section: 'queue',
			command: 'npm run test:queue',
			tables,
		});
		print(`Wrote ${written}\n`);
		return tables.flatMap(({ requirements }) => requirements).every(({ isMet }) => isMet);
	} finally {
		await withProgress('Stopping', onProgress, async () => await cluster.close());
	}
}

run()
	.then((isAllMet) => (process.exitCode = isAllMet ? 0 : 1))
	.catch((error: Error) => {
		const isClear = error instanceof PrerequisiteError || error instanceof CommandError;
		print(`\n${isClear ? error.message : error.stack}\n`);
		process.exitCode = 1;
	})
	.finally(async () => await stopAllProcesses());
