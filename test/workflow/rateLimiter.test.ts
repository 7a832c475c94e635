import type { INodeParameters } from 'n8n-workflow';

import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/crm/connection';
import type { FaultKind } from '../../tools/sandbox';
import { delay } from '../../tools/support/platform';
import { runNode, startNode } from '../../tools/engine/runNode';
import { patientRuntime, scaledClock, useSandbox } from './support';

/** A minute of the clock takes half a second. */
const clock = scaledClock(120);
const sandbox = useSandbox({ clock });

const getWorkspace: INodeParameters = { resource: 'workspace', operation: 'get' };
const itemsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));
const letThrough = () => sandbox.requests.filter(({ status }) => status === 200);
/** A busy machine delays answers by seconds of this clock; `unit/crm/rateLimiter` counts exactly. */
const expectFewRefused = () =>
	expect(sandbox.requests.length - letThrough().length).toBeLessThanOrEqual(30);

function expectWithinRate() {
	const timesMs = letThrough().map(({ atMs }) => atMs);
	for (let index = 120; index < timesMs.length; index += 1) {
		expect(timesMs[index] - timesMs[index - 120]).toBeGreaterThanOrEqual(60_000);
	}
}

/** Nothing waits for the rate, which would take a minute. */
async function expectNoWaiting(act: (runtime: Runtime) => Promise<void>) {
	const { runtime, clock: waits } = patientRuntime();
	await act(runtime);
	expect(waits.sleptMs()).toBeLessThan(60_000);
}

describe('the rate of 120 requests a minute', () => {
	test('is kept by two executions together', async () => {
		const run = { parameters: getWorkspace, items: itemsOf(65), runtime: createRuntime(clock) };
		const results = await Promise.all([runNode(sandbox, run), runNode(sandbox, run)]);
		expect(results.map(({ json }) => json.length)).toEqual([65, 65]);
		expect(letThrough()).toHaveLength(130);
		expectFewRefused();
		expectWithinRate();
	});

	test('costs no time below it', async () => {
		await expectNoWaiting(async (runtime) => {
			await runNode(sandbox, { parameters: getWorkspace, items: itemsOf(120), runtime });
		});
	});

	test('belongs to one key: another key has its own', async () => {
		await expectNoWaiting(async (runtime) => {
			await runNode(sandbox, { parameters: getWorkspace, items: itemsOf(120), runtime });
			const { error } = await runNode(sandbox, {
				parameters: getWorkspace,
				credential: { apiKey: 'another' },
				runtime,
			});
			expect(error?.httpCode).toBe('401');
		});
	});
});

/** If it kept waiting, the test would time out first. */
describe('an execution that is stopped', () => {
	const headers = { 'retry-after': '240' };

	test.each<[string, FaultKind]>([
		['for the rate limit of the service', { status: 429, headers }],
		['before another try', { status: 503, headers }],
		['for an answer', { delayMs: 60 * 60_000 }],
	])('while it waits %s ends soon, without another request', async (_name, kind) => {
		for (const onError of [undefined, 'continueErrorOutput'] as const) {
			sandbox.reset();
			sandbox.fail({ kind });
			const run = { parameters: getWorkspace, items: itemsOf(3), onError };
			const execution = startNode(sandbox, run);
			while (sandbox.requests.length === 0) await delay(5);
			// The answer, if there is one, takes its time.
			await delay(100);
			execution.cancel();
			const { data, status } = await execution;
			expect(status).toBe('canceled');
			const [output] = data.resultData.runData.CRM?.[0].data?.main ?? [];
			if (!onError) expect(output ?? []).toEqual([]);
			await delay(600);
			expect(sandbox.requests).toHaveLength(1);
		}
	});

	test('while it waits for a place among the 120 ends soon', async () => {
		// longer than the machine takes for 120 requests
		sandbox.setLimiter({ kind: 'sliding', windowMs: 3_600_000 });
		const execution = startNode(sandbox, { parameters: getWorkspace, items: itemsOf(121) });
		while (sandbox.requests.length < 120) await delay(5);
		await delay(50);
		execution.cancel();
		await execution;
		await delay(300);
		expect(letThrough()).toHaveLength(120);
		expectFewRefused();
	});
});
