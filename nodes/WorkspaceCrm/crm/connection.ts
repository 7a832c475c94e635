import { createHash } from 'node:crypto';

import type { JsonObject } from '../domain/json';
import { GRACE_MS, REQUEST_LIMIT_MS, RUN_MAX_WAIT_MS } from '../domain/timeLimits';
import { keyHider, readApiKey, type CredentialFields } from './apiKey';
import type { Clock } from './clock';
import type { Call } from './endpoints';
import type { ErrorTexts } from './crmError';
import { RateLimiter, REFERENCE_RULE, type RateRule } from './rateLimiter';
import { TemplateMemory } from './templates';
import type { Transport } from './transport';
import { readBaseUrl } from './urls';

/** What a request sends beside its endpoint, and how. */
export interface SendOptions extends ErrorTexts {
	query?: Record<string, string | number>;
	body?: JsonObject;
	/** Whether an earlier run of the node may have done it already; then 404 on DELETE counts as success. */
	mayHaveHappened?: boolean;
	/** Called before each try. */
	onSend?: () => void;
	/** Called before each try. If it returns true, the request is not sent and fails with an OutdatedError. */
	isOutdated?: () => boolean;
	/**
	 * Whether to retry through refusals for an hour and outages for ten minutes, and for a minute after Stop. A
	 * request that must be sent `once` still is not retried if it may have taken effect.
	 */
	isPersistent?: boolean;
}

export type CrmRequest = Call & SendOptions;

export interface ConnectionOptions {
	/** What requests of all executions share. */
	runtime: Runtime;
	/** Once it aborts, nothing more is sent. */
	signal?: AbortSignal;
	/** How long requests that must get their answer may continue then; by default, a minute. */
	graceMs?: number;
	/**
	 * The longest pause before another try, and how long a request may wait in all after refusals (429); by
	 * default, five minutes.
	 */
	maxWaitMs?: number;
	/** Shows the user a warning about a run that succeeds; by default, nobody reads it. */
	warn?: (message: string) => void;
}

/** The connection of one run, poll, delivery, publishing or drop-down to the service. */
export class Connection {
	readonly baseUrl: string;
	/** A hash of the base URL and the API key, so equal for all nodes that use both. */
	readonly accountId: string;
	readonly clock: Clock;
	readonly rateLimiter: RateLimiter;
	/** The IDs of workspaces, by `accountId`. */
	protected readonly workspaces: Map<string, string>;
	readonly maxWaitMs: number;
	/** Ends when the user stops the execution. */
	readonly whileRunning: Lifetime;
	/** Ends later, for requests that must get their answer. */
	readonly pastStop: Lifetime;
	/** How many requests it has sent, including failed tries. */
	requestCount = 0;
	/** Shows the user a warning about a run that succeeds. */
	readonly warn: (message: string) => void;
	/** Replaces the API key in a text. */
	readonly hideKey: (text: string) => string;

	/** @throws InputProblem if the credential's base URL or key cannot be used */
	constructor(
		readonly transport: Transport,
		protected readonly fields: CredentialFields,
		options: ConnectionOptions,
	) {
		const { runtime, maxWaitMs = RUN_MAX_WAIT_MS, graceMs = GRACE_MS, signal } = options;
		const apiKey = readApiKey(fields.apiKey);
		this.baseUrl = readBaseUrl(fields.baseUrl);
		// A hash, so that the key itself is not kept.
		this.accountId = createHash('sha256').update(`${this.baseUrl}\n${apiKey}`).digest('hex');
		this.clock = runtime.clock;
		this.rateLimiter = rateLimiterOf(runtime, this.accountId);
		this.workspaces = runtime.workspaces;
		this.maxWaitMs = maxWaitMs;
		this.hideKey = keyHider(apiKey);
		this.warn = options.warn ?? (() => {});
		this.whileRunning = new Lifetime(this.clock, signal);
		this.pastStop = new Lifetime(this.clock, signal && afterGrace(signal, graceMs, this.clock));
	}
}

/** By the signal that stops the execution, and the grace. */
const graces = new WeakMap<AbortSignal, Map<number, AbortSignal>>();

/**
 * A signal that aborts some time after an execution was stopped. All connections of the execution share it, because
 * Node.js warns about more than ten listeners of one signal, and a loop runs the node many times.
 */
function afterGrace(stop: AbortSignal, graceMs: number, clock: Clock): AbortSignal {
	const known = graces.get(stop) ?? new Map<number, AbortSignal>();
	const signal = known.get(graceMs) ?? newGrace(stop, graceMs, clock);
	graces.set(stop, known.set(graceMs, signal));
	return signal;
}

function newGrace(stop: AbortSignal, graceMs: number, clock: Clock): AbortSignal {
	const grace = new AbortController();
	const end = () => grace.abort(stop.reason);
	const begin = () => clock.signalAfter(graceMs).addEventListener('abort', end);
	stop.addEventListener('abort', begin, { once: true });
	return grace.signal;
}

/** Requests that begin within this time share one timer. */
const SHARED_LIMIT_MS = 1_000;

/** Each request adds a listener to its signal, and Node.js warns about more than ten of one signal. */
const MAX_SHARERS = 10;

/** What a request needs to end in time. */
interface Limits {
	/** Aborts after a minute, or when the lifetime ends. */
	abortSignal: AbortSignal;
	/** Aborts after a minute. */
	limit: AbortSignal;
}

/** The time in which requests may be sent and waited for. */
class Lifetime {
	private shared?: Limits;
	private sharedSinceMs = 0;
	private sharers = 0;

	constructor(
		private readonly clock: Clock,
		/** Aborts at its end; undefined if it has none. */
		readonly end?: AbortSignal,
	) {}

	/** The limits of a request that begins now. */
	begin(): Limits {
		const nowMs = this.clock.elapsedMs();
		const isCurrent = nowMs - this.sharedSinceMs < SHARED_LIMIT_MS;
		const hasRoom = isCurrent && this.sharers < MAX_SHARERS;
		if (this.shared && hasRoom && !this.shared.limit.aborted) {
			this.sharers += 1;
			return this.shared;
		}
		this.sharedSinceMs = nowMs;
		this.sharers = 1;
		const limit = this.clock.signalAfter(REQUEST_LIMIT_MS);
		const abortSignal = AbortSignal.any(this.end ? [this.end, limit] : [limit]);
		return (this.shared = { abortSignal, limit });
	}
}

/** The state that requests of all executions share. */
export interface Runtime {
	clock: Clock;
	/** The assumed rate limit of each key. */
	rule: RateRule;
	rateLimiters: Map<string, RateLimiter>;
	templates: TemplateMemory;
	/** The IDs of workspaces, by the accounts of their keys. */
	workspaces: Map<string, string>;
}

export function createRuntime(clock: Clock, rule = REFERENCE_RULE): Runtime {
	const templates = new TemplateMemory(clock);
	return { clock, rule, rateLimiters: new Map(), templates, workspaces: new Map() };
}

/** The rate limiter of an API key. */
function rateLimiterOf({ rateLimiters, clock, rule }: Runtime, accountId: string) {
	const rateLimiter = rateLimiters.get(accountId) ?? new RateLimiter(clock, rule);
	rateLimiters.set(accountId, rateLimiter);
	return rateLimiter;
}
