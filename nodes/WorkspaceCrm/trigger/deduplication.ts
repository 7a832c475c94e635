import { createHash } from 'node:crypto';

const KEY_CHARACTERS = 9;

/**
 * A thousand deliveries, at two keys each. What is stored with the workflow is read and written anew
 * for each delivery, so it stays small: 18 kB.
 */
const MAX_STORED_CHARACTERS = 2_000 * KEY_CHARACTERS;

/**
 * The service gives up after about 31 minutes (API reference, delivery). It may have been down for a
 * while in between, so keys are kept for two hours.
 */
const KEEP_MS = 2 * 60 * 60_000;

/** Enough for fourteen events a second over two hours. */
const MAX_KEYS = 200_000;

/** A short text that stands for any other: 54 bits of its hash. */
export function hashKey(text: string | Buffer): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, KEY_CHARACTERS);
}

/**
 * - `new`: claimed for the caller, who has to `confirm` or `release` it.
 * - `duplicate`: its event has started the workflow before.
 * - `inFlight`: n8n may still start the workflow for another try of it.
 */
export type Claim = 'new' | 'duplicate' | 'inFlight';

/**
 * Which deliveries of one trigger have started the workflow. A delivery goes by several keys, and is
 * the same as another one if they share a key.
 */
export class Deduplication {
	private readonly inFlight = new Set<string>();

	/** When each key was confirmed, in that order; by a clock that never goes back. */
	private readonly confirmedAtMs = new Map<string, number>();

	/** What is to be stored: the newest of the confirmed keys in one text, oldest first. */
	private stored = '';

	/** The text that was read last, so that it is not read again. */
	private read = '';

	/** Whether deliveries are in flight. */
	get isBusy(): boolean {
		return this.inFlight.size > 0;
	}

	claim(keys: string[]): Claim {
		if (keys.some((key) => this.confirmedAtMs.has(key))) return 'duplicate';
		if (keys.some((key) => this.inFlight.has(key))) return 'inFlight';
		for (const key of keys) this.inFlight.add(key);
		return 'new';
	}

	/** The workflow was started for a claimed delivery. */
	confirm(keys: string[], nowMs: number): void {
		this.release(keys);
		const added = keys.filter((key) => !this.confirmedAtMs.has(key));
		for (const key of added) this.confirmedAtMs.set(key, nowMs);
		this.stored = (this.stored + added.join('')).slice(-MAX_STORED_CHARACTERS);
		for (const [key, atMs] of this.confirmedAtMs) {
			if (atMs >= nowMs - KEEP_MS && this.confirmedAtMs.size <= MAX_KEYS) break;
			this.confirmedAtMs.delete(key);
		}
	}

	/** The workflow could not be started for a claimed delivery, so the next try of it is taken. */
	release(keys: string[]): void {
		for (const key of keys) this.inFlight.delete(key);
	}

	/** Adds what an earlier process has stored, or another one at the same time. */
	absorb(stored: string, nowMs: number): void {
		if (stored === this.stored || stored === this.read) return;
		this.read = stored;
		this.confirm(stored.match(KEYS) ?? [], nowMs);
	}

	/** The newest confirmed keys, as `absorb` reads them. */
	toStored(): string {
		return this.stored;
	}
}

const KEYS = new RegExp(`[\\w-]{${KEY_CHARACTERS}}`, 'g');
