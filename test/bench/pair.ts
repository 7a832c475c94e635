import { startSandbox } from '../sandbox';
import { ourSync, ourUpsert } from './nodes';
import { addAsContacts, makeRows } from './rows';
import { startWorker } from './worker/worker';
const N = 10_000;
async function one(kind: string) {
	const sandbox = await startSandbox({ limiter: { kind: 'off' } });
	const worker = await startWorker();
	const rows = makeRows(N).map((row) => ({ ...row }));
	const node = kind === 'create' ? ourUpsert : ourSync;
	const job = { ...node(sandbox), factor: 1, isUnlimited: true } as any;
	await worker.run({ ...job, items: rows.slice(0, 200) });
	sandbox.reset();
	if (kind === 'sync') addAsContacts(sandbox, makeRows(N));
	const result = await worker.run({ ...job, items: rows });
	console.log(kind, Math.round(result.cpuMs), sandbox.requests.length, result.failed);
	await worker.end();
	await sandbox.close();
}
async function main() { for (const kind of process.argv.slice(2)) await one(kind); }
void main();
