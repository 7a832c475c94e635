import { n8nKilled } from '../faults/faultRows';
import { operationRows } from '../faults/operationRows';
import { judge } from '../faults/oracle';
import { nameOf, pairNamed, type Pair } from '../faults/pairing';
import { createWorld, secretsOf } from '../faults/world';
import { searchSecrets } from '../faults/stored';
import { endOfRun, startRun } from './faultRuns';
import { killMidRun } from './killedRuns';
import { startTestbed, type Testbed } from './testbed';

/** Some pairs of the matrix in `test/faults`: n8n itself stores, logs and repeats. */
const pairs = [
	'automation enroll / connection dropped within the answer',
	'automation enroll / no answer for more than a minute',
	'contact delete / connection dropped after the effect',
	'contact getAll / a total that is too high',
	'contact sync / 500 page that echoes the key',
	'contact update / 33 MB',
	'contact update / a redirect',
	'contact update / an answer that says it is gzip, and is not',
	'contact upsert (new contacts) / 503 with Retry-After',
	'message sendAndWait / connection dropped after the effect',
	'message sendCampaign (marking the contact) / 402, every time',
	'message sendCampaign / 500, once',
	'message sendTemplate / 422 that echoes the key',
	'message sendTemplate / dropped after the effect, and n8n set to Retry On Fail',
	'segment getContacts / a page that is missing',
	'subscription create / 504 of a gateway after the effect',
	'subscription create / nothing',
	'subscription delete / the service restarted after the first request',
	'subscription getAll / 422 that echoes the key',
	'tag remove / 429 storm, Retry-After: 1',
	'template getAll / 429, Retry-After: an hour',
	'workspace checkApi / the key revoked after the first request',
	'workspace get / every connection dropped',
].map(pairNamed);

/** What changes something, and a list. */
const killed = [
	'automation enroll',
	'contact delete',
	'contact getAll',
	'contact sync',
	'message sendAndWait',
	'message sendCampaign',
	'message sendTemplate',
	'subscription create',
].map((name): Pair => {
	const row = operationRows.find(({ operation }) => operation === name);
	return { row: row as Pair['row'], fault: n8nKilled };
});

let bed: Testbed;
/** By pair: all that is not as it should be. */
const problems = new Map<Pair, string[]>();
const secrets: string[] = [];

/** A machine under load may break a connection to n8n; then the run is made anew. */
const TRIES = 3;

async function run(pair: Pair, triesLeft = TRIES): Promise<void> {
	await tryRun(pair).catch(async (error: Error) => {
		if (triesLeft <= 1 || error.message !== 'fetch failed') throw error;
		await run(pair, triesLeft - 1);
	});
}

async function tryRun(pair: Pair): Promise<void> {
	const world = await createWorld(pair.row);
	try {
		pair.fault.arm(world, pair.row);
		const executionId = await startRun(bed.n8n.rest, world, pair);
		const result = await endOfRun(bed.n8n.rest, executionId);
		secrets.push(...secretsOf(world));
		problems.set(pair, judge(pair, world, result));
	} finally {
		await world.sandbox.close();
	}
}

/** Of both times that n8n ran. */
const logs: Record<string, string> = {};

beforeAll(async () => {
	bed = await startTestbed({ env: { N8N_LOG_LEVEL: 'debug' } });
	// Most of the time they wait.
	await Promise.all(pairs.map(async (pair) => await run(pair)));
	logs.first = bed.n8n.logs;
	for (const [pair, found] of await killMidRun(bed, killed)) problems.set(pair, found);
	await bed.n8n.stop();
	logs.second = bed.n8n.logs;
}, 900_000);
afterAll(async () => await bed?.close());

test.each([...pairs, ...killed].map((pair) => [nameOf(pair), pair] as const))(
	'%s',
	(_name, pair) => {
		expect(problems.get(pair)).toEqual([]);
	},
);

test('no key and no signing secret is in what n8n stored or logged', () => {
	const search = searchSecrets(bed.userFolder, logs, secrets);
	expect(search.secrets).toBeGreaterThan(pairs.length);
	expect(search.files).toBeGreaterThan(0);
	expect(search.found).toEqual([]);
});
