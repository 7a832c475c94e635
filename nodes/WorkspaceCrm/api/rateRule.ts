/** At most `limit` requests in any span of `windowMs`. */
export interface RateRule {
	limit: number;
	windowMs: number;
}

/** "120 requests per minute per API key" (API reference, limits). */
export const REFERENCE_RULE: RateRule = { limit: 120, windowMs: 60_000 };

/** A shorter wait is that of a bucket that fills drop by drop; a longer one ends a window. */
const SHORT_WAIT_MS = 2_500;

/** Drops tell their rate within this time; what was let through before it was in the bucket. */
const DROPS_SPAN_MS = 10_000;

/** By how much a rule that was too strict is eased. */
const STEP = 1 / 8;

/** Whether a wait is so short that the limiter gives drop by drop, and not window by window. */
export function isShortWait(delayMs: number): boolean {
	return delayMs < SHORT_WAIT_MS;
}

/** A refusal by a service that let requests through shortly before. */
export interface Refusal {
	nowMs: number;
	/** How long the service asks to wait. */
	delayMs: number;
	/** When the requests that it let through in the reference's window started, the last one first. */
	grantsMs: readonly number[];
	/** How many of them the present rule still counts. */
	held: number;
}

/**
 * The rule that explains a refusal which the present rule did not foresee.
 *
 * Any number of the last requests let through, and the time from the first of them to the end of
 * the wait, make a rule that does. The least number is what is held now: fewer would not have been
 * refused. After a short wait that is it, since a bucket gives drop by drop whatever it gave before.
 * After a long one, of the larger numbers the one that makes the fastest rule is taken. None is
 * faster than the reference.
 */
export function explainRefusal(refusal: Refusal, reference = REFERENCE_RULE): RateRule {
	const { nowMs, delayMs, grantsMs, held } = refusal;
	const isShort = isShortWait(delayMs);
	const drops = grantsMs.filter((grantMs) => grantMs > nowMs - DROPS_SPAN_MS).length;
	const least = Math.max(1, isShort ? Math.min(held, drops) : held);
	const most = isShort ? least : Math.max(least, grantsMs.length);

	let rule = { limit: least, windowMs: Infinity };
	for (let limit = least; limit <= most; limit += 1) {
		const spanMs = nowMs + delayMs - (grantsMs[limit - 1] ?? nowMs);
		const windowMs = Math.max(spanMs, leastWindowMs(limit, reference));
		if (limit / windowMs > rule.limit / rule.windowMs) rule = { limit, windowMs };
	}
	return { ...rule, windowMs: Math.min(rule.windowMs, reference.windowMs) };
}

/** Whether a rule allows as many requests in the long run as the reference. */
export function isAsFast({ limit, windowMs }: RateRule, reference = REFERENCE_RULE): boolean {
	return windowMs <= leastWindowMs(limit, reference);
}

/** The rule after a request more than it allows was let through: faster, or more at a time. */
export function easeRule(rule: RateRule, reference = REFERENCE_RULE): RateRule {
	const { limit, windowMs } = rule;
	const leastMs = leastWindowMs(limit, reference);
	if (windowMs > leastMs)
		return { limit, windowMs: Math.max(leastMs, Math.ceil(windowMs * (1 - STEP))) };
	if (limit >= reference.limit) return rule;
	return { limit: limit + 1, windowMs: leastWindowMs(limit + 1, reference) };
}

/**
 * Whether a request that the rule does not allow could tell something, if it were let through. It
 * could not while places become free, because the service may already have freed them.
 *
 * @param freeInMs for each request that the rule counts: in how long it will not any more
 */
export function isWorthProbing(
	{ limit, windowMs }: RateRule,
	freeInMs: readonly number[],
): boolean {
	const marginMs = Math.min(SHORT_WAIT_MS, windowMs / 4);
	const soon = freeInMs.filter((ms) => ms <= marginMs).length;
	return soon <= limit * STEP;
}

/** In which time the reference allows so many requests, evenly spread. */
function leastWindowMs(limit: number, reference: RateRule): number {
	return Math.ceil(limit * (reference.windowMs / reference.limit));
}
