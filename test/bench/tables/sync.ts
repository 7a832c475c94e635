import { startSandbox } from '../../sandbox';
import { fastClock } from '../../support/clock';
import { ourSync, ourUpsert } from '../nodes';
import { count } from '../output/numbers';
import type { Requirement, Table } from '../output/table';
import { addAsContacts, countMissing, makeRows, type Row } from '../rows';
import { startWorker } from '../worker/worker';

const CONTACTS = 10_000;
const PAGES = CONTACTS / 100;

interface Case {
	changedPercent: number;
	/**
	 * How many times as fast as the machine's own all clocks run. The machine's own work counts so
	 * many times, so this is no more than it takes for the run to end within minutes.
	 */
	factor: number;
}

const shortCases: Case[] = [
	{ changedPercent: 0, factor: 1 },
	{ changedPercent: 1, factor: 1 },
	{ changedPercent: 10, factor: 10 },
];
const longCase: Case = { changedPercent: 100, factor: 40 };

interface Reading extends Case {
	elapsedMs: number;
	/** Requests that the limiter let pass. */
	requests: number;
	refused: number;
	/** Why the contacts are not as the rows say, if they are not. */
	problem?: string;
}

/** Making many contacts in the CRM equal to rows from elsewhere, when some of them have changed. */
export async function measureSync(): Promise<Table> {
	const readings: Reading[] = [];
	for (const each of shortCases) readings.push(await measure(ourSync, each));
	// These two take the longest, and mostly wait.
	const [all, rowByRow] = await Promise.all([
		measure(ourSync, longCase),
		measure(ourUpsert, longCase),
	]);
	return toTable([...readings, all], rowByRow);
}

async function measure(node: typeof ourSync, { changedPercent, factor }: Case): Promise<Reading> {
	const worker = await startWorker();
	const sandbox = await startSandbox({ clock: fastClock(factor), limiter: { kind: 'sliding' } });
	try {
		const before = makeRows(CONTACTS);
		addAsContacts(sandbox, before);
		const rows = change(before, changedPercent);
		const items = rows.map((row) => ({ ...row }));
		const result = await worker.run({ ...node(sandbox), items, factor });

		const wrong = countMissing(sandbox, rows);
		const extra = sandbox.store.contacts.size - CONTACTS;
		const isRight = wrong === 0 && extra === 0 && result.succeeded === CONTACTS;
		const problem = `${wrong} contacts wrong, ${extra} too many, ${result.failed} items failed`;
		const refused = sandbox.requests.filter(({ status }) => status === 429).length;
		return {
			changedPercent,
			factor,
			elapsedMs: result.elapsedMs * factor,
			requests: sandbox.requests.length - refused,
			refused,
			problem: isRight ? undefined : (result.error ?? problem),
		};
	} finally {
		await sandbox.close();
		await worker.end();
	}
}

/** The rows, of which so many have a new name, spread evenly over all. */
function change(rows: Row[], changedPercent: number): Row[] {
	return rows.map((row, index) =>
		index % 100 < changedPercent ? { ...row, name: `${row.name}, renamed` } : row,
	);
}

function toTable(readings: Reading[], rowByRow: Reading): Table {
	const figures = ({ requests, refused, elapsedMs, problem }: Reading) => [
		count(requests),
		count(refused),
		(elapsedMs / 60_000).toFixed(1),
		problem ?? 'yes',
	];
	const headOf = (name: string) => [`${name}: requests`, '429s', 'Minutes', 'CRM is right'];
	return {
		title: `Bring ${count(CONTACTS)} contacts up to date`,
		how: `All contacts are in the CRM; some rows have a new name. The service allows 120 requests in any minute; refused ones are counted separately. Contact > Create or Update, row by row, was measured once with all rows changed: it sends every row, whatever has changed. Each node runs in n8n's engine in a process of its own. After each run, every contact in the CRM is compared with its row. The clocks run faster than the machine's by the factor given (row by row: ${rowByRow.factor}), so the machine's own work counts that many times.`,
		head: ['Changed', 'Clock', ...headOf('Sync'), ...headOf('Row by row')],
		rows: readings.map((reading) => [
			`${reading.changedPercent} %`,
			`${reading.factor} ×`,
			...figures(reading),
			...figures(rowByRow),
		]),
		requirements: toRequirements(readings, rowByRow),
	};
}

function toRequirements(readings: Reading[], rowByRow: Reading): Requirement[] {
	const allowed = new Map([
		[0, PAGES + 1],
		[1, 2 * PAGES + 2],
		[100, rowByRow.requests + PAGES],
	]);
	const limits = readings.flatMap(({ changedPercent, requests, problem }) => {
		const most = allowed.get(changedPercent);
		if (most === undefined) return [];
		return {
			text: `${changedPercent} % changed: at most ${count(most)} requests`,
			measured: count(requests),
			isMet: requests <= most && !problem,
		};
	});
	const right = readings.filter(({ problem }) => !problem);
	return [
		...limits,
		{
			text: 'after each run the CRM is right',
			measured: `${right.length} of ${readings.length}`,
			isMet: right.length === readings.length,
		},
	];
}
