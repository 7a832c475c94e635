import {
	changesNode,
	changesWorkflow,
	LIST_PATH,
	pollEvery,
	readings,
} from '../../n8n/changesRuns';
import { poll } from '../../n8n/poll';
import { startTestbed, type Testbed } from '../../n8n/testbed';
import { delay, performance } from '../../support/platform';
import { count, medianBy } from '../output/numbers';
import type { Table } from '../output/table';
import { processorTimeMs } from '../processorTime';

const CONTACTS = 10_000;
const RUNS = 5;
/** Longer than a poll takes. */
const POLL_SECONDS = 15;
/** Before the credential was decrypted once for a poll; measured in the same way on the same machine. */
const MOST_CPU_MS = 900;

interface Reading {
	cpuMs: number;
	requests: number;
}

/** What a poll of the Changes Trigger costs n8n when nothing has changed. */
export async function measurePoll(): Promise<Table> {
	const bed = await startTestbed({ contacts: CONTACTS });
	try {
		await delay(POLL_SECONDS * 1_000);
		const idle = await measure(bed, async () => await delay(POLL_SECONDS * 1_000));
		const node = changesNode({ watch: 'all', pollTimes: pollEvery(POLL_SECONDS) });
		const { id } = await bed.n8n.rest.createWorkflow(changesWorkflow(node));
		await bed.n8n.rest.publish(id);
		await untilNext(bed);
		const runs: Reading[] = [];
		for (let run = 0; run < RUNS; run += 1) {
			runs.push(await measure(bed, async () => await untilNext(bed)));
		}
		return toTable(
			medianBy(runs, ({ cpuMs }) => cpuMs),
			idle,
		);
	} finally {
		await bed.close();
	}
}

async function measure({ n8n, sandbox }: Testbed, work: () => Promise<void>): Promise<Reading> {
	const cpuBeforeMs = processorTimeMs(n8n.pid);
	const requestsBefore = sandbox.requests.length;
	const startMs = performance.now();
	await work();
	const cpuMs = processorTimeMs(n8n.pid) - cpuBeforeMs;
	const share = (POLL_SECONDS * 1_000) / (performance.now() - startMs);
	return { cpuMs: cpuMs * share, requests: sandbox.requests.length - requestsBefore };
}

async function untilNext({ sandbox }: Testbed): Promise<void> {
	const before = readings(sandbox);
	await poll(
		() => readings(sandbox),
		(now) => now > before,
		`the next poll of ${LIST_PATH}`,
	);
}

function toTable({ cpuMs, requests }: Reading, idle: Reading): Table {
	const pollMs = Math.round(cpuMs - idle.cpuMs);
	return {
		title: `Watch ${count(CONTACTS)} contacts`,
		how: `The Changes Trigger polls every ${POLL_SECONDS} seconds in a real n8n, and nothing changes. Processor time of n8n from the beginning of one poll to that of the next, less what n8n takes in that time when it has nothing to do. The median of ${RUNS} polls.`,
		head: ['', 'Requests', 'CPU ms'],
		rows: [['A poll', count(requests), count(pollMs)]],
		requirements: [
			{
				text: `at most ${count(MOST_CPU_MS)} ms of processor time`,
				measured: `${count(pollMs)} ms`,
				isMet: pollMs <= MOST_CPU_MS,
			},
		],
	};
}
