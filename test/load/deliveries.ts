import { count, times } from '../bench/output/numbers';
import type { Requirement, Table } from '../bench/output/table';
import { poll } from '../n8n/poll';
import { startTestbed, type Testbed } from '../n8n/testbed';
import { delay } from '../support/platform';
import { answerTimes } from './answerTimes';
import { startSender, type Sender } from './sender/sender';
import type { Answer } from './sender/job';
import { publishAll, type Start, type WebhookStart } from './starts';

/** How much is sent. */
export interface Amount {
	/** Deliveries in a second. */
	rate: number;
	/** For so many seconds one workflow is sent to, then the next. */
	sliceSeconds: number;
	slices: number;
	/** Deliveries that come in the same moment. */
	burst: number;
	bursts: number;
}

/** What is asked of the trigger. */
export const FULL: Amount = { rate: 50, sliceSeconds: 10, slices: 12, burst: 500, bursts: 3 };
/** Enough to see what becomes of an n8n that cannot keep up. */
export const SOME: Amount = { rate: 50, sliceSeconds: 10, slices: 2, burst: 500, bursts: 1 };
/** What an n8n that makes many engines for expressions can keep up with. */
export const SLOW: Amount = { rate: 4, sliceSeconds: 20, slices: 6, burst: 25, bursts: 3 };
/** To try the program out. */
export const SHORT: Amount = { rate: 50, sliceSeconds: 5, slices: 2, burst: 100, bursts: 1 };

const ALLOWED_MS = 10_000;
const ALLOWED_RATIO = 1.2;
const WARM_UP = 100;
/** What n8n still does with the executions of one workflow must not slow the answers of another. */
const QUIET_MS = 2_000;
const SETTLE_MS = 120_000;

/** When n8n makes an engine for expressions: for each run, which is its default, or when one comes. */
export interface EngineSetting {
	name: string;
	env: Record<string, string>;
	/** What to compare our trigger with. */
	others: WebhookStart[];
	about: string;
}

export const asItComes: EngineSetting = {
	name: 'n8n as it comes',
	env: {},
	others: ['Webhook node', 'Webhook node with an expression'],
	about:
		'n8n 2.41 makes an engine for expressions for each delivery before it asks the node, and another one for the execution, whether there are expressions or not. It spares the first one only to its own Webhook node, if that has no expressions. No other trigger can be spared it, so the Webhook node with an expression is the one to compare what our trigger does with.',
};
export const whenNeeded: EngineSetting = {
	name: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true',
	env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	others: ['Webhook node'],
	about:
		"With this setting, n8n makes an engine for expressions only when one has to be worked out. Nothing in our trigger's way of a delivery is one.",
};

/** For all alike: nothing of an execution that went well is kept, as busy instances do. */
const SETTINGS = {
	EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	EXECUTIONS_DATA_SAVE_ON_ERROR: 'all',
	EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'false',
};

/** What was sent to one workflow. */
interface Reading {
	start: Start;
	steady: Answer[];
	bursts: Answer[];
	/** As n8n counts them; before, and for what was sent. */
	executionsBefore: number;
	executions: number;
}

/** Many deliveries, beside the same ones to a workflow that begins with n8n's own Webhook node. */
export async function measureDeliveries(amount: Amount, engine: EngineSetting): Promise<Table> {
	const bed = await startTestbed({ env: { ...SETTINGS, ...engine.env } });
	const sender = await startSender();
	try {
		const readings: Reading[] = [];
		for (const start of await publishAll(bed, engine.others)) {
			await sender.run({ ...start.job, count: WARM_UP, everyMs: 1_000 / amount.rate });
			const executionsBefore = await countExecutions(bed, start);
			readings.push({ start, steady: [], bursts: [], executionsBefore, executions: 0 });
		}
		await sendSteadily(sender, readings, amount);
		await sendBursts(sender, readings, amount);
		for (const reading of readings) {
			const { start, executionsBefore } = reading;
			reading.executions = (await countExecutions(bed, start)) - executionsBefore;
		}
		return toTable(readings, amount, engine);
	} finally {
		await sender.end();
		await bed.close();
	}
}

/** One after the other in short slices, so that whatever else the machine does meets both. */
async function sendSteadily(sender: Sender, readings: Reading[], amount: Amount): Promise<void> {
	const { rate, sliceSeconds, slices } = amount;
	for (let slice = 0; slice < slices; slice += 1) {
		for (const { start, steady } of readings) {
			const job = { ...start.job, count: rate * sliceSeconds, everyMs: 1_000 / rate };
			steady.push(...(await sender.run(job)));
			await delay(QUIET_MS);
		}
	}
}

