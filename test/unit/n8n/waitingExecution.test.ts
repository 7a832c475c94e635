import type { IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

import { workflowTimeoutMs } from '../../../nodes/WorkspaceCrm/n8n/waitingExecution';

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
