import type { IPollFunctions } from 'n8n-workflow';

/**
 * n8n polls while it publishes, and gives that up after 84 seconds (n8n/workflows/publication/
 * workflow-publication-outbox-consumer, seen in 2.41). Without its durable scheduler it starts the next
 * poll although one is under way (`activatePollTrigger` in n8n-core/execution-engine/
 * active-workflow-triggers, seen in 2.41).
 */
const MAX_POLL_MS = 60_000;

/**
 * How long a poll may take. With its durable scheduler, n8n drops what comes later. Older versions have
 * no such function (`getExecutePollFunctions` in n8n/workflows/triggers/
 * trigger-execution-context.factory, seen in 2.41).
 */
export function pollBudgetMs(context: IPollFunctions): number {
	const budget: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>> = context;
	return Math.min(budget.getPollBudgetMs?.() ?? MAX_POLL_MS, MAX_POLL_MS);
}

/** The contexts of publishings whose first poll is done. */
const begun = new WeakSet<IPollFunctions>();

/**
 * Whether this is the first poll after the workflow was published while it was not. Without the durable
 * scheduler, all polls up to the next start have one context, and so the activation mode of the first
 * (`activatePollTrigger` in n8n-core/execution-engine/active-workflow-triggers, seen in 2.41).
 */
export function isFirstAfterPause(context: IPollFunctions): boolean {
	return context.getActivationMode() === 'activate' && !begun.has(context);
}

/** Its first poll succeeded, so the next ones compare. */
export function markBegun(context: IPollFunctions): void {
	begun.add(context);
}
