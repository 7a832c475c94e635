import type { Clock } from '../../nodes/WorkspaceCrm/crm/clock';
import { createRuntime, type Runtime } from '../../nodes/WorkspaceCrm/crm/connection';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../tools/sandbox';
import { fastClock } from '../../tools/support/clock';
import { nextTurn } from '../../tools/support/platform';

export { chosen, variablesOf } from '../../tools/engine/engine';
export { addContact, addContacts, addSubscription } from '../../tools/sandbox/fill';

/** The ID of a contact that a test adds, or of one that does not exist. */
export const contactId = '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b';

/** A sandbox for the tests of one file, as it was at the start before each of them. */
export function useSandbox(options: SandboxOptions = {}): Sandbox {
	const sandbox = {} as Sandbox;
	beforeAll(async () => {
		Object.assign(sandbox, await startSandbox(options));
	});
	beforeEach(() => sandbox.reset());
	afterAll(async () => await sandbox.close());
	return sandbox;
}

export interface SentRequest {
	/** Method and path, the path still percent-encoded. */
	request: string;
	query?: Record<string, string | string[]>;
	body?: unknown;
}

/** What the sandbox got, in the order of arrival; an empty query is left out. */
export function sent({ requests }: Sandbox): SentRequest[] {
	return requests.map(({ method, path, query, body }) => ({
		request: `${method} ${path}`,
		...(Object.keys(query).length > 0 && { query }),
		...(body !== undefined && { body }),
	}));
}

/** The requests that change something. */
export function writes(sandbox: Sandbox) {
	return sent(sandbox).filter(({ request }) => !request.startsWith('GET '));
}

/** Only the methods and paths of `sent`. */
export function sentLines(sandbox: Sandbox): string[] {
	return sent(sandbox).map(({ request }) => request);
}

export interface JumpingClock extends Clock {
	/** The time slept in all. */
	sleptMs(): number;
}

/** A clock that moves only when something sleeps, which takes no real time. */
export function jumpingClock(): JumpingClock {
	const startMs = Date.now();
	let nowMs = startMs;
	return {
		now: () => nowMs,
		elapsedMs: () => nowMs,
		sleep: async (delayMs) => {
			nowMs += delayMs;
			await nextTurn();
		},
		// Requests take real time.
		signalAfter: (delayMs) => AbortSignal.timeout(delayMs),
		random: () => 0,
		sleptMs: () => nowMs - startMs,
	};
}

/** A clock for what goes on in the background. */
export interface PassingClock extends JumpingClock {
	/** Lets time pass, and wakes whoever is due. */
	pass(ms: number): Promise<void>;
	/** Nobody who sleeps now ever wakes: the process was killed. */
	kill(): void;
}

/** Pauses between tries are shorter; what goes on in the background sleeps longer. */
const LONG_SLEEP_MS = 15_000;

/** A clock on which short sleeps take no real time, and long ones last until a test lets time pass. */
export function passingClock(): PassingClock {
	const short = jumpingClock();
	let sleepers: Array<{ dueMs: number; wake: () => void }> = [];
	return {
		...short,
		sleep: async (delayMs) => {
			if (delayMs < LONG_SLEEP_MS) return await short.sleep(delayMs);
			const dueMs = short.now() + delayMs;
			await new Promise<void>((wake) => sleepers.push({ dueMs, wake }));
		},
		pass: async (ms) => {
			await short.sleep(ms);
			const due = sleepers.filter(({ dueMs }) => dueMs <= short.now());
			sleepers = sleepers.filter((each) => !due.includes(each));
			for (const { wake } of due) wake();
			await nextTurn();
		},
		kill: () => void (sleepers = []),
	};
}

/** A runtime whose waits cost nothing, and how long they were. */
export function patientRuntime(): { runtime: Runtime; clock: JumpingClock } {
	const clock = jumpingClock();
	return { runtime: createRuntime(clock), clock };
}

/** A clock that runs faster than the machine's, for tests in which several wait at a time. */
export function scaledClock(factor: number): Clock {
	const clock = fastClock(factor);
	return {
		...clock,
		elapsedMs: clock.now,
		// Requests take real time.
		signalAfter: (delayMs) => AbortSignal.timeout(delayMs),
		random: () => 0,
	};
}

/** Every text that can be reached from a value, also by properties that JSON leaves out. */
export function textsIn(value: unknown, seen = new Set<unknown>()): string[] {
	if (typeof value === 'string') return [value];
	if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return [];
	if (seen.has(value)) return [];
	seen.add(value);
	const own = Reflect.ownKeys(value).flatMap((key) => [
		String(key),
		...textsIn(Object.getOwnPropertyDescriptor(value, key)?.value, seen),
	]);
	const entries = value instanceof Map || value instanceof Set ? [...value.entries()].flat() : [];
	return [...own, ...entries.flatMap((entry) => textsIn(entry, seen))];
}

/** Items as the node's outputs hold them: each JSON with the index of its input. */
export function paired(...rows: Array<readonly [item: number, json: object]>) {
	return rows.map(([item, json]) => ({ json, pairedItem: { item } }));
}
