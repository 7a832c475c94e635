import { startSandbox, type Sandbox } from '../../sandbox';
import { performance } from '../../support/platform';
import type { N8nRestClient } from '../../n8n/n8nRestClient';
import { startTestbed } from '../../n8n/testbed';
import { manualWorkflow } from '../../n8n/workflows';
import { httpList, ourList, type NodeSetUp } from '../nodes';
import { count, medianBy, seconds, times } from '../output/numbers';
import type { Table } from '../output/table';
import { addAsContacts, makeRows } from '../rows';

const CONTACTS = 10_000;
const LATENCY_MS = 50;
const RUNS = 5;
const PAGE_SIZE = 100;

interface Reading {
	requests: number;
	elapsedMs: number;
}

/** Reading a long list, in the real n8n. */
export async function measureList(): Promise<Table> {
	const bed = await startTestbed();
	const readings = { ours: [] as Reading[], http: [] as Reading[], loop: [] as Reading[] };
	try {
		for (let run = 0; run < RUNS; run += 1) {
			// A service of its own, because our node allows each key 120 requests a minute.
			const sandbox = await startSandbox({ latencyMs: LATENCY_MS, limiter: { kind: 'off' } });
			addAsContacts(sandbox, makeRows(CONTACTS));
			const { rest } = bed.n8n;
			try {
				readings.ours.push(await readInN8n(rest, sandbox, ourList(sandbox)));
				readings.http.push(await readInN8n(rest, sandbox, httpList(sandbox)));
				readings.loop.push(await readInLoop(sandbox));
			} finally {
				await sandbox.close();
			}
		}
	} finally {
		await bed.close();
	}
	return toTable(readings.ours, readings.http, readings.loop);
}

/** Runs a workflow with the node. The time is the one that n8n shows for the node. */
async function readInN8n(
	rest: N8nRestClient,
	sandbox: Sandbox,
	{ node, credential }: NodeSetUp,
): Promise<Reading> {
	const requestsBefore = sandbox.requests.length;
	const [type] = Object.keys(node.credentials ?? {});
	const id = await rest.createCredential('Bench', type, credential as Record<string, string>);
	const credentials = { [type]: { id, name: 'Bench' } };
	const workflow = manualWorkflow([{ ...node, onError: undefined, credentials }]);
	const saved = await rest.createWorkflow(workflow);
	const { data, status } = await rest.runWorkflow(saved.id, 'Start');
	if (status !== 'success') throw new Error(`${status}: ${data.resultData.error?.message}`);
	const [{ executionTime, data: output }] = data.resultData.runData[node.name];
	const items = output?.main[0] ?? [];
	// The HTTP Request node returns pages, each with the contacts in it.
	const contacts = items.reduce(
		(sum, { json }) => sum + (Array.isArray(json.data) ? json.data.length : 1),
		0,
	);
	if (contacts !== CONTACTS) throw new Error(`${node.name} gave ${contacts} contacts`);
	return { requests: sandbox.requests.length - requestsBefore, elapsedMs: executionTime };
}

/** What a script would do: one page after the other, with no n8n around it. */
async function readInLoop({ url, apiKey, requests }: Sandbox): Promise<Reading> {
	const requestsBefore = requests.length;
	const startMs = performance.now();
	let total = Infinity;
	for (let offset = 0; offset < total; offset += PAGE_SIZE) {
		const response = await fetch(`${url}/v1/contacts?limit=${PAGE_SIZE}&offset=${offset}`, {
			headers: { authorization: `Bearer ${apiKey}` },
		});
		({ total } = (await response.json()) as { total: number });
	}
	return { requests: requests.length - requestsBefore, elapsedMs: performance.now() - startMs };
}

function toTable(ours: Reading[], http: Reading[], loop: Reading[]): Table {
	const typical = medianBy(ours, ({ elapsedMs }) => elapsedMs);
	const row = (name: string, readings: Reading[]) => {
		const { requests, elapsedMs } = medianBy(readings, (each) => each.elapsedMs);
		return [name, count(requests), seconds(elapsedMs), times(elapsedMs / typical.elapsedMs)];
	};
	const requestCounts = [...new Set(ours.map(({ requests }) => requests))];
	const httpMs = medianBy(http, ({ elapsedMs }) => elapsedMs).elapsedMs;
	const ratio = httpMs / typical.elapsedMs;
	return {
		title: `List ${count(CONTACTS)} contacts`,
		how: `Each answer takes ${LATENCY_MS} ms, and the service has no limit. The nodes run in a real n8n, which reports their time; the loop is a script. Figures are the median of ${RUNS} runs.`,
		head: ['', 'Requests', 'Seconds', 'Times ours'],
		rows: [
			row('Contact > Get Many, Return All', ours),
			row('HTTP Request, pagination', http),
			row('A loop, one page at a time', loop),
		],
		requirements: [
			{
				text: 'exactly 100 requests',
				measured: requestCounts.join(', '),
				isMet: requestCounts.length === 1 && requestCounts[0] === CONTACTS / PAGE_SIZE,
			},
			{
				text: 'at least 8 times as fast as the HTTP Request node',
				measured: times(ratio),
				isMet: ratio >= 8,
			},
		],
	};
}
