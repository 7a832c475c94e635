import { createHash } from 'node:crypto';

import type { JsonObject } from '../domain/plainData';
import type { Clock } from './clock';
import type { Call } from './endpoints';
import type { ErrorTexts } from './crmError';
import { RateLimiter, REFERENCE_RULE, type RateRule } from './rateLimiter';
import type { Templates } from './templates';
import type { Transport } from './transport';

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
	/** Once it aborts, only requests that must get their answer go on, for a grace. */
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

/** What sending a request needs: a client, for one run, poll, delivery, publishing or drop-down. */
export interface Connection {
	readonly transport: Transport;
	readonly baseUrl: string;
	readonly account: Account;
	readonly clock: Clock;
	readonly maxWaitMs: number;
	/** Aborts when the user stops the execution, or at the deadline of a poll, a publishing or a clean-up. */
	readonly stop?: AbortSignal;
	/** Aborts some time after that, for requests that must get their answer. */
	readonly pastStop?: AbortSignal;
	/** How many requests it has sent, including failed tries. */
	requestCount: number;
	/** Replaces the API key in a text. */
	hideKey(text: string): string;
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

/** The account of a base URL and an API key. */
export function accountOf(
	{ accounts, clock, rule }: Runtime,
	baseUrl: string,
	apiKey: string,
): Account {
	const id = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
	const account = accounts.get(id) ?? { id, rateLimiter: new RateLimiter(clock, rule) };
	accounts.set(id, account);
	return account;
}
