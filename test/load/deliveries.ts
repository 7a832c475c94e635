import { count, median, times } from '../bench/output/numbers';
import type { Requirement, Table } from '../bench/output/table';
import { poll } from '../n8n/poll';
import { startTestbed, type Testbed } from '../n8n/testbed';
import { delay } from '../support/platform';
import { answerTimes } from './answerTimes';
import { startSender, type Sender } from '../bench/sender/sender';
import type { Answer, Job } from '../bench/sender/job';
import { publishAll, type Start, type WebhookStart } from '../bench/starts';

/** How much is sent. */
export interface Amount {
	/** Deliveries in a second. */
	rate: number;
	/** For so many seconds each workflow is sent to before anything is measured. */
	warmUpSeconds: number;
	/** For so many seconds one workflow is sent to, then the next. */
	sliceSeconds: number;
	slices: number;
	/** For so many seconds all workflows are sent to at once, `rate` in all. */
	togetherSeconds: number;
	/** Deliveries that come in the same moment. */
	burst: number;
	bursts: number;
}

/** What is asked of the trigger. The warm-up is long enough for n8n to clear away its start. */
export const FULL: Amount = {
	rate: 50,
	warmUpSeconds: 30,
	sliceSeconds: 10,
	slices: 12,
	togetherSeconds: 120,
	burst: 500,
	bursts: 3,
};
/** Enough to see what becomes of an n8n that cannot keep up. */
export const SOME: Amount = {
	rate: 50,
	warmUpSeconds: 2,
	sliceSeconds: 10,
	slices: 2,
	togetherSeconds: 0,
	burst: 500,
	bursts: 1,
};
/** What an n8n that makes many engines for expressions can keep up with. */
export const SLOW: Amount = {
	rate: 4,
	warmUpSeconds: 25,
	sliceSeconds: 20,
	slices: 6,
	togetherSeconds: 120,
	burst: 25,
	bursts: 3,
};
/** To try the program out. */
export const SHORT: Amount = {
	rate: 50,
	warmUpSeconds: 2,
	sliceSeconds: 5,
	slices: 2,
	togetherSeconds: 5,
	burst: 100,
	bursts: 1,
};

const ALLOWED_MS = 10_000;
const ALLOWED_RATIO = 1.2;
/** What n8n still does with the executions of one workflow must not slow the answers of another. */
const QUIET_MS = 2_000;

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
/** What n8n does by itself; the tests set it otherwise, which would hide what a load does to n8n. */
const AS_N8N_COMES = { DB_PING_TIMEOUT_MS: '5000' };

/** How deliveries come: to one workflow after the other, to all at once, in bursts. */
const PARTS = ['turns', 'together', 'bursts'] as const;
type Part = (typeof PARTS)[number];

/** What was sent to one workflow. */
interface Reading {
	start: Start;
	sender: Sender;
	answers: Record<Part, Answer[]>;
	/** As n8n counts them; before, and for what was sent. */
	executionsBefore: number;
	executions: number;
}

/** Many deliveries, beside the same ones to a workflow that begins with n8n's own Webhook node. */
export async function measureDeliveries(amount: Amount, engine: EngineSetting): Promise<Table> {
	const bed = await startTestbed({ env: { ...SETTINGS, ...AS_N8N_COMES, ...engine.env } });
	const readings: Reading[] = [];
	try {
		for (const start of await publishAll(bed, engine.others)) {
			const answers = { turns: [], together: [], bursts: [] };
			const sender = await startSender();
			readings.push({ start, sender, answers, executionsBefore: 0, executions: 0 });
		}
		for (const reading of readings) {
			await sendFor(amount.warmUpSeconds, reading, amount);
			reading.executionsBefore = await countExecutions(bed, reading.start);
		}
		await sendInTurns(readings, amount);
		await sendTogether(readings, amount);
		await sendBursts(bed, readings, amount);
		for (const reading of readings) {
			const { start, executionsBefore } = reading;
			reading.executions = (await countExecutions(bed, start)) - executionsBefore;
		}
		return toTable(readings, amount, engine);
	} finally {
		for (const { sender } of readings) await sender.end();
		await bed.close();
	}
}

type Flow = Pick<Job, 'count' | 'everyMs'>;

async function send({ start, sender }: Reading, flow: Flow): Promise<Answer[]> {
	return await sender.run({ ...start.job, ...flow });
}

async function sendFor(seconds: number, reading: Reading, { rate }: Amount): Promise<Answer[]> {
	return await send(reading, { count: Math.round(rate * seconds), everyMs: 1_000 / rate });
}

/** Each in short turns, so that whatever else the machine does meets all. */
async function sendInTurns(readings: Reading[], amount: Amount): Promise<void> {
	for (let slice = 0; slice < amount.slices; slice += 1) {
		for (const reading of readings) {
			reading.answers.turns.push(...(await sendFor(amount.sliceSeconds, reading, amount)));
			await delay(QUIET_MS);
		}
	}
}

