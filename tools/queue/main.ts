import { onProgress, print, runCommand } from '../bench/output/command';
import { writeReport } from '../bench/output/report';
import { toMarkdown, type Table } from '../bench/output/table';
import { ensureHost } from '../n8n/installHost';
import { withProgress } from '../n8n/progress';
import { startCluster, type Cluster } from './cluster';
import { measureRepeats } from './repeats';
import { measureSharedKey } from './sharedKey';
import { measureSubscriptions } from './subscriptions';
import { measureWaits } from './waits';

const measurements: Array<{ label: string; measure: (cluster: Cluster) => Promise<Table> }> = [
	{ label: 'Repeats', measure: measureRepeats },
	{ label: 'Two workers with one API key', measure: measureSharedKey },
	{ label: 'Subscriptions', measure: measureSubscriptions },
	// Last, as it kills a worker.
	{ label: 'Waits', measure: measureWaits },
];

/** Returns whether all requirements are met. */
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

runCommand(run);
