import type { IExecuteData, IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

import { readyToWait, workflowTimeoutMs } from '../../../nodes/WorkspaceCrm/n8n/waitingExecution';

test.each<[IWorkflowSettings | undefined, number | undefined]>([
	[{ executionTimeout: 60 }, 60_000],
	// n8n stores -1 for "none".
	[{ executionTimeout: -1 }, undefined],
	[{}, undefined],
	[undefined, undefined],
])('the timeout of a workflow with the settings %j is %s', (settings, expected) => {
	const context = { workflow: { settings } } as unknown as IExecuteFunctions;
	expect(workflowTimeoutMs(context)).toBe(expected);
});

describe('an execution waits only where n8n keeps what is to come out at the timeout:', () => {
	const entryOf = () =>
		({
			node: { name: 'Ask' },
			data: { main: [[{ json: { approved: true } }]] },
		}) as unknown as IExecuteData;
	const contextOf = (getExecuteData: () => IExecuteData, more: object = {}) =>
		({
			getExecuteData,
			getExecutionId: () => '1',
			getContext: () => ({}),
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			putExecutionToWait: async () => {},
			...more,
		}) as unknown as IExecuteFunctions;

	test('the entry gets a node of its own and the output, and can be made as it was', () => {
		const entry = entryOf();
		const { node, data } = entry;
		const { undo } = readyToWait(
			contextOf(() => entry),
			{ approved: false },
		);
		expect(entry.node).toEqual(node);
		expect(entry.node).not.toBe(node);
		expect(entry.data.main).toEqual([[{ json: { approved: false }, pairedItem: { item: 0 } }]]);
		undo();
		expect([entry.node === node, entry.data === data]).toEqual([true, true]);
	});

	const frozen = Object.freeze(entryOf());
	const sealed = Object.defineProperty(entryOf(), 'node', { set: () => {} });
	const shared = entryOf();
	test.each<[string, IExecuteFunctions]>([
		['gives copies', contextOf(entryOf)],
		['gives a frozen entry', contextOf(() => frozen)],
		['ignores the node', contextOf(() => sealed)],
		['cannot wait', contextOf(() => shared, { putExecutionToWait: undefined })],
	])('n8n %s', (_name, context) => {
		const before = context.getExecuteData().data;
		expect(() => readyToWait(context, { approved: false })).toThrow('cannot wait for a reply');
		expect(context.getExecuteData().data).toEqual(before);
	});
});
