import { fastClock, type Clock } from '../support/clock';

/** A fast clock that can be set forward, so that a run begins where in a window it should. */
export interface SettableClock extends Clock {
	/** Sets it to the next moment at which so much of a window of the clock is left. */
	skipUntilLeft(leftMs: number, windowMs: number): void;
}

export function settableClock(factor: number): SettableClock {
	const clock = fastClock(factor);
	let aheadMs = 0;
	const now = () => clock.now() + aheadMs;
	return {
		now,
		sleep: clock.sleep,
		skipUntilLeft(leftMs, windowMs) {
			const leftNowMs = windowMs - (now() % windowMs);
			aheadMs += leftNowMs - leftMs + (leftNowMs < leftMs ? windowMs : 0);
		},
	};
}
