import { systemClock } from '../../../nodes/WorkspaceCrm/api/clock';

describe('the clock of the machine', () => {
	it('tells the date', () => {
		const beforeMs = Date.now();
		const nowMs = systemClock.now();
		expect(nowMs).toBeGreaterThanOrEqual(beforeMs);
		expect(nowMs).toBeLessThanOrEqual(Date.now());
	});

	it('waits at least as long as it is told, by the time that never goes back', async () => {
		const startMs = systemClock.elapsedMs();
		await systemClock.sleep(30);
		// Timers count in whole milliseconds, and may be ahead by the rest of one.
		expect(systemClock.elapsedMs() - startMs).toBeGreaterThanOrEqual(29);
	});

	it('gives a signal that aborts after as long as it is told', async () => {
		const startMs = systemClock.elapsedMs();
		const signal = systemClock.signalAfter(29.5);
		expect(signal.aborted).toBe(false);
		await new Promise((resolve) => signal.addEventListener('abort', resolve));
		expect(systemClock.elapsedMs() - startMs).toBeGreaterThanOrEqual(29);
	});

	it('gives chances from 0 up to 1', () => {
		const chances = Array.from({ length: 1_000 }, () => systemClock.random());
		expect(Math.min(...chances)).toBeGreaterThanOrEqual(0);
		expect(Math.max(...chances)).toBeLessThan(1);
		expect(new Set(chances).size).toBeGreaterThan(900);
	});
});
