import { count } from '../bench/output/numbers';
import type { Table } from '../bench/output/table';
import { AT_ONCE, marksOf, standing, type Audience } from '../n8n/campaigns';
import { foreignMarks, killMidCampaign, type KilledRun, type Moment } from '../n8n/killedCampaign';
import type { Testbed } from '../n8n/testbed';
import { SeededRandom } from '../sandbox/seed/random';
import { promise, unless } from './promise';
import { createCampaign, idsOf, reported, runCampaign, startAnew, type CampaignRun } from './runs';

const CONTACTS = 600;
const PAGES = 6;
/** Items of contacts that are in the input already. */
const TWICE = 10;
/** So that requests are under way together, as with a service that is not on the same machine. */
const LATENCY_MS = 15;

/**
 * What a run does, by its requests. n8n's process may send 120 at once; then the node finds out, by
 * single requests, whether the service allows more, and ends at two a second.
 */
const PHASES = [
	{ phase: 'looks who is there', from: 1, to: PAGES, kills: 3 },
	{ phase: 'sends to the first, alone', from: PAGES + 1, to: PAGES + 2, kills: 3 },
	{ phase: 'sends to five at once', from: PAGES + 3, to: 40, kills: 11 },
	{ phase: 'has sent to many', from: 90, to: 118, kills: 1 },
	{ phase: 'learns the rate limit', from: 121, to: 126, kills: 1 },
	{ phase: 'sends two requests a second', from: 250, to: 256, kills: 1 },
];

export const KILLS = PHASES.reduce((sum, { kills }) => sum + kills, 0);

/** The same moments for the same seed, in an order by chance. */
function chooseMoments(random: SeededRandom): Moment[] {
	const moments = PHASES.flatMap(({ phase, from, to, kills }) =>
		Array.from({ length: kills }, () => ({
			phase,
			request: from + random.integer(to - from + 1),
			delayMs: random.integer(2 * LATENCY_MS),
		})),
	);
	return moments
		.map((moment) => ({ moment, place: random.next() }))
		.sort((a, b) => a.place - b.place)
		.map(({ moment }) => moment);
}

/** One campaign to 500 recipients, in an n8n that is killed again and again. */
export async function measureCrashes(
	bed: Testbed,
	seed: number,
	onKill: (kill: number) => void,
): Promise<Table> {
	const audience = await startAnew(bed, CONTACTS);
	bed.sandbox.setLatency(LATENCY_MS);
	const input = [...audience.input, ...audience.input.slice(0, TWICE)];
	const workflowId = await createCampaign(bed, input);
	const killed: Array<{ moment: Moment; run: KilledRun }> = [];
	for (const moment of chooseMoments(new SeededRandom(seed))) {
		killed.push({ moment, run: await killMidCampaign(bed, workflowId, audience, moment) });
		onKill(killed.length);
	}
	const sentBefore = bed.sandbox.store.sentMessages.length;
	const last = await runCampaign(bed, workflowId);
	const foreign = foreignMarks(bed.sandbox, sentBefore, last.executionId);
	const more = await runCampaign(bed, workflowId);
	return toTable(bed, { seed, audience, killed, last, foreign, more, sentBefore });
}

interface Sweep {
	seed: number;
	audience: Audience;
	killed: Array<{ moment: Moment; run: KilledRun }>;
	/** The run that was not killed. */
	last: CampaignRun;
	/** Messages of it with the marks of others. */
	foreign: string[];
	/** One more run, after all is done. */
	more: CampaignRun;
	/** Messages before the last run. */
	sentBefore: number;
}

