import type { Clock } from '../../nodes/WorkspaceCrm/crm/clock';
import type { FaultKind } from '../../tools/sandbox';
import { diagnosticsChannel, nextTurn } from '../../tools/support/platform';

type Rewrite = Extract<FaultKind, { rewrite: unknown }>['rewrite'];

/** What a test makes of an answer: its text, the time until it arrives, and what it does then. */
export interface Answer {
	payload: string;
	ms: number;
	received: () => void;
}

/** After so many idle turns of the event loop, all code waits. */
const QUIET_TURNS = 12;

/**
 * Time that stands still while code runs, and then jumps to the next answer or sleeper that is due. Answers
 * arrive one by one, and the code runs as far as it can after each. So whatever is sent after an answer was
 * decided with it. For a client and a sandbox in this process.
 */
export class VirtualWire implements Clock {
	private nowMs = 0;
	private readonly waiting: Array<{ dueMs: number; wake: () => void }> = [];
	private sent = 0;
	private arrived = 0;
	private answered = 0;
	private received = 0;

	now = () => this.nowMs;
	elapsedMs = () => this.nowMs;
	random = () => 0;
	signalAfter = () => new AbortController().signal;

	sleep = async (delayMs: number) =>
		await new Promise<void>((wake) => {
			const dueMs = this.nowMs + delayMs;
			const behind = this.waiting.findIndex((each) => each.dueMs > dueMs);
			this.waiting.splice(behind < 0 ? this.waiting.length : behind, 0, { dueMs, wake });
		});

	/** For `sandbox.fail`: delays each answer, which stays as it was when the request arrived. */
	rewrite(answer: (...request: Parameters<Rewrite>) => Answer): Rewrite {
		return async (...request) => {
			this.arrived += 1;
			const { payload, ms, received } = answer(...request);
			await this.sleep(ms);
			received();
			this.answered += 1;
			return payload;
		};
	}

	/** Runs something to its end in this time. */
	async run<T>(start: () => Promise<T>): Promise<T> {
		const onSent = () => (this.sent += 1);
		const onReceived = () => (this.received += 1);
		diagnosticsChannel.subscribe('http.client.request.start', onSent);
		diagnosticsChannel.subscribe('http.client.response.finish', onReceived);
		let isOver = false;
		const result = start().finally(() => (isOver = true));
		while (!isOver) {
			await this.allWait();
			const next = this.waiting.shift();
			if (!next) continue;
			this.nowMs = Math.max(this.nowMs, next.dueMs);
			next.wake();
		}
		diagnosticsChannel.unsubscribe('http.client.request.start', onSent);
		diagnosticsChannel.unsubscribe('http.client.response.finish', onReceived);
		return await result;
	}

	private async allWait() {
		for (let quiet = 0; quiet < QUIET_TURNS; quiet += 1) {
			const before = this.arrived + this.waiting.length;
			await nextTurn();
			// On a busy machine, what is under way takes more turns than these.
			const isUnderWay = this.sent !== this.arrived || this.answered !== this.received;
			if (isUnderWay || this.arrived + this.waiting.length !== before) quiet = -1;
		}
	}
}