async function sendBursts(sender: Sender, readings: Reading[], amount: Amount): Promise<void> {
	for (let round = 0; round < amount.bursts; round += 1) {
		for (const { start, bursts } of readings) {
			bursts.push(...(await sender.run({ ...start.job, count: amount.burst, everyMs: 0 })));
			await delay(QUIET_MS);
		}
	}
}

/** How many executions have ended well, once no more come. */
async function countExecutions({ n8n }: Testbed, { workflowId }: Start): Promise<number> {
	let before = -1;
	return await poll(
		async () => {
			await delay(QUIET_MS);
			const path = `/workflow-stats/${workflowId}/counts/`;
			return (await n8n.rest.get<{ productionSuccess: number }>(path)).productionSuccess;
		},
		(now) => {
			const isSettled = now === before;
			before = now;
			return isSettled;
		},
		SETTLE_MS,
		'the executions to end',
	);
}

function toTable(readings: Reading[], amount: Amount, engine: EngineSetting): Table {
	const { rate, sliceSeconds, slices, burst, bursts } = amount;
	const [ours, webhook, withExpression] = readings;
	const parts = ['steady', 'bursts'] as const;
	const names = {
		steady: `${rate} a second for ${sliceSeconds * slices} seconds`,
		bursts: `${bursts} × ${burst} at once`,
	};
	const beside = (other: Reading) => {
		const ratios = parts.map(
			(part) => `${times(ratioOf(ours[part], other[part]))} (${names[part]})`,
		);
		return `Our p99 beside that of the ${other.start.name}: ${ratios.join(', ')}.`;
	};
	return {
		title: `${rate} deliveries a second, ${engine.name}`,
		how: `Signed deliveries, each with an event of its own, to a published workflow that holds our trigger only, and to ${engine.others.length === 1 ? 'one' : 'others'} with n8n's own Webhook node only, which answers at once, checks no signature and remembers nothing. One n8n process with SQLite, with ${describe(SETTINGS)}. A process of its own sends each delivery when it is due, whether earlier ones are answered or not, and times it from then on. One workflow after the other is sent to, in turns of ${sliceSeconds} seconds and burst by burst, with ${QUIET_MS / 1_000} seconds of rest after each.`,
		head: ['', 'Sent', 'Answered with 200', 'p50 (ms)', 'p95', 'p99', 'Max'],
		rows: parts.flatMap((part) =>
			readings.map(({ start, [part]: answers }) => {
				const { p50, p95, p99, max } = answerTimes(answers);
				const good = answers.filter(({ status }) => status === 200).length;
				const figures = [p50, p95, p99, max].map((ms) => ms.toFixed(0));
				return [`${start.name}, ${names[part]}`, count(answers.length), count(good), ...figures];
			}),
		),
		notes: [engine.about, ...(withExpression ? [beside(withExpression)] : [])],
		requirements: [
			...parts.map((part) => compare(names[part], ours[part], webhook[part])),
			...parts.map((part) => withinTime(names[part], ours[part])),
			oneEach(ours),
		],
	};
}

const describe = (settings: Record<string, string>) =>
	Object.entries(settings)
		.map(([name, value]) => `\`${name}=${value}\``)
		.join(', ');

function compare(name: string, ours: Answer[], webhook: Answer[]): Requirement {
	const ratio = ratioOf(ours, webhook);
	return {
		text: `${name}: p99 at most ${ALLOWED_RATIO} times that of the Webhook node`,
		measured: times(ratio),
		isMet: ratio <= ALLOWED_RATIO,
	};
}

const ratioOf = (ours: Answer[], other: Answer[]) => answerTimes(ours).p99 / answerTimes(other).p99;

function withinTime(name: string, answers: Answer[]): Requirement {
	const inTime = answers.filter(
		({ status, elapsedMs }) => status === 200 && elapsedMs <= ALLOWED_MS,
	);
	return {
		text: `${name}: every delivery answered with 200 within ${ALLOWED_MS / 1_000} seconds`,
		measured: `${count(inTime.length)} of ${count(answers.length)}`,
		isMet: inTime.length === answers.length,
	};
}

function oneEach({ steady, bursts, executions }: Reading): Requirement {
	const sent = [...steady, ...bursts];
	const started = sent.filter(({ isStarted }) => isStarted).length;
	return {
		text: 'our trigger starts one execution for each event',
		measured: `${count(sent.length)} events, ${count(started)} answers that it was started, ${count(executions)} executions`,
		isMet: started === sent.length && executions === sent.length,
	};
}
