import type { IDataObject, INode, IRunExecutionData } from 'n8n-workflow';

import { SeededRandom } from '../../../tools/sandbox/seed/random';
import { delay, process } from '../../../tools/support/platform';
import { addContacts } from '../../workflow/support';
import { LIST_PATH, readings, untilPolled } from './changesRuns';
import { finalStatuses, outputItems } from '../../../tools/n8n/n8nRestClient';
import { startJsonServer } from '../../../tools/n8n/jsonServer';
import { eventually } from '../../../tools/n8n/testbed';
import { changesNode } from '../../../tools/n8n/changesNode';
import { node, pollEvery, triggerWorkflow, workflowOf } from '../../../tools/n8n/workflows';
import { usePublishing, useTestbed } from '../useTestbed';

/** Workspace CRM Changes Trigger in a real n8n, with its own schedule. */
const bed = useTestbed();
const publishWorkflow = usePublishing(bed);
const all = {
	watch: 'all',
	events: ['consentChanged', 'erased', 'tagRemoved', 'updated'],
	fields: ['name'],
};

const publish = async (...nodes: INode[]) => await publishWorkflow(workflowOf(nodes));

/** What each execution of a workflow began with, oldest first. */
async function startedWith(workflowId: string, nodeName = 'Changes'): Promise<IDataObject[][]> {
	const { rest } = bed.n8n;
	const all = await eventually(
		async () => await rest.listExecutions(workflowId),
		(each) => each.every(({ status }) => finalStatuses.includes(status)),
	);
	const ids = all.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
	const executions = await Promise.all(ids.map(async (id) => await rest.getExecution(id)));
	return executions.map(({ data }) => firstItems(data, nodeName));
}

/** If an execution was killed before its first node was done, the items that n8n had stored to start it. */
function firstItems(data: IRunExecutionData, nodeName: string): IDataObject[] {
	const items = outputItems(data, nodeName);
	const [first] = data.executionData?.nodeExecutionStack ?? [];
	if (items.length > 0 || first?.node.name !== nodeName) return items;
	return (first.data.main[0] ?? []).map(({ json }) => json);
}

async function untilExecuted(id: string, expected: number): Promise<void> {
	await eventually(
		async () => await bed.n8n.rest.listExecutions(id),
		({ length }) => length >= expected,
	);
	await untilPolled(bed);
}

/** What each execution began with, once there are as many as expected, and none comes after them. */
async function executions(id: string, expected: number): Promise<IDataObject[]> {
	await untilExecuted(id, expected);
	const items = await startedWith(id);
	expect(items.map(({ length }) => length)).toEqual(Array(expected).fill(1));
	return items.flat();
}

test('each change starts one execution, even across a restart; publishing again starts nothing', async () => {
	const [one, two, three] = addContacts(bed.sandbox, 50, {
		tags: ['old'],
		opt_in_status: 'pending',
	});
	const id = await publish(changesNode(all));
	await untilPolled(bed);

	one.opt_in_status = 'confirmed';
	await executions(id, 1);
	two.tags = [];
	await executions(id, 2);
	await bed.n8n.stop();
	// While n8n is down.
	three.name = 'Anna';
	await bed.restart('stop');
	await executions(id, 3);
	bed.sandbox.store.eraseContact(three);
	expect(await executions(id, 4)).toMatchObject([
		{
			event: 'consentChanged',
			contact: { id: one.id },
			changed: { opt_in_status: { from: 'pending', to: 'confirmed' } },
		},
		{ event: 'tagRemoved', contact: { id: two.id }, changed: { tag: 'old' } },
		{ event: 'updated', contact: { id: three.id, name: 'Anna' }, changed: { fields: ['name'] } },
		{ event: 'erased', contact: { id: three.id }, before: { opt_in_status: 'pending' } },
	]);

	await bed.n8n.rest.unpublish(id);
	two.name = 'In the pause';
	await bed.n8n.rest.publish(id);
	await untilPolled(bed);
	await executions(id, 4);
});

test('both triggers start a workflow that has both, even after a crash', async () => {
	const contacts = addContacts(bed.sandbox, 3);
	const [trigger] = triggerWorkflow({ events: ['message.received'] }).nodes;
	const id = await publish(changesNode(all), trigger);
	const started = async (expected: number) => {
		await untilExecuted(id, expected);
		const [changes, messages] = [await startedWith(id), await startedWith(id, trigger.name)];
		expect(changes).toHaveLength(expected);
		return [
			changes.flatMap((items) => items.map(({ event }) => event)),
			messages.flatMap((items) => items.map(({ event }) => event)),
		];
	};
	const write = async () => {
		bed.sandbox.emit.inboundMessage(contacts[2].id, 'Hello');
		await bed.sandbox.settled();
	};

	contacts[0].name = 'Anna';
	await started(1);
	await write();
	await started(2);
	contacts[1].name = 'Ben';
	expect(await started(3)).toEqual([['updated', 'updated'], ['message.received']]);

	await bed.restart('kill');
	await untilPolled(bed);
	await write();
	expect(await started(4)).toEqual([
		['updated', 'updated'],
		['message.received', 'message.received'],
	]);
});

const DURABLE_CURSORS = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** `POLL_SECONDS=60` polls as a user's workflow does; ten polls then take ten minutes. */
const POLL_SECONDS = Number(process.env.POLL_SECONDS ?? 1);

