import { startSandbox, type Sandbox } from '../../sandbox';
import { fastClock } from '../../support/clock';
import { ourUpsert } from '../nodes';
import { count } from '../output/numbers';
import type { Requirement, Table } from '../output/table';
import { addAsContacts, countMissing, makeRows, type Row } from '../rows';
import { ourSync } from '../syncNode';
import { startWorker } from '../worker/worker';

const CONTACTS = 10_000;
const PAGES = CONTACTS / 100;
const FEW = 8;
/** How old what is known of a contact may be when consent is sent. */
const FRESH_MS = 10_000;

interface Case {
	changedPercent: number;
	/** Whether all rows opt in; the changed ones had not opted in before. */
	optIn: boolean;
	/**
	 * How many times as fast as real time all clocks run. Real time that the machine needs counts as many times
	 * more, so this is just enough for the run to end within minutes.
	 */
	factor: number;
}

const cases: Case[] = [false, true].flatMap((optIn) => [
	{ changedPercent: 0, optIn, factor: 1 },
	{ changedPercent: 1, optIn, factor: 1 },
	{ changedPercent: 10, optIn, factor: 10 },
	{ changedPercent: 100, optIn, factor: 40 },
]);

/** What one run took. */
interface Reading {
	label: string;
	optIn: boolean;
	elapsedMs: number;
	/** Requests that the limiter let pass: for all contacts, for those who opted out, and changes. */
	pages: number;
	optOutPages: number;
	changes: number;
	refused: number;
	/** Why the contacts are not as the rows say, if they are not. */
	problem?: string;
}

/** Making many contacts in the CRM equal to rows from elsewhere, when some of them have changed. */
export async function measureSync(): Promise<Table> {
	const readings: Reading[] = [];
	for (const each of cases.filter(({ changedPercent }) => changedPercent < 100)) {
		readings.push(await measureCase(each));
	}
	// These take the longest, and mostly wait.
	const all = cases.filter(({ changedPercent }) => changedPercent === 100);
	readings.push(...(await Promise.all(all.map(async (each) => await measureCase(each)))));
	const rowByRow = await measureCase({ changedPercent: 100, optIn: false, factor: 40 }, ourUpsert);
	const few = await measureFew();
	return toTable([...readings, ...few], rowByRow);
}

async function measureCase(each: Case, node = ourSync): Promise<Reading> {
	const { changedPercent, optIn, factor } = each;
	const sandbox = await startSandbox({ clock: fastClock(factor), limiter: { kind: 'sliding' } });
	try {
		const before = makeRows(CONTACTS);
		addAsContacts(sandbox, before);
		const isChanged = (index: number) => index % 100 < changedPercent;
		[...sandbox.store.contacts.values()].forEach((contact, index) => {
			if (optIn) contact.opt_in_status = isChanged(index) ? 'none' : 'confirmed';
		});
		const rows = before.map((row, index) =>
			isChanged(index) ? { ...row, name: `${row.name}, renamed` } : row,
		);
		return await measure(sandbox, node, rows, { label: `${changedPercent} %`, optIn, factor });
	} finally {
		await sandbox.close();
	}
}

/** A few new contacts among many, and the same again. */
async function measureFew(): Promise<Reading[]> {
	const sandbox = await startSandbox({ clock: fastClock(1), limiter: { kind: 'sliding' } });
	try {
		addAsContacts(sandbox, makeRows(CONTACTS));
		const rows = makeRows(CONTACTS + FEW).slice(CONTACTS);
		const how = { optIn: true, factor: 1 };
		const first = await measure(sandbox, ourSync, rows, { ...how, label: `${FEW} new rows` });
		sandbox.requests.length = 0;
		return [first, await measure(sandbox, ourSync, rows, { ...how, label: 'the same rows again' })];
	} finally {
		await sandbox.close();
	}
}

