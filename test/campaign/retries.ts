import type { INode } from 'n8n-workflow';

import { count } from '../bench/output/numbers';
import type { Requirement, Table } from '../bench/output/table';
import { campaignNode, standing, type Audience } from '../n8n/campaigns';
import type { Testbed } from '../n8n/testbed';
import type { FaultKind } from '../sandbox';
import { SeededRandom } from '../sandbox/seed/random';
import { promise, unless } from './promise';
import { createCampaign, reported, runCampaign, sends, startAnew, type CampaignRun } from './runs';

const CONTACTS = 72;
const FAULTS = 40;
/** The faults strike requests among so many. */
const AMONG = 110;
const MOST_RUNS = 12;

const RETRY: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

const gateway = '<html><body>Bad gateway</body></html>';
const beforeAndAfter = (kind: { status: number; body?: string }): FaultKind[] => [
	kind,
	{ ...kind, afterEffect: true },
];

/** After these, nobody knows whether a message was sent. */
const UNCLEAR: FaultKind[] = [
	...beforeAndAfter({ status: 500 }),
	...beforeAndAfter({ status: 502, body: gateway }),
	{ drop: 'beforeEffect' },
	{ drop: 'afterEffect' },
	{ drop: 'midAnswer' },
];

/** These say that the message was not sent. A 502 with a `detail` comes from the messaging platform. */
const REFUSALS: FaultKind[] = [
	{ status: 502, detail: 'not now' },
	{ status: 422 },
	{ status: 402 },
];

interface Case {
	name: string;
	kinds: FaultKind[];
	/** Which requests the faults strike; by default all. */
	match?: { method: string };
	settings: Partial<INode>;
}

const CASES: Case[] = [
	{ name: 'Unclear failures, Retry On Fail', kinds: UNCLEAR, settings: RETRY },
	{
		name: 'Refused messages, Retry On Fail',
		kinds: REFUSALS,
		match: { method: 'POST' },
		settings: RETRY,
	},
	{
		name: 'Both, Retry On Fail',
		kinds: [...UNCLEAR, { status: 502, detail: 'not now' }],
		settings: RETRY,
	},
	{
		name: 'Both, failed items go on',
		kinds: [...UNCLEAR, { status: 502, detail: 'not now' }],
		settings: { onError: 'continueErrorOutput' },
	},
];

/** A service that fails at random requests, and a node that n8n tries again. */
export async function measureRetries(bed: Testbed, seed: number): Promise<Table> {
	const rows: string[][] = [];
	const requirements: Requirement[] = [];
	for (const [index, each] of CASES.entries()) {
		const seen = await runUntilDone(bed, each, new SeededRandom(seed + index));
		rows.push(toRow(each, seen));
		requirements.push(...promises(each, seen));
	}
	const perCase = `${FAULTS} of the first ${AMONG} requests (seed ${seed})`;
	return {
		title: 'The service fails, and n8n tries again',
		how: `A campaign to 60 contacts. The service fails at up to ${perCase}: with 500, with 502, or it drops the connection; before it does its work, after it, or within its answer. Where it *refuses* messages, it answers 402 or 422, or 502 for the messaging platform: then the message is not sent. The node is set to *Retry On Fail* (3 tries). The workflow is run again until nobody is left.`,
		head: [
			'Service and node',
			'Faults',
			'Runs',
			'Tries',
			'Contacts with one message',
			'With two',
			'Marked without a message',
		],
		rows,
		notes: [
			'A contact is marked without a message where the service failed, and nobody could know whether it had sent the message. The node says so (`unclear`), and does not try again.',
		],
		requirements,
	};
}

interface Seen {
	audience: Audience;
	runs: SeenRun[];
	end: ReturnType<typeof standing>;
	struck: number;
	twice: number;
}

interface SeenRun {
	run: CampaignRun;
	/** To whom the service has answered that the message was sent. */
	answered: string[];
	/** Whom it has sent a message. */
	messaged: string[];
	/** Who is marked without a message since this run. */
	interrupted: string[];
}

