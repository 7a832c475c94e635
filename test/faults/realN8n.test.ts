import { startTestbed, type Testbed } from '../n8n/testbed';
import { operations } from '../support/operations';
import { delay } from '../support/platform';
import { faultRows, n8nKilled } from './faultRows';
import { isLongForm } from './form';
import { killMidRun } from './killed';
import { knownDefects } from './knownDefects';
import { operationRows, rowName } from './operationRows';
import { judge, type Verdict } from './oracle';
import { allPairs, fewPairs, type Pair } from './pairing';
import { inPool } from './pool';
import { saveResults } from './results';
import { endOfRun, startRun } from './runInN8n';
import { searchSecrets, type Search } from './stored';
import { createWorld, secretsOf } from './world';

const killedPairs = operationRows.map((row): Pair => ({ row, fault: n8nKilled }));
const pairs = isLongForm ? allPairs() : fewPairs();
const nameOf = ({ row, fault }: Pair) => `${rowName(row)} / ${fault.name}`;
const names = [...pairs, ...killedPairs].map(nameOf);

/** Waiting costs n8n nothing, and most of the time is waiting. */
const RUNS_AT_ONCE = 12;

let bed: Testbed;
const verdicts = new Map<string, Verdict>();
const secrets: string[] = [];
let search: Search;

/** A machine under load may break a connection to n8n; then the run is made anew. */
const TRIES = 3;

async function run(pair: Pair, triesLeft = TRIES): Promise<void> {
	await tryRun(pair).catch(async (error: Error) => {
		if (triesLeft <= 1 || error.message !== 'fetch failed') throw error;
		await delay(1_000);
		await run(pair, triesLeft - 1);
	});
}

async function tryRun(pair: Pair): Promise<void> {
	const world = await createWorld(Boolean(pair.row.isLong));
	try {
		pair.fault.arm(world, pair.row);
		const executionId = await startRun(bed.n8n.rest, world, pair);
		const result = await endOfRun(bed.n8n.rest, executionId);
		secrets.push(...secretsOf(world));
		verdicts.set(nameOf(pair), judge(pair, world, result));
	} finally {
		await world.sandbox.close();
	}
}

beforeAll(async () => {
	bed = await startTestbed({ env: { N8N_LOG_LEVEL: 'debug' } });
	const startMs = Date.now();
	const slow = pairs.filter(({ fault }) => fault.isSlow);
	const heavy = pairs.filter(({ fault }) => fault.isHeavy);
	const others = pairs.filter(({ fault }) => !fault.isSlow && !fault.isHeavy);
	await Promise.all([
		inPool(slow, slow.length, async (pair) => await run(pair)),
		inPool(heavy, 1, async (pair) => await run(pair)),
		inPool(others, RUNS_AT_ONCE, async (pair) => await run(pair)),
	]);
	const { logs } = bed.n8n;
	for (const [pair, verdict] of await killMidRun(bed, killedPairs)) {
		verdicts.set(nameOf(pair), verdict);
	}
	const elapsedMs = Date.now() - startMs;

	await bed.n8n.stop();
	search = searchSecrets(bed.userFolder, { log: logs, 'second log': bed.n8n.logs }, secrets);
	const inOrder = names.flatMap((name) => verdicts.get(name) ?? []);
	saveResults('realN8n', { elapsedMs, verdicts: inOrder, search });
}, 3_600_000);
afterAll(async () => await bed?.close());

test('every operation of the registry is here', () => {
	const known = operations.map(({ resource, operation }) => `${resource} ${operation}`);
	expect([...new Set(operationRows.map(({ operation }) => operation))].sort()).toEqual(
		known.sort(),
	);
});

test('every operation and every fault comes at least twice', () => {
	const count = (isIt: (pair: Pair) => boolean) => pairs.filter(isIt).length;
	for (const { operation } of operationRows) {
		expect(count(({ row }) => row.operation === operation)).toBeGreaterThanOrEqual(2);
	}
	for (const fault of faultRows) {
		expect(count((pair) => pair.fault.name === fault.name)).toBeGreaterThanOrEqual(2);
	}
});

describe('each run ends in the right state', () => {
	test.each(names.filter((name) => !knownDefects.has(name)))('%s', (name) => {
		expect(verdicts.get(name)?.problems).toEqual([]);
	});

	const known = names.filter((name) => knownDefects.has(name));
	if (known.length > 0) {
		test.failing.each(known)('not yet: %s', (name) => {
			expect(verdicts.get(name)?.problems).toEqual([]);
		});
	}
});

test('no key and no signing secret is in what n8n stored or logged', () => {
	expect(search.secrets).toBeGreaterThan(pairs.length);
	expect(search.files).toBeGreaterThan(0);
	expect(search.found).toEqual([]);
});
