/**
 * How long requests and steps may take, in one place, because they add up: `timeLimits.test.ts` compares the sums
 * with what n8n allows.
 */
import { MINUTE_MS } from './time';

const SECOND_MS = 1_000;

/** One request, including the body of its answer: some answers never end. */
export const REQUEST_LIMIT_MS = MINUTE_MS;

/** How long requests under way may continue after Stop. */
export const GRACE_MS = MINUTE_MS;

/** How long a run waits after refusals: longer than the service's windows, shorter than a user's patience. */
export const RUN_MAX_WAIT_MS = 5 * MINUTE_MS;

/** How long a persistent request waits after refusals. */
export const PERSISTENT_MAX_WAIT_MS = 60 * MINUTE_MS;

/** How long to retry a persistent request during an outage, and the longest pause between tries. */
export const MAX_OUTAGE_MS = 10 * MINUTE_MS;
export const MAX_BACKOFF_MS = 20 * SECOND_MS;

/** The longest pause that we accept from the service; then one request tries again. */
export const MAX_PAUSE_MS = 60 * MINUTE_MS;

/** A drop-down as a whole. Proxies before n8n, such as nginx, usually give up after a minute. */
export const EDITOR_LIMIT_MS = 50 * SECOND_MS;

/** How long a drop-down waits after refusals: it says so rather than spin. */
export const EDITOR_MAX_WAIT_MS = 10 * SECOND_MS;

/**
 * n8n 2.41 gives up on a publishing after this time and drops its static data
 * (`WorkflowPublicationOutboxConsumer`: 0.7 of a lease of 120 seconds). Until then, it takes down the old version,
 * then tries up to five times to publish, with these pauses (`retryTriggerActivation`).
 */
export const N8N_PUBLISHING_MS = 84 * SECOND_MS;
export const N8N_PUBLISHING_PAUSES_MS = [1, 2, 4, 8].map((seconds) => seconds * SECOND_MS);

/** Each of the two steps of a publishing: taking down the old version, and all tries for the new one. */
export const PUBLISHING_STEP_MS = 24 * SECOND_MS;

/** How long a request under way may continue after its step of a publishing, if it must not be repeated. */
export const PUBLISHING_GRACE_MS = 6 * SECOND_MS;

/** How long cleaning up after a failure may delay its error. */
export const CLEAN_UP_MS = 10 * SECOND_MS;

/** A poll. n8n polls while it publishes, too. */
export const MAX_POLL_MS = MINUTE_MS;

/** The pauses before each try to delete the subscription of an answered wait, in the background: an hour in all. */
export const ANSWERED_PAUSES_MIN = [0, 1, 4, 10, 15, 30];
