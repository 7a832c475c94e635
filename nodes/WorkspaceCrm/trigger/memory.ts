import {
	addKeys,
	KEEP_MS,
	readMinutes,
	removeKeys,
	splitKeys,
	type StoredKeys,
} from '../domain/seenKeys';

/** Enough for fourteen events a second over two hours, at two keys an event. */
const MAX_KEYS = 200_000;

/**
 * A thousand deliveries. What is stored with the workflow is read and written anew with each
 * delivery, so it stays small.
 */
const MAX_STORED_KEYS = 2_000;

/**
 * The deliveries that one webhook URL has taken, as far as this process knows.
 *
 * n8n loads a workflow's static data afresh for each delivery and saves it whole, so of two
 * deliveries at once the later save would undo the earlier one. Here both hold the same object,
 * `stored`: whichever is saved last has the keys of both.
 */
export class DeliveryMemory {
	/** When each key was taken, in the order they came. */
	private readonly takenAtMs = new Map<string, number>();

	private readonly underWay = new Set<string>();

	/**
	 * Keys whose workflow could not be started, and when each was taken: what was stored up to then
	 * says otherwise; what is stored later comes from another process that has started it.
	 */
	private readonly failedAtMs = new Map<string, number>();

	/** What is saved with the workflow: the newest of the keys taken. */
	readonly stored: StoredKeys = {};

	/** How many deliveries were taken, and how many of these are in what is saved, or being saved. */
	private taken = 0;

	private saved = 0;

	/** Adds what was stored before: by an earlier process, or by another one at the same time. */
	absorb(stored: StoredKeys): void {
		for (const { minute, startMs, text } of readMinutes(stored)) {
			// Keys are added at the end, so this is what was stored here, now or a little before.
			if (this.stored[minute]?.startsWith(text)) continue;
			const unknown = splitKeys(text).filter(
				(key) => !this.takenAtMs.has(key) && !this.hasFailed(key, startMs),
			);
			if (unknown.length > 0) this.add(unknown, startMs);
		}
	}

	isUnderWay(keys: string[]): boolean {
		return keys.some((key) => this.underWay.has(key));
	}

	hasTaken(keys: string[]): boolean {
		return keys.some((key) => this.takenAtMs.has(key));
	}

	/**
	 * Takes a delivery, and forgets it again if the workflow could not be started for it, so that
	 * the service's next try is taken.
	 */
	take(keys: string[], nowMs: number, wasStarted: Promise<boolean>): void {
		this.add(keys, nowMs);
		this.taken += 1;
		for (const key of keys) {
			this.underWay.add(key);
			this.failedAtMs.delete(key);
		}
		void wasStarted.then((isStarted) => {
			for (const key of keys) this.underWay.delete(key);
			if (!isStarted) this.remove(keys, nowMs);
		});
	}

	/**
	 * For the delivery that was taken last: whether `stored` has to be saved for it, to be asked when
	 * it is about to be. One save holds whatever was taken before it began, so of many deliveries at
	 * once only some have to wait for one.
	 */
	createSaveCheck(): () => boolean {
		const own = this.taken;
		let isOwnSave = false;
		return () => {
			if (this.saved < own) {
				isOwnSave = true;
				this.saved = this.taken;
			}
			return isOwnSave;
		};
	}

	private add(keys: string[], atMs: number): void {
		addKeys(this.stored, keys, atMs, MAX_STORED_KEYS);
		for (const key of keys) this.takenAtMs.set(key, atMs);
		for (const [key, takenMs] of this.takenAtMs) {
			if (takenMs >= atMs - KEEP_MS && this.takenAtMs.size <= MAX_KEYS) break;
			this.takenAtMs.delete(key);
		}
	}

	private remove(keys: string[], takenMs: number): void {
		removeKeys(this.stored, keys);
		for (const key of keys) {
			this.takenAtMs.delete(key);
			this.failedAtMs.set(key, takenMs);
		}
		for (const [key, atMs] of this.failedAtMs)
			if (atMs < takenMs - KEEP_MS) this.failedAtMs.delete(key);
	}

	private hasFailed(key: string, storedMs: number): boolean {
		return (this.failedAtMs.get(key) ?? -Infinity) >= storedMs;
	}
}

/** By webhook URL, for all workflows in this process. */
export const processMemories = new Map<string, DeliveryMemory>();
