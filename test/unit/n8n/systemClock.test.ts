import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';

describe('the system clock', () => {
	it('waits at least the given time, even if the date is changed', async () => {
		const startMs = systemClock.elapsedMs();
		await systemClock.sleep(30);
		// Timers count whole milliseconds, so they may end up to one millisecond early.
		expect(systemClock.elapsedMs() - startMs).toBeGreaterThanOrEqual(29);
	});

	it('aborts a signal after the given time', async () => {
		const startMs = systemClock.elapsedMs();
		const signal = systemClock.signalAfter(29.5);
		expect(signal.aborted).toBe(false);
		await new Promise((resolve) => signal.addEventListener('abort', resolve));
		expect(systemClock.elapsedMs() - startMs).toBeGreaterThanOrEqual(29);
	});
});