async function runUntilDone(bed: Testbed, each: Case, random: SeededRandom): Promise<Seen> {
	const audience = await startAnew(bed, CONTACTS);
	const { sandbox } = bed;
	const { sentMessages } = sandbox.store;
	for (let index = 0; index < FAULTS; index += 1) {
		const kind = random.pick(each.kinds);
		sandbox.fail({ kind, skip: random.integer(AMONG), match: each.match });
	}
	const workflowId = await createCampaign(bed, audience.input, campaignNode(each.settings));
	const runs: SeenRun[] = [];
	let end = standing(sandbox, audience);
	while (
		runs.length < MOST_RUNS &&
		(end.left.length > 0 || runs.at(-1)?.run.status !== 'success')
	) {
		const before = { messages: sentMessages.length, interrupted: end.interrupted };
		const run = await runCampaign(bed, workflowId);
		end = standing(sandbox, audience);
		const good = sends(run.requests).filter(({ status }) => status >= 200 && status < 300);
		runs.push({
			run,
			answered: good.map(({ body }) => contactOf(body)).sort(),
			messaged: sentMessages.slice(before.messages).map(({ contact_id }) => contact_id),
			interrupted: end.interrupted.filter((id) => !before.interrupted.includes(id)),
		});
	}
	const struck = sandbox.requests.filter(({ status }) => status === 0 || status >= 400).length;
	const ids = sentMessages.map(({ contact_id }) => contact_id);
	return { audience, runs, end, struck, twice: ids.length - new Set(ids).size };
}

function contactOf(body: unknown): string {
	return String((body as { contact_id?: string }).contact_id);
}

function toRow({ name }: Case, { audience, runs, end, struck, twice }: Seen): string[] {
	const tries = runs.flatMap(({ run }) =>
		run.requests.filter(({ method, query, status }) => {
			return method === 'GET' && status === 200 && Number(query.offset ?? 0) === 0;
		}),
	);
	const one = `${end.messages} of ${audience.confirmed.length}`;
	return [
		name,
		...[struck, runs.length, tries.length].map(count),
		one,
		...[twice, end.interrupted.length].map(count),
	];
}

function promises({ name }: Case, { audience, runs, end, twice }: Seen): Requirement[] {
	const { length: confirmed } = audience.confirmed;
	return [
		promise(
			`${name}: no contact has two messages, and marks agree with the record`,
			[...end.problems, ...unless('twice', twice, 0)],
			`${end.messages} messages`,
		),
		promise(
			`${name}: what each run reports as sent is what the service answered as sent; what it sent besides is reported as unclear`,
			runs.flatMap((run, index) => reportProblems(run).map((text) => `run ${index + 1}: ${text}`)),
			`${runs.length} runs`,
		),
		promise(
			`${name}: in the end nobody is left`,
			[
				...unless('left', end.left, []),
				...unless('messages', end.messages, confirmed - end.interrupted.length),
			],
			`${end.messages} have a message, ${end.interrupted.length} are unclear`,
		),
	];
}

/** An execution that ended with an error tells numbers only; else each contact has its item. */
function reportProblems({ run, answered, messaged, interrupted }: SeenRun): string[] {
	const unsure = messaged.filter((id) => !answered.includes(id));
	if (run.status !== 'success') {
		const [, sent] = /items?: (\d+) sent/.exec(run.error) ?? [];
		const [, unclear = '0'] = /(\d+) unclear/.exec(run.error) ?? [];
		const isEnough = Number(unclear) >= unsure.length;
		// Where no contact could be looked up, there is nothing to count.
		const isNothing = sent === undefined && answered.length + unsure.length === 0;
		return [
			...(isNothing ? [] : unless('sent', Number(sent), answered.length)),
			...(isEnough ? [] : [`${unsure.length} sent without an answer, ${unclear} unclear`]),
		];
	}
	const open = ['unclear', 'failed'].flatMap((status) => reported(run.report, status));
	const unclear = reported(run.report, 'unclear');
	return [
		...unless('sent', reported(run.report, 'sent'), answered),
		...unsure.filter((id) => !unclear.includes(id)).map((id) => `${id} is not said to be unclear`),
		...interrupted.filter((id) => !open.includes(id)).map((id) => `${id} is said to be done`),
	];
}
