import { createHash } from 'node:crypto';

import type { Clock } from '../api/clock';

/**
 * The service stops retrying after about 31 minutes (API reference, delivery). Claims expire, too,
 * because n8n never answers for an execution that was stopped in its queue.
 */
const KEPT_MS = 2 * 60 * 60_000;

/** Two keys each: enough for fourteen deliveries a second over two hours. */
const MAX_KEYS = 200_000;

/** Remembers which deliveries have started the workflow, or are about to. */
export class Deliveries {
	/** By key, oldest first. Both keys of a delivery share an entry. */
	private readonly known = new Map<string, { hasStarted: boolean; sinceMs: number }>();

	constructor(private readonly clock: Clock) {}

	/**
	 * Claims a delivery by its ID and by its body: the ID is not signed, so a copy may carry another.
	 *
	 * @returns what settles the claim: if the delivery did not start the workflow, its next try may
	 */
	claim(deliveryId: string, body: Buffer) {
		this.forgetOld();
		const keys = [deliveryId, body].filter(({ length }) => length > 0).map(hash);
		const known = keys.flatMap((key) => this.known.get(key) ?? []);
		if (known.some(({ hasStarted }) => hasStarted)) return 'repeat';
		if (known.length > 0) return 'claimed';
		this.remember(keys, false);
		return (hasStarted: boolean) => {
			for (const key of keys) this.known.delete(key);
			if (hasStarted) this.remember(keys, true);
		};
	}

	private remember(keys: string[], hasStarted: boolean): void {
		const entry = { hasStarted, sinceMs: this.clock.elapsedMs() };
		for (const key of keys) this.known.set(key, entry);
	}

	private forgetOld(): void {
		const oldestMs = this.clock.elapsedMs() - KEPT_MS;
		for (const [key, { sinceMs }] of this.known) {
			if (sinceMs >= oldestMs && this.known.size < MAX_KEYS) break;
			this.known.delete(key);
		}
	}
}

function hash(text: string | Buffer): string {
	return createHash('sha256').update(text).digest('base64url');
}
