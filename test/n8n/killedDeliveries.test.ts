import { SeededRandom } from '../../tools/sandbox/seed/random';
import { childProcess, delay, path } from '../../tools/support/platform';
import { deliver, startTestbed, type Testbed } from '../../tools/n8n/testbed';
import { triggerWorkflow } from '../../tools/n8n/workflows';

/** Signed deliveries to a real n8n that is killed in between. n8n's own database shows the executions. */
let bed: Testbed;

beforeAll(async () => {
	bed = await startTestbed({ env: { EXECUTIONS_DATA_PRUNE: 'false' } });
}, 900_000);
afterAll(async () => await bed?.close());

const KILLS = 3;
const EVENTS = 10_000;
const AT_ONCE = 20;

/** The executions that each event started: an execution is stored before its delivery is answered. */
const COUNT_STARTS = `
import collections, json, re, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute('SELECT data FROM execution_data')
starts = collections.Counter(name for (data,) in rows for name in set(re.findall(r'evt-\\d+', data)))
print(json.dumps(starts))
`;

function countStarts(): Record<string, number> {
	const database = path.join(bed.userFolder, '.n8n', 'database.sqlite');
	const args = ['-c', COUNT_STARTS, database];
	const options = { encoding: 'utf8', maxBuffer: 64e6 } as const;
	return JSON.parse(childProcess.execFileSync('python3', args, options)) as Record<string, number>;
}

test('10,000 deliveries, n8n killed three times: each one answered with 2xx has started the workflow', async () => {
	const { id } = await bed.n8n.rest.createWorkflow(triggerWorkflow({ events: ['form.submitted'] }));
	await bed.n8n.rest.publish(id);
	const [subscription] = bed.sandbox.store.subscriptions.values();
	const seed = Date.now() % 1_000_000;
	const random = new SeededRandom(seed);
	const names = Array.from({ length: EVENTS }, (_, index) => `evt-${index}`);
	const killAt = new Set(
		Array.from({ length: KILLS }, (_, n) =>
			Math.floor(((n + random.integer(100) / 100) * EVENTS) / KILLS),
		),
	);

	const isAccepted = async (name: string) => {
		const body = JSON.stringify({ id: name, event: 'form.submitted', data: {} });
		return (await deliver(bed, subscription, body)) === 200;
	};
	const repeated = new Set<string>();
	let restarted = Promise.resolve();
	const kill = async () => {
		await delay(random.integer(15));
		await bed.restart('kill');
	};
	let next = 0;
	const work = async () => {
		while (next < names.length) {
			const index = next++;
			if (killAt.has(index)) restarted = kill();
			while (!(await isAccepted(names[index]))) {
				repeated.add(names[index]);
				await Promise.all([restarted, delay(50)]);
			}
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	await bed.n8n.rest.unpublish(id);

	const starts = countStarts();
	const lost = names.filter((name) => starts[name] === undefined);
	const twice = names.filter((name) => starts[name] > 1);
	expect({ seed, lost }).toEqual({ seed, lost: [] });
	expect(twice.filter((name) => !repeated.has(name))).toEqual([]);
	expect(twice.length).toBeLessThanOrEqual(KILLS * AT_ONCE);
	expect(repeated.size).toBeGreaterThan(0);
}, 1_800_000);
