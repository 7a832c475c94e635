import { count, megabytes, seconds } from '../bench/output/numbers';
import type { Requirement, Table } from '../bench/output/table';
import { changesNode, changesWorkflow, LIST_PATH, readings } from '../n8n/changesRuns';
import { eventually, type Testbed } from '../n8n/testbed';
import type { Contact } from '../sandbox';
import { delay, performance } from '../support/platform';
import { startChangesBed, TAGS, WATCH_EVERYTHING } from './bed';
import { eventsOf } from './events';
import { forgetPeak, usageOf } from './usage';

export interface Volume {
	contacts: number;
	/** Between two polls; more than a poll takes. */
	seconds: number;
	polls: number;
}

export const FULL_VOLUMES: Volume[] = [
	{ contacts: 10_000, seconds: 10, polls: 4 },
	{ contacts: 50_000, seconds: 20, polls: 3 },
];
export const SHORT_VOLUMES: Volume[] = [{ contacts: 2_000, seconds: 5, polls: 2 }];

const CHANGED_SHARE = 0.01;
const PAGE = 100;
const IDLE_MS = 10_000;

interface Reading {
	volume: Volume;
	changed: number;
	/** Events that were expected and came, and all others. */
	right: number;
	wrong: number;
	/** Of each poll. */
	requests: number[];
	/** Processor time of n8n for one poll, above what it takes when idle. */
	cpuMs: number;
	/** Memory of n8n above what it had before publishing: after stock was taken, at the end, at most. */
	stockBytes: number;
	lastBytes: number;
	peakBytes: number;
	/** What is kept, as n8n stores it. */
	keptBytes: number;
}

/** Long lists, of which a part is changed between each two polls. */
export async function measureVolumes(volumes: Volume[]): Promise<Table> {
	const results: Reading[] = [];
	for (const volume of volumes) results.push(await measureVolume(volume));
	return toTable(results);
}

async function measureVolume(volume: Volume): Promise<Reading> {
	const { bed, contacts } = await startChangesBed(volume.contacts, {});
	try {
		const { pid } = bed.n8n;
		const idle = await idleShare(pid);
		forgetPeak(pid);
		const before = usageOf(pid);
		const { id } = await bed.n8n.rest.createWorkflow(
			changesWorkflow(changesNode(WATCH_EVERYTHING, volume.seconds)),
		);
		await bed.n8n.rest.publish(id);
		const stock = usageOf(pid);
		const polled = await changeBetweenPolls(bed, id, contacts, volume);
		const end = usageOf(pid);
		const cpuMs = (polled.cpuMs - idle * polled.elapsedMs) / volume.polls;
		const { staticData } = await bed.n8n.rest.get<{ staticData: object }>(`/workflows/${id}`);
		return {
			volume,
			...polled,
			cpuMs,
			stockBytes: stock.bytes - before.bytes,
			lastBytes: end.bytes - before.bytes,
			peakBytes: end.peakBytes - before.bytes,
			keptBytes: JSON.stringify(staticData).length,
		};
	} finally {
		await bed.close();
	}
}

/** Which part of a processor n8n takes when it has nothing to do. */
async function idleShare(pid: number): Promise<number> {
	const { cpuMs } = usageOf(pid);
	await delay(IDLE_MS);
	return (usageOf(pid).cpuMs - cpuMs) / IDLE_MS;
}

