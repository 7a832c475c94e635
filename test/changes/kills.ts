import { count } from '../bench/output/numbers';
import type { Requirement, Table } from '../bench/output/table';
import { changesNode, changesWorkflow, LIST_PATH, readings, untilPolled } from '../n8n/changesRuns';
import type { Testbed } from '../n8n/testbed';
import type { Contact } from '../sandbox';
import { SeededRandom } from '../sandbox/seed/random';
import { delay } from '../support/platform';
import { startChangesBed } from './bed';
import { eventsOf, type StartedEvent } from './events';

export interface Kills {
	contacts: number;
	kills: number;
	seed: number;
}

export const FULL_KILLS: Kills = { contacts: 3_000, kills: 10, seed: 20 };
export const SHORT_KILLS: Kills = { contacts: 1_000, kills: 2, seed: 20 };

interface Setting {
	name: string;
	env: Record<string, string>;
	isDurable: boolean;
}

const SETTINGS: Setting[] = [
	{ name: 'n8n as it comes', env: {}, isDurable: false },
	{
		name: 'Durable cursors',
		env: {
			N8N_SCHEDULER_ENABLED: 'true',
			N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
			N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
		},
		isDurable: true,
	},
];

const PAGE = 100;
const POLL_SECONDS = 2;
const CHANGE_EACH_MS = 100;
/** Half of the kills come within this time from the beginning of a poll. */
const WHILE_POLLING_MS = 300;
/** The others come within this time from the last page: that is when n8n saves, and starts the workflow. */
const WHILE_SAVING_MS = 120;

/** One kill, with what the service had seen of the poll before it. */
interface Kill {
	/** When the poll before the last one began: what it had not read was left to the last one. */
	sinceMs: number;
	atMs: number;
	isWhileReading: boolean;
}

interface Result {
	setting: Setting;
	kills: Kill[];
	polls: number;
	changes: number;
	executions: number;
	lost: number;
	repeated: number;
	other: number;
	/** Kills after which events of their own poll were lost, or came twice. */
	losing: number;
	repeating: number;
	/** Events that were lost or repeated, and do not belong to the poll before a kill. */
	unexplained: number;
}

/** Kills n8n again and again while contacts change, and counts what is told of each change. */
export async function measureKills(options: Kills): Promise<Table> {
	const results: Result[] = [];
	for (const setting of SETTINGS) results.push(await measureSetting(setting, options));
	return toTable(options, results);
}

async function measureSetting(setting: Setting, options: Kills): Promise<Result> {
	const { bed, contacts } = await startChangesBed(options.contacts, setting.env);
	const changer = startChanging(contacts);
	try {
		const { id } = await bed.n8n.rest.createWorkflow(
			changesWorkflow(
				changesNode({ watch: 'all', events: ['updated'], fields: ['name'] }, POLL_SECONDS),
			),
		);
		await bed.n8n.rest.publish(id);
		await untilPolled(bed, 1);
		changer.begin();
		const random = new SeededRandom(options.seed);
		const kills: Kill[] = [];
		for (let index = 0; index < options.kills; index += 1) {
			await untilPolled(bed, 1);
			kills.push(await killAround(bed, random, index % 2 === 1, options.contacts / PAGE));
		}
		changer.end();
		await untilPolled(bed, 2);
		const polls = readings(bed.sandbox);
		return judge(setting, kills, polls, changer.changedAtMs, await eventsOf(bed, id));
	} finally {
		changer.end();
		await bed.close();
	}
}

/** Gives one contact after the other another name, each once. */
function startChanging(contacts: Contact[]) {
	const changedAtMs = new Map<string, number>();
	const rest = [...contacts];
	let isOn = false;
	const changeOne = () => {
		// From within the list, so that a poll can find some before and some after where it is.
		const [contact] = rest.splice(Math.floor(rest.length / 3), 1);
		if (contact === undefined) return;
		contact.name = `${contact.name}, new`;
		changedAtMs.set(contact.id, Date.now());
	};
	const changeAll = async () => {
		for (isOn = true; isOn; await delay(CHANGE_EACH_MS)) changeOne();
	};
	return { changedAtMs, begin: () => void changeAll(), end: () => (isOn = false) };
}

