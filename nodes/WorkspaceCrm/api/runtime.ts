import { createHash } from 'node:crypto';

import { REFERENCE_RULE, type RateRule } from './rateRule';
import { RequestBudget } from './budget';
import { systemClock, type Clock } from '../n8n/clock';

/** What requests share beyond one execution. */
export interface Runtime {
	clock: Clock;
	/** The rate limit that the service is taken to have, for each key. */
	rule: RateRule;
	budgets: Map<string, RequestBudget>;
}

export function createRuntime(clock: Clock = systemClock, rule = REFERENCE_RULE): Runtime {
	return { clock, rule, budgets: new Map() };
}

/** Shared by all executions in this process, because the service limits the key, not the run. */
export const processRuntime = createRuntime();

/** The budget of an API key. The key itself is not kept. */
export function budgetOf({ budgets, clock, rule }: Runtime, baseUrl: string, apiKey: string) {
	const id = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const budget = budgets.get(id) ?? new RequestBudget(clock, rule);
	budgets.set(id, budget);
	return budget;
}
