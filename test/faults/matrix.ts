import { systemClock } from '../../nodes/WorkspaceCrm/n8n/systemClock';
import { createRuntime } from '../../nodes/WorkspaceCrm/crm/connection';
import type { Clock } from '../../nodes/WorkspaceCrm/crm/clock';
import { nodeLogger } from '../support/nodeLogger';
import { runNode } from '../../tools/engine/runNode';
import { jumpingClock, textsIn, useSandbox } from '../workflow/support';
import type { OperationRow } from './operationRows';
import { judge } from './oracle';
import { allPairs, itemsIn, nameOf, type Pair } from './pairing';
import { createWorld, furnish, newKey, type World } from './world';

/** Which operations a test file runs: by the request that the faults strike. */
const parts = {
	reads: ({ struck }: OperationRow) => struck.method === 'GET',
	changes: ({ struck, isRepeatable }: OperationRow) => struck.method !== 'GET' && isRepeatable,
	sends: ({ isRepeatable }: OperationRow) => !isRepeatable,
};

/** The time limit of a request where the fault is a timeout; normally, it is a minute. */
const SHORT_LIMIT_MS = 3_000;

/** Runs every pair of these operations and all faults in n8n's engine, and judges each. */
export function testMatrix(part: keyof typeof parts): void {
	const pairs = allPairs().filter(({ row }) => parts[part](row));
	const sandbox = useSandbox({ limiter: { kind: 'off' }, apiKey: newKey() });
	/** They wait, so they run beside the others. */
	const slow = new Map<Pair, Promise<string[]>>();
	const log: string[] = [];

	beforeAll(() => {
		for (const level of ['error', 'warn', 'info', 'debug'] as const) {
			jest.spyOn(nodeLogger(), level).mockImplementation((line) => void log.push(line));
		}
		for (const pair of pairs.filter(({ fault }) => fault.isSlow)) slow.set(pair, runSlow(pair));
	});

	test.each(pairs.map((pair) => [nameOf(pair), pair] as const))('%s', async (_name, pair) => {
		const problems = await (slow.get(pair) ?? run(pair, furnish(sandbox, pair.row)));
		expect(problems).toEqual([]);
		expect(log.filter((line) => line.includes(sandbox.apiKey))).toEqual([]);
	});
}

/** Each has a service of its own, and the machine's clock. */
async function runSlow(pair: Pair): Promise<string[]> {
	const world = await createWorld(pair.row);
	const clock = { ...systemClock, signalAfter: () => AbortSignal.timeout(SHORT_LIMIT_MS) };
	return await run(pair, world, clock)
		.catch((error: unknown) => [String(error)])
		.finally(async () => await world.sandbox.close());
}

async function run(pair: Pair, world: World, clock: Clock = jumpingClock()): Promise<string[]> {
	const { row, fault } = pair;
	fault.arm(world, row);
	const result = await runNode(world.sandbox, {
		parameters: row.parameters,
		items: itemsIn(pair, world),
		runtime: createRuntime(clock),
		onError: 'continueErrorOutput',
		settings: fault.settings,
	});
	const { output, failedOutput, error } = result;
	return judge(pair, world, {
		status: result.run.status,
		outputs: [output, failedOutput],
		error: error?.message,
		stored: textsIn(result).join('\n'),
	});
}
