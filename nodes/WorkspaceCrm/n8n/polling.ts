import type { IHookFunctions, IPollFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';

/**
 * n8n polls while it publishes, and gives up after 84 seconds (n8n/workflows/publication/
 * workflow-publication-outbox-consumer, seen in 2.41).
 */
const MAX_POLL_MS = 60_000;

/**
 * The time budget of a poll. With its durable scheduler, n8n drops later results. Older versions lack this
 * function (`getExecutePollFunctions` in n8n/workflows/triggers/
 * trigger-execution-context.factory, seen in 2.41).
 */
export function pollBudgetMs(context: IPollFunctions): number {
	const budget: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
	return Math.min(budget.getPollBudgetMs?.() ?? MAX_POLL_MS, MAX_POLL_MS);
}

/** The contexts of publishings whose first poll has succeeded. */
export const begunPublishings = new WeakSet<IPollFunctions>();

/**
 * Whether this is the first poll since an unpublished workflow was published. Without the durable
 * scheduler, all polls until the next start share one context, and so the activation mode of the first
 * (`activatePollTrigger` in n8n-core/execution-engine/active-workflow-triggers, seen in 2.41).
 */
export function isFirstAfterPause(context: IPollFunctions): boolean {
	return context.getActivationMode() === 'activate' && !begunPublishings.has(context);
}

const MAX_ID_CHARACTERS = 21;

/**
 * n8n silently stores no static data for workflows with longer IDs (`isWorkflowIdValid` in n8n/utils,
 * seen in 2.41).
 *
 * @throws InputProblem if n8n would not store the data of a published trigger
 */
export function assertKept(context: IHookFunctions | IPollFunctions): void {
	const { id = '' } = context.getWorkflow();
	if (context.getMode() === 'manual' || id.length <= MAX_ID_CHARACTERS) return;
	throw new InputProblem(
		`The ID of this workflow has ${id.length} characters, and n8n stores no data for workflows with more than ${MAX_ID_CHARACTERS}`,
		'Copy all nodes into a new workflow, and publish that one. n8n gives it a shorter ID.',
	);
}
