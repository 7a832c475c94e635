import { systemClock, type Clock } from './clock';
import { RateLimiter, REFERENCE_RULE, type RateRule } from './rateLimiter';

/** The state that requests of all executions share. */
export interface Runtime {
	clock: Clock;
	/** The assumed rate limit of each key. */
	rule: RateRule;
	rateLimiters: Map<string, RateLimiter>;
}

export function createRuntime(clock: Clock = systemClock, rule = REFERENCE_RULE): Runtime {
	return { clock, rule, rateLimiters: new Map() };
}

/** Shared by all executions in this process, because the service limits the key, not the run. */
export const processRuntime = createRuntime();

/** The rate limiter of an API key. */
export function rateLimiterOf({ rateLimiters, clock, rule }: Runtime, accountId: string) {
	const rateLimiter = rateLimiters.get(accountId) ?? new RateLimiter(clock, rule);
	rateLimiters.set(accountId, rateLimiter);
	return rateLimiter;
}
