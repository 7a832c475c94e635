import type { IDataObject, INode } from 'n8n-workflow';

import { childProcess, delay, path } from '../../../tools/support/platform';
import { addContacts } from '../../workflow/support';
import { LIST_PATH, readings, untilPolled } from './changesRuns';
import { changeNode } from '../exampleRuns';
import { outputItems } from '../../../tools/n8n/n8nRestClient';
import { eventually } from '../../../tools/n8n/testbed';
import { changesNode } from '../../../tools/n8n/changesNode';
import { pollEvery, workflowOf } from '../../../tools/n8n/workflows';
import { usePublishing, useTestbed } from '../useTestbed';

/** No event is lost or repeated, whatever a user does to a workflow or to n8n in the meantime. */
const bed = useTestbed();
const publishWorkflow = usePublishing(bed);

const publish = async (...nodes: INode[]) => await publishWorkflow(workflowOf(nodes));

/** The first items of the executions of a workflow, whatever its trigger is called. */
async function startedWith(id: string): Promise<IDataObject[]> {
	const { rest } = bed.n8n;
	const all = await rest.listExecutions(id);
	const ended = await Promise.all(all.map(async (each) => await rest.waitForExecution(each.id)));
	return ended.flatMap(({ data }) =>
		Object.keys(data.resultData.runData).flatMap((name) => outputItems(data, name)),
	);
}

const executions = async (id: string) => await bed.n8n.rest.listExecutions(id);

async function untilExecuted(id: string, expected: number): Promise<void> {
	await eventually(
		async () => await executions(id),
		({ length }) => length >= expected,
	);
}

test('an event of a poll that takes 8 seconds comes once, if meanwhile the workflow is published', async () => {
	const { sandbox } = bed;
	const changes: Array<[string, (changed: INode) => void]> = [
		['another name', (changed) => (changed.name = 'Renamed')],
		['another option', ({ parameters }) => (parameters.simplify = false)],
		['other poll times', ({ parameters }) => (parameters.pollTimes = pollEvery(2))],
	];
	const [contact] = addContacts(sandbox, 3);
	const node = changesNode({ watch: 'all', events: ['updated'], fields: ['name'] });
	const ids: string[] = [];
	while (ids.length < changes.length) ids.push(await publish(node));
	await untilPolled(bed, undefined, 2 * ids.length);
	// A node starts no second poll meanwhile, so each node has one slow poll.
	sandbox.fail({ match: { path: LIST_PATH }, times: ids.length, kind: { delayMs: 8_000 } });
	contact.name = 'During the poll';
	const before = readings(sandbox);
	await eventually(
		() => readings(sandbox),
		(now) => now >= before + ids.length,
	);
	for (const [index, [, change]] of changes.entries()) {
		await changeNode(bed, ids[index], 'Changes', change);
		await bed.n8n.rest.publish(ids[index]);
	}
	await Promise.all(ids.map(async (id) => await untilExecuted(id, 1)));
	await untilPolled(bed, undefined, 4 * ids.length);
	const names = async (id: string) =>
		(await startedWith(id)).map(({ contact: one }) => (one as IDataObject).name);
	for (const [index, [change]] of changes.entries()) {
		expect([change, await names(ids[index])]).toEqual([change, ['During the poll']]);
	}
});

/** Locks n8n's database for writing, as a backup does. */
async function lockDatabase(seconds: number): Promise<void> {
	const lock =
		'import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None); c.execute("BEGIN IMMEDIATE"); print("locked", flush=True); time.sleep(float(sys.argv[2]))';
	const database = path.join(bed.userFolder, '.n8n', 'database.sqlite');
	const child = childProcess.spawn('python3', ['-c', lock, database, String(seconds)]);
	await new Promise((resolve) => child.stdout.once('data', resolve));
}

/** Like the tests that kill n8n, these run only with `npm run test:n8n`. */
describe('takes minutes, like the tests that kill n8n:', () => {
	test('a poll that ends while the database is locked: its event comes once', async () => {
		const { sandbox } = bed;
		const [contact] = addContacts(sandbox, 3);
		const id = await publish(changesNode({ watch: 'all', events: ['updated'], fields: ['name'] }));
		await untilPolled(bed);
		contact.name = 'While locked';
		await lockDatabase(6);
		await delay(7_000);
		expect(bed.n8n.logs).toMatch(/SQLITE_BUSY|database is locked/);
		await untilExecuted(id, 1);
		await untilPolled(bed, undefined, 3);
		expect(await startedWith(id)).toHaveLength(1);
		await bed.restart('stop');
		await untilPolled(bed, undefined, 2);
		expect(await executions(id)).toHaveLength(1);
	}, 300_000);
});