async function killAround(
	bed: Testbed,
	random: SeededRandom,
	isAfterLastPage: boolean,
	pages: number,
): Promise<Kill> {
	const { sandbox } = bed;
	const before = readings(sandbox);
	const beginnings = () =>
		sandbox.requests.filter(
			({ path, query }) => path === LIST_PATH && Number(query.offset ?? 0) === 0,
		);
	const lastOfPoll = () =>
		sandbox.requests.slice(sandbox.requests.lastIndexOf(beginnings().at(-1)!));
	const isRead = () => {
		const answered = lastOfPoll().filter(({ tookMs }) => tookMs !== undefined);
		return answered.length >= pages;
	};
	while (readings(sandbox) === before) await delay(1);
	if (isAfterLastPage) while (!isRead()) await delay(1);
	await delay(random.integer(isAfterLastPage ? WHILE_SAVING_MS : WHILE_POLLING_MS));
	const sinceMs = beginnings().at(-2)?.atMs ?? 0;
	const kill = { sinceMs, atMs: Date.now(), isWhileReading: !isRead() };
	await bed.restart('kill');
	return kill;
}

function judge(
	setting: Setting,
	kills: Kill[],
	polls: number,
	changedAtMs: Map<string, number>,
	events: StartedEvent[],
): Result {
	const told = new Map<string, StartedEvent[]>();
	for (const event of events) {
		told.set(event.contactId, [...(told.get(event.contactId) ?? []), event]);
	}
	const changed = [...changedAtMs];
	const lost = changed.filter(([id]) => !told.has(id));
	const repeated = changed.filter(([id]) => (told.get(id)?.length ?? 0) > 1);
	const killOf = ([, atMs]: [string, number]) =>
		kills.find((kill) => kill.sinceMs <= atMs && atMs <= kill.atMs && !kill.isWhileReading);
	const killsOf = (some: Array<[string, number]>) =>
		new Set(some.map(killOf).filter((kill) => kill !== undefined)).size;
	return {
		setting,
		kills,
		polls,
		changes: changed.length,
		executions: new Set(events.map(({ executionId }) => executionId)).size,
		lost: lost.length,
		repeated: repeated.reduce((sum, [id]) => sum + (told.get(id)?.length ?? 0) - 1, 0),
		other: events.filter(({ contactId }) => !changedAtMs.has(contactId)).length,
		losing: killsOf(lost),
		repeating: killsOf(repeated),
		unexplained: [...lost, ...repeated].filter((change) => killOf(change) === undefined).length,
	};
}

function toTable({ contacts, kills, seed }: Kills, results: Result[]): Table {
	return {
		title: 'Kills',
		how: `${count(contacts)} contacts are polled every ${POLL_SECONDS} seconds, and one of them gets another name every ${CHANGE_EACH_MS} ms, each only once. n8n is killed (kill -9) ${kills} times and started again, with changes going on: in turn, up to ${WHILE_POLLING_MS} ms after a poll began, and up to ${WHILE_SAVING_MS} ms after it got its last page, which is when n8n saves what the node knows and starts the workflow. The moments are random, from the seed ${seed}. The rate limit is off.`,
		head: [
			'',
			'Kills',
			'While a list was read',
			'Polls',
			'Changes',
			'Executions',
			'Events lost',
			'In so many kills',
			'Events repeated',
			'In so many kills',
			'Other events',
		],
		rows: results.map((result) => [
			result.setting.name,
			...[
				result.kills.length,
				result.kills.filter(({ isWhileReading }) => isWhileReading).length,
				result.polls,
				result.changes,
				result.executions,
				result.lost,
				result.losing,
				result.repeated,
				result.repeating,
				result.other,
			].map(count),
		]),
		requirements: results.flatMap(toRequirements),
	};
}

function toRequirements(result: Result): Requirement[] {
	const { lost, repeated, other, unexplained } = result;
	const { name, isDurable } = result.setting;
	const measured = `${count(lost)} lost, ${count(repeated)} repeated, ${count(other)} others`;
	if (isDurable) {
		return [
			{
				text: `${name}: each change gives its event once`,
				measured,
				isMet: lost + repeated + other === 0,
			},
		];
	}
	return [
		{
			text: `${name}: what is lost or repeated belongs to a poll that had read its list when n8n was killed, and there are no other events`,
			measured: `${measured}, ${count(unexplained)} that belong to no such poll`,
			isMet: unexplained + other === 0,
		},
	];
}
