import type { IPollFunctions } from 'n8n-workflow';

/**
 * n8n polls while it publishes, and gives up after 84 seconds (n8n/workflows/publication/
 * workflow-publication-outbox-consumer, seen in 2.41). Without its durable scheduler it starts the next
 * poll even if one is still running (`activatePollTrigger` in n8n-core/execution-engine/
 * active-workflow-triggers, seen in 2.41).
 */
const MAX_POLL_MS = 60_000;

/**
 * The time budget of a poll, in milliseconds. With its durable scheduler, n8n drops later results. Older
 * versions lack this function (`getExecutePollFunctions` in n8n/workflows/triggers/
 * trigger-execution-context.factory, seen in 2.41).
 */
export function pollBudgetMs(context: IPollFunctions): number {
	const budget: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
	return Math.min(budget.getPollBudgetMs?.() ?? MAX_POLL_MS, MAX_POLL_MS);
}

/** The contexts of publishings whose first poll has succeeded. */
const begun = new WeakSet<IPollFunctions>();

/**
 * Whether this is the first poll since an unpublished workflow was published. Without the durable
 * scheduler, all polls until the next start share one context, and so the activation mode of the first
 * (`activatePollTrigger` in n8n-core/execution-engine/active-workflow-triggers, seen in 2.41).
 */
export function isFirstAfterPause(context: IPollFunctions): boolean {
	return context.getActivationMode() === 'activate' && !begun.has(context);
}

/** Records that the first poll succeeded, so that later polls compare. */
export function markBegun(context: IPollFunctions): void {
	begun.add(context);
}
