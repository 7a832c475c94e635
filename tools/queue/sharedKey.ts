import { leastTimeMs } from '../bench/leastTime';
import { count, seconds } from '../bench/output/numbers';
import type { Table } from '../bench/output/table';
import { countMissing, makeRows, type Row } from '../bench/rows';
import { ourSync } from '../bench/syncNode';
import { outputItems, type NewWorkflow } from '../n8n/n8nRestClient';
import { manualWorkflow, node } from '../n8n/workflows';
import { performance } from '../support/platform';
import type { Cluster } from './cluster';

const ROWS = 150;
const WORKERS = 2;
const LIMITER = { kind: 'sliding' } as const;
const TIMEOUT_MS = 600_000;

/** Two workers at once, each with a sync, with one key: neither knows what the other sends. */
export async function measureSharedKey(cluster: Cluster): Promise<Table> {
	const { main, sandbox, workers } = cluster;
	sandbox.setLimiter(LIMITER);
	const rows = makeRows(WORKERS * ROWS);
	const ids: string[] = [];
	for (let index = 0; index < WORKERS; index += 1) {
		const own = rows.slice(index * ROWS, (index + 1) * ROWS);
		ids.push((await main.rest.createWorkflow(syncWorkflow(cluster, own))).id);
	}

	const startMs = performance.now();
	const requestsBefore = sandbox.requests.length;
	const executions = await Promise.all(
		ids.map(async (id) => {
			const run = { triggerToStartFrom: { name: 'Start' } };
			const started = await main.rest.post<{ executionId: string }>(`/workflows/${id}/run`, run);
			return await main.rest.waitForExecution(started.executionId, TIMEOUT_MS);
		}),
	);
	const elapsedMs = performance.now() - startMs;

	const requests = sandbox.requests.slice(requestsBefore);
	const refused = requests.filter(({ status }) => status === 429).length;
	const taken = requests.length - refused;
	const leastMs = leastTimeMs(LIMITER, taken);
	const synced = executions.flatMap(({ data }) => outputItems(data, 'CRM')).length;
	const users = workers.filter(({ logs }) =>
		executions.some(({ id }) => logs.includes(`finished execution ${id}`)),
	).length;
	const wrong = countMissing(sandbox, rows);
	const isAllDone = synced === rows.length && wrong === 0;
	sandbox.setLimiter({ kind: 'off' });
	return {
		title: 'Two workers with one key',
		how: `${users} workers each run one Contact > Sync of ${ROWS} new rows at the same time. The service allows 120 requests in any minute. Each process notices the other only by refusals.`,
		head: ['Synced', 'Requests let through', 'Refused (429)', 'Seconds', 'Least possible'],
		rows: [[String(synced), count(taken), count(refused), seconds(elapsedMs), seconds(leastMs)]],
		requirements: [
			{
				text: 'nothing fails: every row is a correct contact',
				measured: `${rows.length - wrong} of ${rows.length}${executions.map(({ status }) => `, ${status}`).join('')}`,
				isMet: isAllDone && users === WORKERS,
			},
		],
	};
}

function syncWorkflow({ sandbox, credentialId }: Cluster, rows: Row[]): NewWorkflow {
	const list = { mode: 'raw', jsonOutput: JSON.stringify({ rows }), options: {} };
	const credentials = { workspaceCrmApi: { id: credentialId, name: 'CRM' } };
	return manualWorkflow([
		node('List', 'n8n-nodes-base.set', list, 3.4),
		node('Rows', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'rows', options: {} }),
		{ ...ourSync(sandbox).node, name: 'CRM', credentials },
	]);
}
