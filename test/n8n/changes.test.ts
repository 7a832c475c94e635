import type { IDataObject, INode } from 'n8n-workflow';

import { SeededRandom } from '../sandbox/seed/random';
import { addContacts } from '../workflow/support';
import { CHANGES, changesNode, changesWorkflow, startedWith, untilPolled } from './changesRuns';
import { outputItems } from './executionData';
import { killMidPoll, type PollMoment } from './killedPoll';
import { eventually, startTestbed, triggerWorkflow, type Testbed } from './testbed';

/** Workspace CRM Changes Trigger in a real n8n, with its own schedule. */
let bed: Testbed;

beforeAll(async () => {
	bed = await startTestbed();
}, 900_000);
afterAll(async () => await bed?.close());
afterEach(async () => {
	for (const id of published.splice(0)) await bed.n8n.rest.unpublish(id).catch(() => undefined);
	bed.sandbox.reset();
});

const published: string[] = [];
const SEGMENT_PATH = '/v1/segments/seg_vip/contacts';

const segment = {
	watch: 'segment',
	segmentId: { __rl: true, mode: 'id', value: 'seg_vip' },
	events: ['entered', 'left', 'erased'],
};
const all = {
	watch: 'all',
	events: ['consentChanged', 'erased', 'tagRemoved', 'updated'],
	fields: ['name'],
};

async function publish(...nodes: INode[]): Promise<string> {
	const { id } = await bed.n8n.rest.createWorkflow(changesWorkflow(...nodes));
	await bed.n8n.rest.publish(id);
	published.push(id);
	return id;
}

/** What each execution began with, once there are as many as expected, and none comes after them. */
async function executions(id: string, expected: number, path?: string): Promise<IDataObject[]> {
	await eventually(
		async () => await bed.n8n.rest.listExecutions(id),
		({ length }) => length >= expected,
	);
	await untilPolled(bed, 1, path);
	const items = await startedWith(bed, id);
	expect(items.map(({ length }) => length)).toEqual(Array(expected).fill(1));
	return items.flat();
}

test('a segment: the first poll starts nothing; who enters and leaves starts one execution each', async () => {
	const [one, two] = addContacts(bed.sandbox, 3, { tags: ['vip'] });
	const [other] = addContacts(bed.sandbox, 1, { phone: '+4915123456789' });
	const id = await publish(changesNode(segment));
	await untilPolled(bed, 1, SEGMENT_PATH);
	expect(await executions(id, 0, SEGMENT_PATH)).toEqual([]);

	other.tags = ['vip'];
	await executions(id, 1, SEGMENT_PATH);
	one.tags = [];
	await executions(id, 2, SEGMENT_PATH);
	bed.sandbox.store.eraseContact(two);
	expect(await executions(id, 3, SEGMENT_PATH)).toMatchObject([
		{ event: 'entered', contact: { id: other.id, phone: other.phone } },
		{ event: 'left', contact: { id: one.id } },
		{ event: 'erased', contact: { id: two.id } },
	]);
});

test('all contacts: each change starts one execution, also across a restart of n8n', async () => {
	const [one, two, three] = addContacts(bed.sandbox, 50, {
		tags: ['old'],
		opt_in_status: 'pending',
	});
	const id = await publish(changesNode(all));
	await untilPolled(bed, 1);

	one.opt_in_status = 'confirmed';
	await executions(id, 1);
	two.tags = [];
	await executions(id, 2);
	await bed.n8n.stop();
	// While n8n is down. What was told before is not told again.
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
});

test('publishing after a pause begins anew', async () => {
	const [contact] = addContacts(bed.sandbox, 3);
	const id = await publish(changesNode(all));
	contact.name = 'Told';
	await executions(id, 1);
	await bed.n8n.rest.unpublish(id);
	contact.name = 'In the pause';
	await bed.n8n.rest.publish(id);
	await untilPolled(bed, 1);
	await executions(id, 1);
	contact.name = 'Afterwards';
	const names = (await executions(id, 2)).map((item) => (item.contact as IDataObject).name);
	expect(names).toEqual(['Told', 'Afterwards']);
});

