import { createHash } from 'node:crypto';

import type { JsonObject } from '../domain/json';
import { GRACE_MS, RUN_MAX_WAIT_MS } from '../domain/timeLimits';
import { keyHider, readApiKey, type CredentialFields } from './apiKey';
import type { Clock } from './clock';
import type { Call } from './endpoints';
import type { ErrorTexts } from './crmError';
import { RateLimiter, REFERENCE_RULE, type RateRule } from './rateLimiter';
import type { Templates } from './templates';
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
	readonly account: Account;
	readonly clock: Clock;
	readonly maxWaitMs: number;
	/** Aborts when the user stops the execution; undefined if nobody can. */
	readonly stop?: AbortSignal;
	private readonly graceMs: number;
	private end?: AbortSignal;
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
		this.account = accountOf(runtime, this.baseUrl, apiKey);
		this.clock = runtime.clock;
		this.maxWaitMs = maxWaitMs;
		this.hideKey = keyHider(apiKey);
		this.warn = options.warn ?? (() => {});
		this.stop = signal;
		this.graceMs = graceMs;
	}

	/**
	 * Aborts some time after Stop, for requests that must get their answer. Made at its first use: Node.js keeps it
	 * until the execution ends, in which a loop may run the node 10,000 times.
	 */
	get pastStop(): AbortSignal | undefined {
		return (this.end ??= this.stop && later(this.stop, this.graceMs, this.clock));
	}
}

/** A signal that aborts some time after another one, or after now if that has aborted. */
function later(signal: AbortSignal, delayMs: number, clock: Clock): AbortSignal {
	const end = new AbortController();
	const begin = () =>
		clock.signalAfter(delayMs).addEventListener('abort', () => end.abort(signal.reason));
	// Node.js warns about more than ten listeners of one signal, and a loop runs the node many times.
	if (signal.aborted) begin();
	else AbortSignal.any([signal]).addEventListener('abort', begin);
	return end.signal;
}

/** What this process knows of a base URL and an API key, in whichever execution it learned it. */
export interface Account {
	/** A hash of both, so that the key itself is not kept. */
	readonly id: string;
	readonly rateLimiter: RateLimiter;
	/** The ID of the key's workspace, once it is known. */
	workspaceId?: string;
	/** The templates of the workspace, and when to read them anew, by `Clock.elapsedMs`. */
	templates?: { list: Templates; untilMs: number };
}

/** What requests of all executions share. */
export interface Runtime {
	readonly clock: Clock;
	/** The assumed rate limit of each key. */
	readonly rule: RateRule;
	/** By their IDs. */
	readonly accounts: Map<string, Account>;
}

export function createRuntime(clock: Clock, rule = REFERENCE_RULE): Runtime {
	return { clock, rule, accounts: new Map() };
}

function accountOf({ accounts, clock, rule }: Runtime, baseUrl: string, apiKey: string): Account {
	const id = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const account = accounts.get(id) ?? { id, rateLimiter: new RateLimiter(clock, rule) };
	accounts.set(id, account);
	return account;
}
