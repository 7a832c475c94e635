import { count } from '../bench/output/numbers';
import type { Table } from '../bench/output/table';
import { AT_ONCE, standing } from '../n8n/campaigns';
import { poll } from '../n8n/poll';
import type { Testbed } from '../n8n/testbed';
import type { RecordedRequest } from '../sandbox';
import { promise, unless } from './promise';
import {
	createCampaign,
	endedRun,
	reported,
	runCampaign,
	sends,
	startAnew,
	type CampaignRun,
} from './runs';

/** 100 of them are in the input. */
const CONTACTS = 120;
const PAGES = 2;

/** What it costs when nothing is in the way. */
export async function measureUndisturbed(bed: Testbed): Promise<Table> {
	const { input, confirmed } = await startAnew(bed, CONTACTS);
	const toAll = await createCampaign(bed, input);
	const oneOnly = confirmed.slice(0, 1);
	const cases = [
		{
			name: 'One contact',
			run: await runCampaign(bed, await createCampaign(bed, oneOnly)),
			looks: 1,
		},
		{ name: `${input.length} contacts`, run: await runCampaign(bed, toAll), looks: PAGES },
		{ name: 'The same again', run: await runCampaign(bed, toAll), looks: PAGES },
	];
	const expected = [1, confirmed.length - 1, 0];
	const problems = cases.flatMap(({ name, run, looks }, index) => [
		...unless(`${name}, status`, run.status, 'success'),
		...unless(`${name}, sent`, reported(run.report, 'sent').length, expected[index]),
		...unless(`${name}, requests`, run.requests.length, looks + 2 * expected[index]),
	]);
	return {
		title: 'Nothing is in the way',
		how: `The workspace has ${CONTACTS} contacts. A run reads pages of 100 contacts, or one contact by its ID. Then it takes two requests for each message: the mark, and the message.`,
		head: ['Input', 'Requests to look', 'Messages', 'Requests in all'],
		rows: cases.map(({ name, run, looks }) => [
			name,
			...[looks, sends(run.requests).length, run.requests.length].map(count),
		]),
		requirements: [
			promise(
				'a run takes its pages and exactly 2 requests for each recipient',
				problems,
				`${cases.length} runs`,
			),
			promise(
				'the record of the service is as promised',
				standingProblems(bed, { input, confirmed, others: [] }, confirmed.length, 0),
				`${count(confirmed.length)} messages`,
			),
		],
	};
}

function standingProblems(
	{ sandbox }: Testbed,
	audience: Parameters<typeof standing>[1],
	messages: number,
	left: number,
): string[] {
	const found = standing(sandbox, audience);
	return [
		...found.problems,
		...unless('messages', found.messages, messages),
		...unless('left', found.left.length, left),
	];
}

const LIMIT = 30;

/** The messages of the month are used up in the middle. */
export async function measureUsedUp(bed: Testbed): Promise<Table> {
	const audience = await startAnew(bed, CONTACTS);
	const { rules } = bed.sandbox.store;
	const { length: all } = audience.confirmed;
	const workflowId = await createCampaign(bed, audience.input);
	const see = async (messages: number) => {
		const run = await runCampaign(bed, workflowId);
		const problems = standingProblems(bed, audience, messages, all - messages);
		return { run, problems, interrupted: standing(bed.sandbox, audience).interrupted };
	};
	rules.monthlySendLimit = LIMIT;
	const first = await see(LIMIT);
	const second = await see(LIMIT);
	rules.monthlySendLimit = null;
	const third = await see(all);

	const names = [`Limit of ${LIMIT} messages`, 'The same, again', 'A new month'];
	const runs = [first, second, third];
	const sent = [LIMIT, 0, all - LIMIT];
	return {
		title: 'The messages of the month are used up',
		how: `A campaign to ${audience.input.length} contacts, of whom ${all} have confirmed. After ${LIMIT} messages the service answers 402. Later a new month begins.`,
		head: ['Run', 'Messages', 'Requests', 'Marked without a message'],
		rows: runs.map(({ run, interrupted }, index) => [
			`${names[index]}: ${run.status}`,
			...[sent[index], run.requests.length, interrupted.length].map(count),
		]),
		requirements: [
			promise(
				`402 ends the run: ${LIMIT} have a message, and nobody else is marked`,
				[
					...first.problems,
					...unless('status', first.run.status, 'error'),
					...unless('marked without a message', first.interrupted, []),
					...says(first.run, 'run it again with the same campaign key'),
				],
				first.run.status,
			),
			promise(
				'a run at the limit tries one contact, takes its mark back, and ends',
				[
					...second.problems,
					...unless('requests', second.run.requests.length, PAGES + 3),
					...unless('marked without a message', second.interrupted, []),
				],
				`${second.run.requests.length} requests`,
			),
			promise(
				'after that, the rest get exactly one message',
				[
					...third.problems,
					...unless('status', third.run.status, 'success'),
					...unless('sent', reported(third.run.report, 'sent').length, all - LIMIT),
				],
				`${all - LIMIT} messages`,
			),
		],
	};
}

