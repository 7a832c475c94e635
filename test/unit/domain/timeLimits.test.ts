import * as limits from '../../../nodes/WorkspaceCrm/domain/timeLimits';

/** The database, the credential and other nodes of the workflow take some of n8n's time. */
const RESERVE_MS = 4_000;

const sum = (values: number[]) => values.reduce((total, each) => total + each, 0);

/** `workflow/timeLimits` runs it against services that do not answer. */
test('a publishing ends before n8n gives up on it, with all tries and the cleaning up', () => {
	const takeDownMs = limits.PUBLISHING_STEP_MS;
	const triesMs = limits.PUBLISHING_STEP_MS + sum(limits.N8N_PUBLISHING_PAUSES_MS);
	// The last request may be one that must not be repeated; what it may have made is deleted afterwards.
	const lastMs = limits.PUBLISHING_GRACE_MS + limits.CLEAN_UP_MS;
	expect(takeDownMs + triesMs + lastMs + RESERVE_MS).toBeLessThanOrEqual(limits.N8N_PUBLISHING_MS);
});

test('the first poll, while n8n publishes, ends before n8n gives up', () => {
	expect(limits.MAX_POLL_MS + RESERVE_MS).toBeLessThanOrEqual(limits.N8N_PUBLISHING_MS);
});

test('a drop-down ends before a proxy gives up, and what it waits for is a part of it', () => {
	const nginxMs = 60_000;
	expect(limits.EDITOR_LIMIT_MS + RESERVE_MS).toBeLessThanOrEqual(nginxMs);
	expect(limits.EDITOR_MAX_WAIT_MS).toBeLessThan(limits.EDITOR_LIMIT_MS);
});

test('a run waits for more than one window of the rate limit, and a persistent request for longer', () => {
	const windowMs = 60_000;
	expect(limits.RUN_MAX_WAIT_MS).toBeGreaterThan(2 * windowMs);
	expect(limits.PERSISTENT_MAX_WAIT_MS).toBeGreaterThan(limits.RUN_MAX_WAIT_MS);
	// A pause that the service asks for is over while a persistent request still waits.
	expect(limits.MAX_PAUSE_MS).toBeLessThanOrEqual(limits.PERSISTENT_MAX_WAIT_MS);
});

test('a request under way at Stop can end by itself', () => {
	expect(limits.GRACE_MS).toBeGreaterThanOrEqual(limits.REQUEST_LIMIT_MS);
	expect(limits.PUBLISHING_GRACE_MS).toBeLessThan(limits.GRACE_MS);
});

test('an outage outlasts several pauses between tries', () => {
	expect(limits.MAX_OUTAGE_MS).toBeGreaterThan(10 * limits.MAX_BACKOFF_MS);
});

test('the subscription of an answered wait is deleted within an hour', () => {
	expect(sum(limits.ANSWERED_PAUSES_MIN)).toBe(60);
});
