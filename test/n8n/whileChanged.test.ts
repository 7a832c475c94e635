import { childProcess, delay, path } from '../../tools/support/platform';
import { ensureHost } from '../../tools/n8n/installHost';
import { runCli } from '../../tools/n8n/n8nCli';
import { startN8n } from '../../tools/n8n/n8nServer';
import { createOwner } from '../../tools/n8n/owner';
import { findFreePort } from '../../tools/n8n/ports';
import { createPreparedFolder } from '../../tools/n8n/preparedFolder';
import { eventually, PUBLIC_URL } from '../../tools/n8n/testbed';
import { removeUserFolder } from '../../tools/n8n/userFolders';
import { triggerWorkflow } from '../../tools/n8n/workflows';
import { usePublishing, useTestbed } from './useTestbed';

/** No event is lost or repeated, whatever a user does to a workflow or to n8n in the meantime. */
const bed = useTestbed();
const publishWorkflow = usePublishing(bed);
const publishTrigger = async () =>
	await publishWorkflow(triggerWorkflow({ events: ['message.received'] }));

const executions = async (id: string) => await bed.n8n.rest.listExecutions(id);

async function untilExecuted(id: string, expected: number): Promise<void> {
	await eventually(
		async () => await executions(id),
		({ length }) => length >= expected,
	);
}

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