function says({ error }: CampaignRun, text: string): string[] {
	return error.includes(text) ? [] : [`the error does not say '${text}': ${error}`];
}

const STOP_AFTER = 40;

/** Somebody stops the execution in n8n. */
export async function measureStop(bed: Testbed): Promise<Table> {
	const audience = await startAnew(bed, CONTACTS);
	const { sandbox, n8n } = bed;
	// Long enough for n8n to be asked to stop while requests are under way.
	sandbox.setLatency(100);
	const workflowId = await createCampaign(bed, audience.input);
	const executionId = await n8n.rest.startWorkflow(workflowId, 'Start');
	const { requests } = sandbox;
	await poll(
		() => sends(requests).length,
		(messages) => messages >= STOP_AFTER,
		'messages',
	);
	await n8n.rest.post(`/executions/${executionId}/stop`, {});
	const before = begun(requests);
	const { status } = await endedRun(n8n.rest, executionId);
	const named = await poll(() => namedIn(n8n.logs), Boolean, 'the contacts in the log');
	const stopped = standing(sandbox, audience);
	const interrupted = new Set(stopped.interrupted);
	const requestsThen = requests.length;

	sandbox.setLatency(0);
	const again = await runCampaign(bed, workflowId);
	const between = begun(requests.slice(0, requestsThen + 1));
	const end = standing(sandbox, audience);
	const isNamed = (id: string) => Boolean(named?.includes(id));
	const { length: all } = audience.confirmed;
	return {
		title: 'Somebody stops the execution',
		how: `A campaign to ${audience.input.length} contacts, of whom ${all} have confirmed; the service takes 100 ms for each answer. The execution is stopped after ${STOP_AFTER} messages, and the workflow is run again.`,
		head: ['Run', 'Messages', 'In flight, named in the log', 'Marked without a message'],
		rows: [
			[
				`Stopped: ${status}`,
				...[stopped.messages, named?.length ?? 0, interrupted.size].map(count),
			],
			[
				`Again: ${again.status}`,
				count(end.messages - stopped.messages),
				'',
				count(end.interrupted.length),
			],
		],
		requirements: [
			promise(
				'after the stop no further recipient begins',
				[...between].filter((id) => !before.has(id) && !isNamed(id)),
				`${before.size} had begun`,
			),
			promise(
				`the log names the contacts in flight, at most ${AT_ONCE}, and everybody who is marked without a message`,
				[
					...unless('status', status, 'canceled'),
					...[...interrupted].filter((id) => !isNamed(id)).map((id) => `${id} is not named`),
					...(named && named.length <= AT_ONCE ? [] : [`${named?.length} are named`]),
				],
				`${named?.length ?? 0} named`,
			),
			promise(
				'a new run sends to the rest, and to nobody twice',
				[
					...stopped.problems,
					...end.problems,
					...unless('status', again.status, 'success'),
					...unless('left', end.left, []),
					...unless('messages', end.messages, all - interrupted.size),
					...unless('sent', reported(again.report, 'sent'), [...stopped.left].sort()),
					...unless('marked', [...interrupted].sort(), [...end.interrupted].sort()),
				],
				`${end.messages} of ${all} have one`,
			),
		],
	};
}

/** The contacts for whom a request to mark them has come. */
function begun(requests: RecordedRequest[]): Set<string> {
	const marks = requests.filter(({ method }) => method === 'PATCH');
	return new Set(marks.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)));
}

function namedIn(logs: string): string[] | undefined {
	const [, ids] =
		/Send Campaign was interrupted while it sent to \d+ contacts?: ([\w, -]+)\./.exec(logs) ?? [];
	return ids?.split(', ');
}