function toTable({ sandbox }: Testbed, sweep: Sweep): Table {
	const { seed, audience, killed, sentBefore } = sweep;
	const { input, confirmed, others } = audience;
	const end = standing(sandbox, audience);
	let interrupted = 0;
	const rows = killed.map(({ moment, run }, index) => {
		const more = run.interrupted.length - interrupted;
		interrupted = run.interrupted.length;
		return [
			`${index + 1}, while it ${moment.phase}`,
			...[moment.request, moment.delayMs, run.sent, run.messages, more, interrupted].map(count),
		];
	});
	const sent = end.messages - sentBefore;
	return {
		title: 'n8n is killed 20 times',
		how: `One campaign to ${input.length} contacts; ${confirmed.length} of them have confirmed. The others have opted out, are pending, or never said. ${TWICE} contacts are in the input twice. The workspace has ${others.length} more contacts, which are not in the input. n8n is killed (\`kill -9\`) ${KILLS} times, at moments chosen by chance (seed ${seed}), and the workflow is run again each time. A moment is: after the service has done that request of the run, and so many milliseconds later.`,
		head: [
			'Kill',
			'Request of the run',
			'ms later',
			'Messages of the run',
			'Messages so far',
			'Marked without a message, new',
			'So far',
		],
		rows: [
			...rows,
			[
				'No kill: the last run',
				'',
				'',
				...[sent, end.messages, 0, end.interrupted.length].map(count),
			],
		],
		notes: [
			`At the end, ${count(end.messages)} of ${count(confirmed.length)} confirmed contacts have exactly one message. The other ${end.interrupted.length} were in flight at a kill: they are marked, and have no message. The report of the last run names them (\`skipped\`, \`alreadyMarked\`), together with those who got theirs before.`,
			'The rate limit of the node lets about 120 requests go at once, and later two a second. The message to a contact that is marked goes before the marks of others, so at that pace few are in flight.',
			`The last run took ${count(sweep.last.requests.length)} requests: ${PAGES} pages, and 2 for each of ${sent} messages.`,
		],
		requirements: promises(sandbox, sweep),
	};
}

function promises(sandbox: Testbed['sandbox'], sweep: Sweep): Table['requirements'] {
	const { audience, killed, last, foreign, more, sentBefore } = sweep;
	const end = standing(sandbox, audience);
	const records = [...killed.map(({ run }) => run), end];
	const sent = end.messages - sentBefore;
	const tooMany = killed.flatMap(({ run }, index) => {
		const before = killed[index - 1]?.run.interrupted ?? [];
		const fresh = run.interrupted.filter((id) => !before.includes(id));
		return fresh.length <= AT_ONCE ? [] : [`kill ${index + 1}: ${fresh.length}`];
	});
	const marked = audience.confirmed.filter((contact) => marksOf(contact).length > 0);
	return [
		promise(
			'after each kill and at the end, by the record of the service: no contact has two messages; nobody has one who has not confirmed, or is not in the input; each message has one mark, of the execution that sent it, written before it; nobody else has a mark',
			[...records.flatMap(({ problems }) => problems), ...foreign],
			`${records.length} looks at ${CONTACTS} contacts`,
		),
		promise(
			`a kill leaves at most ${AT_ONCE} contacts marked without a message`,
			tooMany,
			`${end.interrupted.length} after ${killed.length} kills`,
		),
		promise(
			'at the end each confirmed contact of the input has one message, but for those in flight at a kill',
			[
				...unless('the last run', last.status, 'success'),
				...unless('left out', end.left, []),
				...unless('marked', marked.length, audience.confirmed.length),
				...unless('messages', end.messages, audience.confirmed.length - end.interrupted.length),
			],
			`${count(end.messages)} messages, ${end.interrupted.length} in flight`,
		),
		promise(
			'what the last run reports is what the record holds',
			reportProblems(sandbox, sweep, end.interrupted),
			`${last.report.length} items`,
		),
		promise(
			'the last run takes its pages and 2 requests for each message',
			unless('requests', last.requests.length, PAGES + 2 * sent),
			count(last.requests.length),
		),
		promise(
			'one more run sends nothing, and takes its pages only',
			[
				...unless('status', more.status, 'success'),
				...unless('sent', reported(more.report, 'sent'), []),
				...unless('requests', more.requests.length, PAGES),
			],
			`${more.requests.length} requests`,
		),
	];
}

function reportProblems(
	{ store }: Testbed['sandbox'],
	{ audience, last: { report }, sentBefore }: Sweep,
	interrupted: string[],
): string[] {
	const before = store.sentMessages.slice(0, sentBefore).map(({ contact_id }) => contact_id);
	const after = store.sentMessages.slice(sentBefore).map(({ contact_id }) => contact_id);
	const others = (state: string) =>
		idsOf(audience.input.filter(({ opt_in_status }) => opt_in_status === state));
	const notConfirmed = [...others('pending'), ...others('none')].sort();
	return [
		...unless('sent', reported(report, 'sent'), after.sort()),
		...unless(
			'already marked',
			reported(report, 'skipped', 'alreadyMarked'),
			[...before, ...interrupted].sort(),
		),
		...unless('opted out', reported(report, 'skipped', 'optedOut'), others('opted_out')),
		...unless('not confirmed', reported(report, 'skipped', 'notConfirmed'), notConfirmed),
		...unless('twice', reported(report, 'skipped', 'duplicate').length, TWICE),
	];
}
