import { sleep } from 'n8n-workflow';

import type { Clock } from '../crm/clock';

export const systemClock: Clock = {
	now: () => Date.now(),
	elapsedMs: () => performance.now(),
	sleep: async (delayMs) => await sleep(delayMs),
	// Node.js accepts only whole milliseconds, and remaining times are fractions.
	signalAfter: (delayMs) => AbortSignal.timeout(Math.ceil(delayMs)),
	random: () => Math.random(),
};
