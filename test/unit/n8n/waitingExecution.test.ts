import type { IExecuteFunctions, IWorkflowSettings } from 'n8n-workflow';

import { workflowTimeoutMs } from '../../../nodes/WorkspaceCrm/n8n/waitingExecution';

/** The context of n8n 2.41 gives the settings by a function; that of n8n 2.0 has none, but has them. */
const contextOf = {
	'n8n 2.41': (settings?: IWorkflowSettings) => ({
		workflow: { settings },
		getWorkflowSettings() {
			return this.workflow.settings ?? {};
		},
	}),
	'n8n 2.0': (settings?: IWorkflowSettings) => ({ workflow: { settings } }),
};

describe.each(['n8n 2.41', 'n8n 2.0'] as const)('the time limit of a workflow, in %s', (n8n) => {
	test.each([
		[{ executionTimeout: 60 }, 60_000],
		// n8n stores -1 for "none".
		[{ executionTimeout: -1 }, undefined],
		[{}, undefined],
		[undefined, undefined],
	])('of %j is %s', (settings, expected) => {
		const context = contextOf[n8n](settings) as unknown as IExecuteFunctions;
		expect(workflowTimeoutMs(context)).toBe(expected);
	});
});