async function changeBetweenPolls(
	bed: Testbed,
	workflowId: string,
	contacts: Contact[],
	{ polls }: Volume,
) {
	const { sandbox } = bed;
	const pages = Math.ceil(contacts.length / PAGE);
	const changed = Math.round(contacts.length * CHANGED_SHARE);
	const result = { changed, right: 0, wrong: 0, requests: [] as number[], cpuMs: 0, elapsedMs: 0 };
	let lastExecution = 0;
	for (let poll = 0; poll < polls; poll += 1) {
		await untilQuiet(bed, pages);
		const already = sandbox.requests.length;
		const begun = readings(sandbox);
		const { cpuMs } = usageOf(bed.n8n.pid);
		const startMs = performance.now();
		// Others each time, spread over the list.
		const chosen = contacts.filter((_, index) => index % (1 / CHANGED_SHARE) === poll);
		const expected = new Set(chosen.map((contact, index) => change(contact, index)));
		await eventually(
			() => readings(sandbox),
			(now) => now > begun,
		);
		await untilQuiet(bed, pages);
		await eventually(
			async () => await bed.n8n.rest.listExecutions(workflowId),
			([newest]) => Number(newest?.id ?? 0) > lastExecution && newest.status === 'success',
		);
		result.requests.push(sandbox.requests.length - already);
		result.cpuMs += usageOf(bed.n8n.pid).cpuMs - cpuMs;
		result.elapsedMs += performance.now() - startMs;
		const events = await eventsOf(bed, workflowId, lastExecution);
		for (const { event, contactId, executionId } of events) {
			if (expected.delete(`${event} ${contactId}`)) result.right += 1;
			else result.wrong += 1;
			lastExecution = Math.max(lastExecution, Number(executionId));
		}
		result.wrong += expected.size;
	}
	return result;
}

/** Waits until no poll is under way: the last page was answered, and the next poll has not begun. */
async function untilQuiet({ sandbox }: Testbed, pages: number): Promise<void> {
	await eventually(
		() => sandbox.requests.filter(({ path }) => path === LIST_PATH),
		(requests) =>
			requests.length % pages === 0 && requests.every(({ tookMs }) => tookMs !== undefined),
	);
}

/** Changes a contact in one of four ways; gives the event that has to follow. */
function change(contact: Contact, index: number): string {
	const changes: Array<[event: string, change: Partial<Contact>]> = [
		['updated', { name: `${contact.name}, new` }],
		['consentChanged', { opt_in_status: 'confirmed' }],
		['tagAdded', { tags: [...TAGS, 'vip'] }],
		// Others that are changed have the tag, so that its name is known without a request.
		['tagRemoved', { tags: TAGS.slice(1) }],
	];
	const [event, fields] = changes[index % changes.length];
	Object.assign(contact, fields);
	return `${event} ${contact.id}`;
}

function toTable(results: Reading[]): Table {
	return {
		title: 'Long lists',
		how: 'All contacts are watched, with every event and every field; each contact has two tags. Between two polls, one contact in a hundred is changed: a quarter each gets another name, another consent, one more tag, one tag less. **The rate limit is off, also that of our node**, which else would make its 120 requests a minute and no more. Processor time is that of n8n with the requests, the execution and the saving of both, above what n8n takes when idle. Memory is what n8n holds above what it held before publishing.',
		head: [
			'Contacts',
			'Polls',
			'Changes',
			'Events',
			'Requests a poll',
			'Processor time a poll (s)',
			'Kept (MB)',
			'Memory after taking stock (MB)',
			'Memory at the end (MB)',
			'Most memory (MB)',
		],
		rows: results.map((result) => [
			count(result.volume.contacts),
			count(result.volume.polls),
			count(result.changed * result.volume.polls),
			count(result.right),
			[...new Set(result.requests)].map(count).join(', '),
			seconds(result.cpuMs),
			(result.keptBytes / 1e6).toFixed(2),
			megabytes(result.stockBytes),
			megabytes(result.lastBytes),
			megabytes(result.peakBytes),
		]),
		requirements: results.flatMap(toRequirements),
	};
}

function toRequirements(result: Reading): Requirement[] {
	const { volume, changed, right, wrong, requests } = result;
	const pages = volume.contacts / PAGE;
	return [
		{
			text: `${count(volume.contacts)} contacts: each change gives its event once, and nothing else does`,
			measured: `${count(right)} right, ${count(wrong)} missing or too many`,
			isMet: wrong === 0 && right === changed * volume.polls,
		},
		{
			text: `${count(volume.contacts)} contacts: ${count(pages)} requests a poll`,
			measured: requests.map(count).join(', '),
			isMet: requests.every((each) => each === pages),
		},
	];
}
