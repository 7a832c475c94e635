import { count } from '../bench/output/numbers';
import type { Table } from '../bench/output/table';
import { poll } from '../n8n/poll';
import { startTestbed, triggerWorkflow, type Testbed } from '../n8n/testbed';
import { ask, outcome } from '../n8n/waits';
import { addContacts } from '../workflow/support';
import { delay } from '../support/platform';
import { answerTimes } from './answerTimes';

const WAITS = 19;
const ALLOWED_MS = 10_000;

export interface WaitLoad {
	/** Messages of other contacts in a second. */
	rates: number[];
	secondsEach: number;
}

export const FULL_WAITS: WaitLoad = { rates: [0.1, 0.25, 0.5, 1], secondsEach: 120 };
export const SHORT_WAITS: WaitLoad = { rates: [0.25], secondsEach: 12 };

interface Reading {
	rate: number;
	messages: number;
	deliveries: number;
	/** Deliveries without a good answer in time. */
	late: number;
	p50: number;
	p95: number;
	max: number;
	/** Messages that did not start the trigger's workflow. */
	lost: number;
}

/**
 * As many waits as a workspace can have beside one trigger, while other contacts write: each message
 * goes to every one of them.
 */
export async function measureWaits(load: WaitLoad): Promise<Table> {
	const bed = await startTestbed({ env: { DB_PING_TIMEOUT_MS: '5000' } });
	try {
		const contacts = addContacts(bed.sandbox, WAITS + 1);
		const other = contacts[WAITS];
		const { id } = await bed.n8n.rest.createWorkflow(
			triggerWorkflow({ events: ['message.received'] }),
		);
		await bed.n8n.rest.publish(id);
		const executions: string[] = [];
		for (const contact of contacts.slice(0, WAITS)) executions.push(await ask(bed, contact));
		const readings: Reading[] = [];
		for (const rate of load.rates) {
			readings.push(await sendAt(bed, rate, load.secondsEach, other.id, id));
		}
		let right = 0;
		for (const [index, execution] of executions.entries()) {
			const { phone, id } = contacts[index];
			bed.sandbox.emit.inboundMessage(id, phone);
			await bed.sandbox.settled();
			const [{ message }] = await outcome(bed, execution);
			if ((message as { text: string }).text === phone) right += 1;
		}
		return toTable(readings, right);
	} finally {
		await bed.close();
	}
}

async function sendAt(
	bed: Testbed,
	rate: number,
	seconds: number,
	contactId: string,
	workflowId: string,
): Promise<Reading> {
	const { sandbox } = bed;
	const started = await startedBy(bed, workflowId);
	const first = sandbox.deliveries.length;
	const messages = Math.max(1, Math.round(rate * seconds));
	const startMs = performance.now();
	for (let index = 0; index < messages; index += 1) {
		await delay(Math.max(0, (index / rate) * 1_000 - (performance.now() - startMs)));
		sandbox.emit.inboundMessage(contactId, `Message ${index}`);
	}
	await sandbox.settled();
	const deliveries = sandbox.deliveries.slice(first);
	const answers = deliveries.map(({ attempts: [{ durationMs, status }] }) => ({
		elapsedMs: durationMs,
		isGood: status === 200 && durationMs < ALLOWED_MS,
	}));
	const more = await poll(
		async () => (await startedBy(bed, workflowId)) - started,
		(runs) => runs >= messages,
		'the trigger to start its workflow',
		20_000,
	).catch(async () => (await startedBy(bed, workflowId)) - started);
	const { p50, p95, max } = answerTimes(answers);
	const late = answers.filter(({ isGood }) => !isGood).length;
	return {
		rate,
		messages,
		deliveries: deliveries.length,
		late,
		p50,
		p95,
		max,
		lost: messages - more,
	};
}

/** How many executions the trigger has started: up to 100, which is all that n8n lists at once. */
async function startedBy({ n8n }: Testbed, workflowId: string): Promise<number> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const answer = await n8n.rest.get<{ count: number }>(`/executions?filter=${filter}&limit=1`);
	return answer.count;
}

function toTable(readings: Reading[], right: number): Table {
	const kept = readings.filter(({ late, lost }) => late === 0 && lost === 0);
	const highest = Math.max(0, ...kept.map(({ rate }) => rate));
	return {
		title: 'Waits for a reply',
		how: `${WAITS} executions wait after Send Template and Wait for Response, each for a contact of its own, and one trigger is published. Another contact writes; each message is delivered to all ${WAITS + 1}, and each delivery to a wait has n8n load that execution. At the end, the ${WAITS} contacts reply.`,
		head: [
			'Messages a second',
			'Messages',
			'Deliveries',
			'Not answered with 200 in 10 s',
			'p50 ms',
			'p95 ms',
			'Most ms',
			'Messages that the trigger lost',
		],
		rows: readings.map(({ rate, messages, deliveries, late, p50, p95, max, lost }) => [
			String(rate),
			...[messages, deliveries, late, p50, p95, max, lost].map((value) => count(value)),
		]),
		notes: [
			`The highest rate at which all were answered within 10 s, and nothing was lost, in messages of the whole workspace: **${highest} a second**.`,
		],
		requirements: [
			{
				text: 'each contact who replies at the end has their own execution go on',
				measured: `${right} of ${WAITS}`,
				isMet: right === WAITS,
			},
			{
				text: 'at the lowest rate, all are answered in time and nothing is lost',
				measured: `${readings[0].late} late, ${readings[0].lost} lost`,
				isMet: readings[0].late === 0 && readings[0].lost === 0,
			},
		],
	};
}
