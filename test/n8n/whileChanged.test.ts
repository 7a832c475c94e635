import type { IDataObject, INode } from 'n8n-workflow';

import { childProcess, delay, path } from '../../tools/support/platform';
import { addContacts } from '../workflow/support';
import { LIST_PATH, readings, untilPolled } from './changes/changesRuns';
import { changeNode } from './exampleRuns';
import { ensureHost } from '../../tools/n8n/installHost';
import { runCli } from '../../tools/n8n/n8nCli';
import { outputItems } from '../../tools/n8n/n8nRestClient';
import { startN8n } from '../../tools/n8n/n8nServer';
import { createOwner } from '../../tools/n8n/owner';
import { findFreePort } from '../../tools/n8n/ports';
import { createPreparedFolder } from '../../tools/n8n/preparedFolder';
import { eventually, PUBLIC_URL } from '../../tools/n8n/testbed';
import { removeUserFolder } from '../../tools/n8n/userFolders';
import { asking, untilStatus, waitSubscriptions } from '../../tools/n8n/waits';
import {
	changesNode,
	manualWorkflow,
	node,
	pollEvery,
	triggerWorkflow,
	workflowOf,
} from '../../tools/n8n/workflows';
import { usePublishing, useTestbed } from './useTestbed';

/** No event is lost or repeated, whatever a user does to a workflow or to n8n in the meantime. */
const bed = useTestbed();
const publishWorkflow = usePublishing(bed);

const publish = async (...nodes: INode[]) => await publishWorkflow(workflowOf(nodes));
const publishTrigger = async () =>
	await publishWorkflow(triggerWorkflow({ events: ['message.received'] }));

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

	test('a delivery that arrives while the database is locked: its next try starts the workflow once', async () => {
		const { sandbox } = bed;
		const id = await publishTrigger();
		await lockDatabase(6);
		sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'While locked');
		await sandbox.settled();
		const [{ deliveryId, attempts }] = sandbox.deliveries;
		expect(attempts.map(({ status }) => status)).toEqual([500]);
		await delay(6_000);
		expect(await executions(id)).toHaveLength(0);
		expect(await sandbox.redeliver(deliveryId)).toBe(200);
		expect(await sandbox.redeliver(deliveryId)).toBe(200);
		await untilExecuted(id, 1);
		await delay(1_000);
		expect(await executions(id)).toHaveLength(1);
	}, 300_000);

	test('a copy in a second n8n with the same encryption key leaves the subscription alone', async () => {
		const { sandbox } = bed;
		const id = await publishTrigger();
		const [production] = sandbox.store.subscriptions.values();
		const second = await startSecond(id);
		try {
			await second.n8n.rest.publish(id);
			const urls = [...sandbox.store.subscriptions.values()].map(({ url }) => new URL(url).origin);
			expect(urls).toEqual([PUBLIC_URL, SECOND_URL]);
			expect(second.n8n.logs).toContain(`${production.id} to ${production.url} was not deleted`);
			await second.n8n.rest.unpublish(id);
			await eventually(
				() => [...sandbox.store.subscriptions.values()],
				({ length }) => length === 1,
			);
			expect([...sandbox.store.subscriptions.values()]).toEqual([production]);
		} finally {
			await second.n8n.stop();
			await removeUserFolder(second.userFolder);
		}
		sandbox.emit.inboundMessage({ phone: '+4915123456789' }, 'Hello');
		await untilExecuted(id, 1);
	}, 600_000);

	test('if a subscription cannot be deleted after a reply, the contact can be asked again at once', async () => {
		const { sandbox } = bed;
		const [anna] = addContacts(sandbox, 1);
		const ask = async () => {
			const after = node('After', 'n8n-nodes-base.noOp');
			const workflow = manualWorkflow([asking(), after], [{ contactId: anna.id }]);
			const { id } = await bed.n8n.rest.createWorkflow(workflow);
			const execution = await bed.n8n.rest.startWorkflow(id, 'Start');
			await untilStatus(bed, execution, 'waiting');
			return execution;
		};
		const answer = async (execution: string, text: string) => {
			sandbox.emit.inboundMessage(anna.id, text);
			await sandbox.settled();
			const { data } = await untilStatus(bed, execution, 'success');
			return outputItems(data, 'After')[0];
		};
		const first = await ask();
		sandbox.fail({ match: { method: 'DELETE' }, times: Infinity, kind: { status: 503 } });
		expect(await answer(first, 'Yes')).toMatchObject({
			approved: true,
			respondedAt: expect.stringMatching(/^20.+Z$/) as string,
		});
		const second = await ask();
		expect(waitSubscriptions(sandbox)).toHaveLength(2);
		await delay(60_000);
		sandbox.clearFaults();
		expect(await answer(second, 'No')).toMatchObject({ approved: false, replied: true });
		await eventually(
			() => waitSubscriptions(sandbox),
			({ length }) => length === 0,
		);
		expect(bed.n8n.logs).toContain('could not be deleted');
	}, 400_000);

	test('if the address of n8n has a path, a contact is asked only if n8n itself answers there', async () => {
		const { sandbox } = bed;
		const [anna] = addContacts(sandbox, 1);
		const start = async () => {
			const after = node('After', 'n8n-nodes-base.noOp');
			const workflow = manualWorkflow([asking(), after], [{ contactId: anna.id }]);
			const { id } = await bed.n8n.rest.createWorkflow(workflow);
			return await bed.n8n.rest.startWorkflow(id, 'Start');
		};
		await bed.restart('stop', { env: { WEBHOOK_URL: `${PUBLIC_URL}/n8n/` } });
		const refused = await untilStatus(bed, await start(), 'error');
		expect(refused.data.resultData.error?.message).toMatch('the address of n8n has the path /n8n');
		expect([sandbox.store.sentMessages, waitSubscriptions(sandbox)]).toEqual([[], []]);

		await bed.restart('stop', { env: { N8N_ENDPOINT_WEBHOOK_WAIT: 'n8n/webhook-waiting' } });
		const execution = await start();
		await untilStatus(bed, execution, 'waiting');
		sandbox.emit.inboundMessage(anna.id, 'Yes');
		await untilStatus(bed, execution, 'success');
		await bed.restart('stop');
	}, 400_000);
});

const SECOND_URL = 'https://staging.example.com';

/** Starts another n8n with the same encryption key, and copies a workflow to it with n8n's CLI. */
async function startSecond(workflowId: string) {
	const host = await ensureHost();
	// All prepared folders have the same encryption key.
	const userFolder = await createPreparedFolder(host);
	for (const [what, more] of [
		['credentials', '--all'],
		['workflow', `--id=${workflowId}`],
	]) {
		const file = path.join(userFolder, `${what}.json`);
		await runCli({ host, userFolder: bed.userFolder }, [
			`export:${what}`,
			more,
			`--output=${file}`,
		]);
		await runCli({ host, userFolder }, [`import:${what}`, `--input=${file}`]);
	}
	const port = await findFreePort();
	bed.publicHosts[SECOND_URL] = `http://127.0.0.1:${port}`;
	const n8n = await startN8n({ host, userFolder, port, env: { WEBHOOK_URL: SECOND_URL } });
	await n8n.rest.setUpOwner(createOwner());
	return { n8n, userFolder };
}
