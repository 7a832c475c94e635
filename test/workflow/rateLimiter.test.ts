import type { INodeParameters } from 'n8n-workflow';

import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/api/runtime';
import type { LimiterOptions } from '../sandbox';
import { delay } from '../support/platform';
import { runNode, startNode } from './runNode';
import { addContacts, patientRuntime, scaledClock, useSandbox } from './support';

/** A minute of the clock takes half a second. */
const clock = scaledClock(120);
const sandbox = useSandbox({ clock });

const getWorkspace: INodeParameters = { resource: 'workspace', operation: 'get' };
const itemsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));
const letThrough = () => sandbox.requests.filter(({ status }) => status === 200);
/** A busy machine delays answers by seconds of this clock; `unit/api/rateLimiter` counts exactly. */
const expectFewRefused = () =>
	expect(sandbox.requests.length - letThrough().length).toBeLessThanOrEqual(30);

function expectWithinRate() {
	const timesMs = letThrough().map(({ atMs }) => atMs);
	for (let index = 120; index < timesMs.length; index += 1) {
		expect(timesMs[index] - timesMs[index - 120]).toBeGreaterThanOrEqual(60_000);
	}
}

/** For the rate, that is: it would take a minute. */
async function expectNoWaiting(act: (runtime: Runtime) => Promise<void>) {
	const { runtime, clock: waits } = patientRuntime();
	await act(runtime);
	expect(waits.sleptMs()).toBeLessThan(60_000);
}

describe('the rate of 120 requests a minute', () => {
	test('is kept by one execution', async () => {
		const { json } = await runNode(sandbox, {
			parameters: getWorkspace,
			items: itemsOf(130),
			runtime: createRuntime(clock),
		});
		expect(json).toHaveLength(130);
		expect(letThrough()).toHaveLength(130);
		expectFewRefused();
		expectWithinRate();
	});

	test('is kept by two executions together', async () => {
		const run = { parameters: getWorkspace, items: itemsOf(65), runtime: createRuntime(clock) };
		const results = await Promise.all([runNode(sandbox, run), runNode(sandbox, run)]);
		expect(results.map(({ json }) => json.length)).toEqual([65, 65]);
		expect(letThrough()).toHaveLength(130);
		expectFewRefused();
		expectWithinRate();
	});

	test('is kept by a list that reads several pages at a time', async () => {
		addContacts(sandbox, 1_000);
		const parameters = { resource: 'contact', operation: 'getAll', returnAll: true };
		const { json } = await runNode(sandbox, {
			parameters,
			items: itemsOf(13),
			runtime: createRuntime(clock),
		});
		expect(json).toHaveLength(13_000);
		expect(letThrough()).toHaveLength(130);
		expectFewRefused();
	});

	test('costs nobody time who stays within it', async () => {
		await expectNoWaiting(async (runtime) => {
			await runNode(sandbox, { parameters: getWorkspace, items: itemsOf(120), runtime });
		});
	});

	test('is of one key: another key has its own', async () => {
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

test.each([
	['in windows from the first request', { kind: 'fixed' }],
	['in windows of the clock', { kind: 'fixed', fixedWindowFrom: 'epoch' }],
	['by a bucket of tokens', { kind: 'tokenBucket', burst: 20 }],
	['with less than it says', { kind: 'sliding', limit: 60 }],
] as Array<[string, LimiterOptions]>)(
	'a service that counts %s gets every request through in the end',
	async (_name, limiter) => {
		sandbox.setLimiter(limiter);
		const { json, error } = await runNode(sandbox, {
			parameters: getWorkspace,
			items: itemsOf(130),
			runtime: createRuntime(clock),
		});
		expect(error).toBeUndefined();
		expect(json).toHaveLength(130);
		expect(letThrough()).toHaveLength(130);
	},
);

/** If it kept waiting, the test would time out first. */
describe('an execution that is stopped', () => {
	const longWait = { status: 429, headers: { 'retry-after': '240' } };

	test.each([
		['for the rate limit of the service', { kind: longWait }],
		['before another try', { kind: { status: 503, headers: { 'retry-after': '240' } } }],
	])('while it waits %s ends soon, without another request', async (_name, fault) => {
		sandbox.fail(fault);
		const execution = startNode(sandbox, { parameters: getWorkspace, items: itemsOf(3) });
		while (sandbox.requests[0]?.status !== fault.kind.status) await delay(5);
		await delay(50);
		execution.cancel();
		const { data, status } = await execution;
		expect(status).toBe('canceled');
		expect(data.resultData.runData.CRM?.[0].data?.main[0] ?? []).toEqual([]);
		await delay(300);
		expect(sandbox.requests).toHaveLength(1);
	});

	test('while an answer is due ends soon, without another request', async () => {
		sandbox.fail({ kind: { delayMs: 60 * 60_000 } });
		const execution = startNode(sandbox, { parameters: getWorkspace, items: itemsOf(3) });
		while (sandbox.requests.length === 0) await delay(5);
		await delay(50);
		execution.cancel();
		expect((await execution).status).toBe('canceled');
		await delay(1_200);
		expect(sandbox.requests).toHaveLength(1);
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

	test('does not go on with the next item when the node is set to continue', async () => {
		sandbox.fail({ kind: longWait });
		const execution = startNode(sandbox, {
			parameters: getWorkspace,
			items: itemsOf(3),
			onError: 'continueErrorOutput',
		});
		while (sandbox.requests[0]?.status !== 429) await delay(5);
		execution.cancel();
		await execution;
		await delay(600);
		expect(sandbox.requests).toHaveLength(1);
	});
});