async function measure(
	sandbox: Sandbox,
	node: typeof ourSync,
	rows: Row[],
	{ label, optIn, factor }: Pick<Case, 'optIn' | 'factor'> & Pick<Reading, 'label'>,
): Promise<Reading> {
	const worker = await startWorker();
	try {
		const items = rows.map((row) => ({ ...row }));
		const known = [...sandbox.store.contacts.values()];
		const { succeeded, failed, error, elapsedMs } = await worker.run({
			...node(sandbox, optIn),
			items,
			factor,
		});
		const wrong = countMissing(sandbox, rows);
		const numbers = new Set([...known, ...rows].map(({ phone }) => phone));
		const extra = sandbox.store.contacts.size - numbers.size;
		const isRight = wrong === 0 && extra === 0 && succeeded === rows.length;
		const problem = `${wrong} contacts wrong, ${extra} too many, ${failed} items failed`;
		const passed = sandbox.requests.filter(({ status }) => status !== 429);
		const reads = passed.filter(({ method }) => method === 'GET');
		const optOutPages = reads.filter(({ query }) => query.opt_in_status !== undefined).length;
		return {
			label,
			optIn,
			elapsedMs: elapsedMs * factor,
			pages: reads.length - optOutPages,
			optOutPages,
			changes: passed.length - reads.length,
			refused: sandbox.requests.length - passed.length,
			problem: isRight ? undefined : (error ?? problem),
		};
	} finally {
		await worker.end();
	}
}

function toTable(readings: Reading[], rowByRow: Reading): Table {
	const toRow = (name: string, reading: Reading) => [
		`${name}${reading.optIn ? ', Opt In' : ''}`,
		...[reading.pages, reading.optOutPages, reading.changes, reading.refused].map(count),
		(reading.elapsedMs / 60_000).toFixed(1),
	];
	const mostFactor = Math.max(...cases.map(({ factor }) => factor));
	const problems = [...readings, rowByRow].flatMap(({ label, problem }) =>
		problem ? [`${label}: ${problem}.`] : [],
	);
	return {
		title: `Bring ${count(CONTACTS)} contacts up to date`,
		how: `A part of the rows has a new name. With Opt In, every row says yes, and the contacts with a new name had not opted in before; the answer to the request with the name shows each before its consent is sent. The service allows 120 requests in any minute; refused ones are counted apart. Clocks run up to ${mostFactor} times as fast as the machine's. Afterwards, every contact is compared with its row.`,
		head: [
			'Rows that differ',
			'Pages and look-ups',
			'Pages of opted-out contacts',
			'Changes',
			'429s',
			'Minutes',
		],
		rows: [
			...readings.map((reading) => toRow(reading.label, reading)),
			toRow(`${rowByRow.label}, by Create or Update`, rowByRow),
		],
		notes: problems.length > 0 ? problems : ['All contacts were as their rows say.'],
		requirements: toRequirements(readings),
	};
}

function toRequirements(readings: Reading[]): Requirement[] {
	const limits = readings.map((reading): Requirement => {
		const { label, optIn, pages, optOutPages, changes, elapsedMs, problem } = reading;
		const changed = Number(/^(\d+) %$/.exec(label)?.[1] ?? NaN);
		// The consent of a contact that the CRM has takes a request of its own.
		const most = Number.isNaN(changed) ? FEW : ((CONTACTS * changed) / 100) * (optIn ? 2 : 1);
		const mostLists = optIn ? 1 + Math.floor(elapsedMs / FRESH_MS) : 0;
		const mostPages = PAGES + 1;
		return {
			text: `${label}${optIn ? ', Opt In' : ''}: at most ${count(mostPages)} pages or look-ups, ${count(mostLists)} of opted-out contacts, ${count(most)} changes`,
			measured: `${count(pages)}, ${count(optOutPages)}, ${count(changes)}`,
			isMet: pages <= mostPages && optOutPages <= mostLists && changes <= most && !problem,
		};
	});
	const again = readings.at(-1);
	const right = readings.filter(({ problem }) => !problem);
	return [
		...limits,
		{
			text: 'syncing a few rows again changes nothing',
			measured: count(again?.changes ?? NaN),
			isMet: again?.changes === 0,
		},
		{
			text: 'after each run, the CRM matches the rows',
			measured: `${right.length} of ${readings.length}`,
			isMet: right.length === readings.length,
		},
	];
}