test(
	'each change is one event, whichever other triggers of the workflow poll before and after this one',
	async () => {
		const { sandbox } = bed;
		const feed = await startJsonServer(() => ({ body: RSS_FEED }));
		const [contact] = addContacts(sandbox, 3);
		const pollTimes = pollEvery(POLL_SECONDS);
		const watch = { watch: 'all', events: ['updated'], fields: ['name'], pollTimes };
		const rss = { feedUrl: feed.url, pollTimes };
		const id = await publish(
			{ ...changesNode(watch), id: 'second', name: 'Second' },
			node('RSS', 'n8n-nodes-base.rssFeedReadTrigger', rss),
			changesNode(watch),
			node('Schedule', 'n8n-nodes-base.scheduleTrigger', {
				rule: { interval: [{ field: 'seconds', secondsInterval: 10 }] },
			}),
		);
		const names = ['Anna', 'Ben', 'Cara', 'Dan', 'Eve'].slice(0, POLL_SECONDS > 1 ? 5 : 2);
		for (const name of names) {
			contact.name = name;
			// Both nodes read the list. An event that came again did so after half a minute.
			const rounds = POLL_SECONDS > 1 || name !== 'Anna' ? 2 : 35;
			for (let round = 0; round < rounds; round += 1) await untilPolled(bed);
		}
		await bed.n8n.rest.unpublish(id);
		await feed.close();
		for (const name of ['Changes', 'Second']) {
			const all = (await startedWith(id, name)).flat().filter(({ event }) => event !== undefined);
			const told = all.map(({ contact: one }) => (one as IDataObject).name);
			expect([name, told]).toEqual([name, names]);
		}
	},
	POLL_SECONDS > 1 ? 900_000 : 180_000,
);

/** Its trigger stores the date of the newest item at each poll, and finds none that is newer. */
const RSS_FEED =
	'<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://example.com</link><description>News</description><item><title>One</title><link>https://example.com/1</link><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate></item></channel></rss>';

/** How often n8n is killed, up to 30 times; `KILLS=10 npm run test:n8n -- -t kill` takes longer. */
const KILLS = Number(process.env.KILLS ?? 2);

test.each<{ name: string; env: Record<string, string>; mayLose: boolean }>([
	{
		name: 'a kill of n8n during a poll loses or repeats only events of that poll',
		env: {},
		mayLose: true,
	},
	{
		name: 'a kill of n8n with durable cursors loses and repeats nothing',
		env: DURABLE_CURSORS,
		mayLose: false,
	},
])(
	'$name',
	async ({ env, mayLose }) => {
		if (env === DURABLE_CURSORS) await bed.restart('stop', { env });
		const contacts = addContacts(bed.sandbox, 150);
		const id = await publish(changesNode({ watch: 'all', events: ['updated'], fields: ['name'] }));
		bed.sandbox.setLatency(100);
		// The moments differ in each run of the tests; a failure shows its seed.
		const seed = Date.now() % 1_000_000;
		const random = new SeededRandom(seed);
		const rounds: Array<{ changed: string[]; wasRead: boolean }> = [];
		while (rounds.length < KILLS) {
			const isAfterLastPage = !mayLose || rounds.length % 2 === 1;
			const changed = contacts.filter((_, index) => index % 30 === rounds.length);
			const change = () => changed.forEach((contact) => (contact.name = 'Anna'));
			const moment = { isAfterLastPage, delayMs: random.integer(100) };
			const wasRead = await killMidPoll(2, change, moment, env);
			rounds.push({ changed: changed.map((contact) => contact.id), wasRead });
		}
		await untilPolled(bed, undefined, 2);
		const events = (await startedWith(id)).flat();
		const ids = events.map(({ contact }) => (contact as IDataObject).id as string);
		for (const { changed, wasRead } of rounds) {
			const counts = changed.map((each) => ids.filter((one) => one === each).length);
			const allowed = wasRead && mayLose ? [0, 1, 2] : [1];
			// All of them were found by one poll.
			expect({ seed, rounds, counts }).toMatchObject({ counts: counts.map(() => counts[0]) });
			expect(allowed).toContain(counts[0]);
		}
		const changed = new Set(rounds.flatMap((round) => round.changed));
		expect(ids.filter((each) => !changed.has(each))).toEqual([]);
	},
	1_800_000,
);

/** When n8n is killed. */
interface PollMoment {
	/** Whether the delay counts from the answer to the last page, instead of from the first request. */
	isAfterLastPage: boolean;
	delayMs: number;
}

/**
 * Changes contacts between two polls, kills n8n in the next one or right after it, while n8n saves, and starts
 * n8n again. Returns whether that poll had read its whole list.
 *
 * @param pages in the list
 * @param env of n8n, before and after
 */
async function killMidPoll(
	pages: number,
	change: () => void,
	{ isAfterLastPage, delayMs }: PollMoment,
	env: Record<string, string>,
): Promise<boolean> {
	const { sandbox } = bed;
	const isRead = () => {
		const lists = sandbox.requests.filter(({ path }) => path === LIST_PATH);
		const first = lists.map(({ query }) => Number(query.offset ?? 0)).lastIndexOf(0);
		return lists.slice(first).filter(({ tookMs }) => tookMs !== undefined).length >= pages;
	};
	await untilPolled(bed);
	await soon(isRead);
	change();
	const before = readings(sandbox);
	await soon(() => readings(sandbox) > before);
	if (isAfterLastPage) await soon(isRead);
	await delay(delayMs);
	const wasRead = isRead();
	await bed.restart('kill', { env });
	return wasRead;
}

/** Resolves at most a millisecond after the condition is met. */
async function soon(isSo: () => boolean): Promise<void> {
	const deadlineMs = Date.now() + 120_000;
	while (!isSo()) {
		if (Date.now() > deadlineMs) throw new Error(`Waited in vain for ${isSo}`);
		await delay(1);
	}
}
