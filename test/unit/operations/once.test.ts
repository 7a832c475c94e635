import * as fc from 'fast-check';
import type { IExecuteFunctions, INode, IWorkflowDataProxyData } from 'n8n-workflow';

import { CrmError } from '../../../nodes/WorkspaceCrm/api/errors';
import { onceForItem, type DoneItems } from '../../../nodes/WorkspaceCrm/operations/once';
import { VirtualClock } from '../../support/virtualClock';

const MINUTE_MS = 60_000;

interface Run {
	executionId?: string;
	nodeId?: string;
	nodeType?: string;
	runIndex?: number;
	item?: number;
	params?: object;
}

/** The three things that n8n tells about the run of a node. */
function contextOf({ nodeId = 'n1', nodeType = 'crm', runIndex = 0, ...run }: Run) {
	const node: Partial<INode> = { id: nodeId, type: nodeType };
	const proxy: Partial<IWorkflowDataProxyData> = { $runIndex: runIndex };
	const context: Partial<IExecuteFunctions> = {
		getExecutionId: () => ('executionId' in run ? (run.executionId as string) : 'e1'),
		getNode: () => node as INode,
		getWorkflowDataProxy: () => proxy as IWorkflowDataProxyData,
	};
	return context as IExecuteFunctions;
}

/** A process in which deeds are done: each counts, and gives its number or throws what it is told. */
function startProcess() {
	const clock = new VirtualClock();
	const done: DoneItems = new Map();
	let deeds = 0;
	const run = async (options: Run = {}, failure?: Error) => {
		const { item = 0, params = { contact: 'c1' } } = options;
		return await onceForItem(contextOf(options), done, clock, item, params, async () => {
			deeds += 1;
			const number = deeds;
			await clock.sleep(10);
			if (failure) throw failure;
			return { number };
		});
	};
	return { clock, done, run, deeds: () => deeds };
}

const unclear = new CrmError('Broken', 'Look in the app.', { mayHaveHappened: true });
const definite = new CrmError('Refused', 'Correct it.', { status: 422 });

describe('something that cannot be taken back', () => {
	it('is done once, and gives what came of it when the run comes again', async () => {
		const { run, deeds } = startProcess();
		expect(await run()).toEqual({ number: 1 });
		expect(await run()).toEqual({ number: 1 });
		expect(await run()).toEqual({ number: 1 });
		expect(deeds()).toBe(1);
	});

	it('is not tried again when it is unclear what came of it', async () => {
		const { run, deeds } = startProcess();
		await expect(run({}, unclear)).rejects.toBe(unclear);
		await expect(run()).rejects.toBe(unclear);
		expect(deeds()).toBe(1);
	});

	it.each([definite, new Error('unexpected')])(
		'is tried again when it certainly was not done: %p',
		async (failure) => {
			const { run, deeds } = startProcess();
			await expect(run({}, failure)).rejects.toBe(failure);
			expect(await run()).toEqual({ number: 2 });
			expect(await run()).toEqual({ number: 2 });
			expect(deeds()).toBe(2);
		},
	);

	it.each<[string, Run]>([
		['with other parameters', { params: { contact: 'c2' } }],
		['for another item, even with the same parameters', { item: 1 }],
		['in another execution', { executionId: 'e2' }],
		['by another node', { nodeId: 'n2' }],
		['in another run of the node, as in a loop', { runIndex: 1 }],
	])('is another deed %s', async (_, other) => {
		const { run, deeds } = startProcess();
		expect(await run()).toEqual({ number: 1 });
		expect(await run(other)).toEqual({ number: 2 });
		expect(await run(other)).toEqual({ number: 2 });
		expect(await run()).toEqual({ number: 1 });
		expect(deeds()).toBe(2);
	});

	it.each<[string, Run]>([
		['as the tool of an AI agent, which may mean it twice', { nodeType: 'workspaceCrmTool' }],
		['outside of an execution', { executionId: undefined }],
	])('is done each time %s', async (_, options) => {
		const { run, done, deeds } = startProcess();
		await run(options);
		await run(options);
		expect(deeds()).toBe(2);
		expect(done.size).toBe(0);
	});

	it('is done once for each run, item and set of parameters, in whatever order they come', async () => {
		const part = fc.nat(2);
		const runs = fc.array(fc.tuple(part, part, part, part, part), { maxLength: 40 });
		await fc.assert(
			fc.asyncProperty(runs, async (all) => {
				const { run, deeds } = startProcess();
				const first = new Map<string, unknown>();
				for (const [execution, node, runIndex, item, contact] of all) {
					const output = await run({
						executionId: `e${execution}`,
						nodeId: `n${node}`,
						runIndex,
						item,
						params: { contact },
					});
					const key = [execution, node, runIndex, item, contact].join();
					if (!first.has(key)) first.set(key, output);
					expect(output).toEqual(first.get(key));
				}
				expect(deeds()).toBe(first.size);
			}),
		);
	});
});

describe('what was done', () => {
	it('is remembered for 15 minutes after the run was last heard of', async () => {
		const { clock, run, deeds } = startProcess();
		await run();
		await clock.sleep(14 * MINUTE_MS);
		await run();
		await clock.sleep(14 * MINUTE_MS);
		await run();
		expect(deeds()).toBe(1);
		await clock.sleep(16 * MINUTE_MS);
		expect(await run()).toEqual({ number: 2 });
	});

	it('is dropped later, as soon as anything else is done', async () => {
		const { clock, done, run } = startProcess();
		for (const executionId of ['e1', 'e2', 'e3']) await run({ executionId });
		expect(done.size).toBe(3);
		await clock.sleep(10 * MINUTE_MS);
		await run({ executionId: 'e2' });
		await clock.sleep(10 * MINUTE_MS);
		await run({ executionId: 'e4' });
		expect([...done.keys()].map((key) => key.split('/')[0])).toEqual(['e2', 'e4']);
	});

	it('keeps no parameters: they may be personal data', async () => {
		const { done, run } = startProcess();
		await run({ params: { phone: '+4915123456789' } });
		const kept = [...done].map(([key, { outcomes }]) => [key, ...outcomes.keys()]);
		expect(JSON.stringify(kept)).not.toContain('4915123456789');
	});
});