/** All at once, each a little after the one before, so that the same pauses of n8n meet all. */
async function sendTogether(readings: Reading[], amount: Amount): Promise<void> {
	const rate = amount.rate / readings.length;
	await Promise.all(
		readings.map(async (reading, index) => {
			await delay((1_000 / amount.rate) * index);
			reading.answers.together = await sendFor(amount.togetherSeconds, reading, {
				...amount,
				rate,
			});
		}),
	);
}

/** Each once n8n has done with all that came before. */
async function sendBursts(bed: Testbed, readings: Reading[], amount: Amount): Promise<void> {
	for (let round = 0; round < amount.bursts; round += 1) {
		for (const reading of readings) {
			for (const { start } of readings) await countExecutions(bed, start);
			reading.answers.bursts.push(...(await send(reading, { count: amount.burst, everyMs: 0 })));
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
		'the executions to end',
	);
}

function toTable(readings: Reading[], amount: Amount, engine: EngineSetting): Table {
	const { rate, sliceSeconds, slices, togetherSeconds, burst, bursts } = amount;
	const [ours, webhook, withExpression] = readings;
	const names = {
		turns: `${rate} a second for ${sliceSeconds * slices} seconds, in turns`,
		together: `${rate} a second in all for ${togetherSeconds} seconds, at once`,
		bursts: `${bursts} × ${burst} in one moment`,
	};
	const parts = PARTS.filter((part) => ours.answers[part].length > 0);
	const beside = (other: Reading) => {
		const ratios = parts.map((part) => `${times(ratioOf(part, ours, other))} (${names[part]})`);
		return `Our p99 beside that of the ${other.start.name}: ${ratios.join('; ')}.`;
	};
	return {
		title: `${rate} deliveries a second, ${engine.name}`,
		how: `Signed deliveries, each with an event of its own, to a published workflow that holds our trigger only, and to ${engine.others.length === 1 ? 'one' : 'others'} with n8n's own Webhook node only, which answers at once, checks no signature and remembers nothing. One n8n process with SQLite, with ${describe(SETTINGS)}. A process for each workflow sends each delivery when it is due, whether earlier ones are answered or not, and times it from then on. In turns: ${sliceSeconds} seconds to one workflow, ${QUIET_MS / 1_000} seconds of rest, then the next.${togetherSeconds > 0 ? ' At once: so many to all of them together.' : ''} A burst comes once n8n has done with what came before.`,
		head: ['', 'Sent', 'Answered with 200', 'p50 (ms)', 'p95', 'p99', 'Max'],
		rows: parts.flatMap((part) =>
			readings.map(({ start, answers }) => {
				const { p50, p95, p99, max } = answerTimes(answers[part]);
				const good = answers[part].filter(({ status }) => status === 200).length;
				const figures = [p50, p95, p99, max].map((ms) => ms.toFixed(0));
				const sent = answers[part].length;
				return [`${start.name}, ${names[part]}`, count(sent), count(good), ...figures];
			}),
		),
		notes: [
			engine.about,
			...(withExpression ? [beside(withExpression)] : []),
			...(togetherSeconds > 0 ? [aboutPauses(readings, amount)] : []),
		],
		requirements: [
			...parts.map((part) => compare(names[part], ratioOf(part, ours, webhook))),
			...parts.map((part) => withinTime(names[part], ours.answers[part])),
			oneEach(ours),
		],
	};
}

function aboutPauses(readings: Reading[], amount: Amount): string {
	const medians = readings.map(
		(reading) => `${reading.start.name} ${medianTurn(reading, amount).toFixed(0)} ms`,
	);
	return `When n8n clears its memory, it answers nobody for a hundred milliseconds or more, and a turn with such a pause in it has another p99 than one without; all at once, the pauses meet all alike. The median of the p99 of each turn: ${medians.join(', ')}.`;
}

/** The p99 of the turn that half of the turns were quicker than. */
function medianTurn({ answers }: Reading, { rate, sliceSeconds, slices }: Amount): number {
	const size = rate * sliceSeconds;
	const turns = Array.from({ length: slices }, (_, slice) =>
		answers.turns.slice(slice * size, (slice + 1) * size),
	);
	return median(turns.map((turn) => answerTimes(turn).p99));
}

const describe = (settings: Record<string, string>) =>
	Object.entries(settings)
		.map(([name, value]) => `\`${name}=${value}\``)
		.join(', ');

function compare(name: string, ratio: number): Requirement {
	return {
		text: `${name}: p99 at most ${ALLOWED_RATIO} times that of the Webhook node`,
		measured: times(ratio),
		isMet: ratio <= ALLOWED_RATIO,
	};
}

const ratioOf = (part: Part, ours: Reading, other: Reading) =>
	answerTimes(ours.answers[part]).p99 / answerTimes(other.answers[part]).p99;

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

function oneEach({ answers, executions }: Reading): Requirement {
	const sent = Object.values(answers).flat();
	const started = sent.filter(({ isStarted }) => isStarted).length;
	return {
		text: 'our trigger starts one execution for each event',
		measured: `${count(sent.length)} events, ${count(started)} answers that it was started, ${count(executions)} executions`,
		isMet: started === sent.length && executions === sent.length,
	};
}
