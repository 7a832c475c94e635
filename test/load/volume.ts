import type { IDataObject } from 'n8n-workflow';

import { leastTimeMs } from '../bench/leastTime';
import { ourList, ourSync, type NodeSetUp } from '../bench/nodes';
import { count, megabytes, seconds } from '../bench/output/numbers';
import type { Requirement, Table } from '../bench/output/table';
import { addAsContacts, countMissing, makeRows, type Row } from '../bench/rows';
import { UNLIMITED_WINDOW_MS, type JobResult } from '../bench/worker/job';
import { startWorker } from '../bench/worker/worker';
import { startSandbox, type Sandbox } from '../sandbox';

/** How much there is in the CRM, and to be synced. */
export interface Volume {
	contacts: number;
	rows: number;
}

export const FULL_VOLUME: Volume = { contacts: 100_000, rows: 50_000 };
export const SHORT_VOLUME: Volume = { contacts: 10_000, rows: 5_000 };

/** Of ten rows, one has a new name. */
const CHANGED_EACH = 10;

interface Run {
	name: string;
	requests: number;
	result: JobResult;
	isRight: boolean;
}

/** A long list, and a long sync, with the memory that they take. */
export async function measureVolume(volume: Volume): Promise<Table> {
	const { contacts, rows } = volume;
	const all = makeRows(contacts);
	const changed = all
		.slice(0, rows)
		.map((row, index) => (index % CHANGED_EACH === 0 ? { ...row, name: `${row.name}, new` } : row));
	const listed = await measure(
		'Contact > Get Many, Return All',
		all,
		(sandbox) => ({ setUp: ourList(sandbox), items: [{}] }),
		({ succeeded }) => succeeded === contacts,
	);
	const synced = await measure(
		`Contact > Sync of ${count(rows)} rows`,
		all,
		(sandbox) => ({ setUp: ourSync(sandbox), items: changed.map((row) => ({ ...row })) }),
		({ succeeded }, sandbox) => succeeded === rows && countMissing(sandbox, changed) === 0,
	);
	return toTable(volume, [listed, synced]);
}

async function measure(
	name: string,
	contacts: Row[],
	prepare: (sandbox: Sandbox) => { setUp: NodeSetUp; items: IDataObject[] },
	isRight: (result: JobResult, sandbox: Sandbox) => boolean,
): Promise<Run> {
	const sandbox = await startSandbox({ limiter: { kind: 'off' } });
	const worker = await startWorker();
	try {
		addAsContacts(sandbox, contacts);
		const { setUp, items } = prepare(sandbox);
		const result = await worker.run({ ...setUp, items, factor: 1, isUnlimited: true });
		const requests = sandbox.requests.length;
		return { name, requests, result, isRight: isRight(result, sandbox) };
	} finally {
		await worker.end();
		await sandbox.close();
	}
}

function toTable({ contacts, rows }: Volume, runs: Run[]): Table {
	return {
		title: 'Volume',
		how: `${count(contacts)} contacts in the CRM; of ${count(rows)} rows, one in ${CHANGED_EACH} has a new name. Each runs in n8n's engine in a process of its own. **The rate limit is off, and our node may make its 120 requests in ${UNLIMITED_WINDOW_MS} ms in place of a minute**, so that its rate limiter makes nothing wait: the seconds are what the work takes, and the last column is what a limit of 120 requests a minute makes of it. Memory is what the process took at the worst moment above what it had before, with the items that n8n itself holds.`,
		head: [
			'',
			'Items',
			'Requests',
			'Seconds',
			'Peak memory (MB)',
			'Minutes at 120 requests a minute, at least',
		],
		rows: runs.map(({ name, requests, result }) => [
			name,
			count(result.succeeded),
			count(requests),
			seconds(result.elapsedMs),
			megabytes(result.peakBytes),
			(leastTimeMs({ kind: 'sliding' }, requests) / 60_000).toFixed(0),
		]),
		requirements: runs.map(toRequirement),
	};
}

function toRequirement({ name, result, isRight }: Run): Requirement {
	return {
		text: `${name}: everything is there and as it should be`,
		measured: result.error ?? `${count(result.succeeded)} items, ${count(result.failed)} failed`,
		isMet: isRight,
	};
}