test('the test step gives samples with the cost, and leaves alone what is known', async () => {
	const contacts = addContacts(bed.sandbox, 80);
	const id = await publish(changesNode(all));
	contacts[0].name = 'Told';
	await executions(id, 1);
	// So that no poll changes what is known meanwhile.
	await bed.n8n.rest.unpublish(id);
	const staticData = async () =>
		(await bed.n8n.rest.get<{ staticData: IDataObject }>(`/workflows/${id}`)).staticData;
	const before = JSON.stringify(await staticData());
	expect(before).toContain('baseline');

	contacts[1].name = 'Not told';
	const { status, data } = await bed.n8n.rest.runWorkflow(id, CHANGES);
	expect(status).toBe('success');
	const samples = outputItems(data, CHANGES);
	expect(samples.map(({ event }) => event)).toEqual(all.events);
	expect(samples[0]).toMatchObject({
		contact: { id: contacts[0].id },
		changed: {},
		sample: { contacts: 80, cost: expect.stringContaining('uses 1 of your 120 requests') },
	});
	expect(JSON.stringify(await staticData())).toBe(before);
});

test('our other trigger in the same workflow: both start it, also after a crash', async () => {
	const contacts = addContacts(bed.sandbox, 3);
	const [trigger] = triggerWorkflow({ events: ['message.received'] }).nodes;
	const id = await publish(changesNode(all), trigger);
	const told = async (expected: number) => {
		await eventually(
			async () => await bed.n8n.rest.listExecutions(id),
			({ length }) => length >= expected,
		);
		await untilPolled(bed, 1);
		const [changes, messages] = [
			await startedWith(bed, id),
			await startedWith(bed, id, trigger.name),
		];
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
	await told(1);
	await write();
	await told(2);
	contacts[1].name = 'Ben';
	expect(await told(3)).toEqual([['updated', 'updated'], ['message.received']]);

	await bed.restart('kill');
	await untilPolled(bed, 1);
	await write();
	expect(await told(4)).toEqual([
		['updated', 'updated'],
		['message.received', 'message.received'],
	]);
});

const DURABLE_CURSORS = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

type Kill = Pick<PollMoment, 'isAfterLastPage'>;

test.each<{ name: string; env: Record<string, string>; kills: Kill[]; mayLose: boolean }>([
	{
		name: 'loses or repeats at most the events of a poll that had its list',
		env: {},
		kills: [{ isAfterLastPage: false }, { isAfterLastPage: true }],
		mayLose: true,
	},
	{
		name: 'with durable cursors loses and repeats nothing',
		env: DURABLE_CURSORS,
		kills: [{ isAfterLastPage: true }, { isAfterLastPage: true }],
		mayLose: false,
	},
])(
	'a kill of n8n around a poll $name',
	async ({ env, kills, mayLose }) => {
		if (env === DURABLE_CURSORS) await bed.restart('stop', { env });
		const contacts = addContacts(bed.sandbox, 150);
		const id = await publish(changesNode({ watch: 'all', events: ['updated'], fields: ['name'] }));
		bed.sandbox.setLatency(100);
		// Some other moments in each run of the tests; a failure names its own.
		const seed = Date.now() % 1_000_000;
		const random = new SeededRandom(seed);
		const rounds: Array<{ changed: string[]; wasRead: boolean }> = [];
		for (const kill of kills) {
			const changed = contacts.filter((_, index) => index % 30 === rounds.length);
			const change = () => changed.forEach((contact) => (contact.name = 'Anna'));
			const moment = { ...kill, delayMs: random.integer(100) };
			const wasRead = await killMidPoll(bed, 2, change, moment, env);
			rounds.push({ changed: changed.map((contact) => contact.id), wasRead });
		}
		await untilPolled(bed, 2);
		const events = (await startedWith(bed, id)).flat();
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
	900_000,
);
