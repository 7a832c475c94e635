import { createHash } from 'node:crypto';

import { RequestBudget } from './budget';
import { systemClock, type Clock } from './clock';

/** What requests share beyond one execution. */
export interface Runtime {
	clock: Clock;
	budgets: Map<string, RequestBudget>;
}

export function createRuntime(clock: Clock = systemClock): Runtime {
	return { clock, budgets: new Map() };
}

/** Shared by all executions in this process, because the service limits the key, not the run. */
export const processRuntime = createRuntime();

/** The budget of an API key. The key itself is not kept. */
export function budgetOf({ budgets, clock }: Runtime, baseUrl: string, apiKey: string) {
	const id = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const budget = budgets.get(id) ?? new RequestBudget(clock);
	budgets.set(id, budget);
	return budget;
}
