import { startSandbox } from '../../../tools/sandbox';
import { createLimiter } from '../../../tools/sandbox/http/limiter';
import { call, stoppedClock } from './harness';

const rate = { limit: 3, windowMs: 60_000 };

describe('the rate limiter of the sandbox', () => {
	it('sliding: counts in any span', () => {
		const clock = stoppedClock();
		const limiter = createLimiter(clock, { kind: 'sliding', ...rate });
		for (let count = 0; count < 3; count += 1) {
			expect(limiter.waitMs('key')).toBe(0);
			clock.advance(10_000);
		}
		expect(limiter.waitMs('key')).toBe(30_000);
		expect(limiter.waitMs('other key')).toBe(0);
		clock.advance(30_000);
		expect(limiter.waitMs('key')).toBe(0);
		expect(limiter.waitMs('key')).toBe(10_000);
	});

	it.each([
		['firstRequest', 50_000],
		['epoch', 10_000],
	] as const)('fixed: starts over after a window from the %s', (from, waitMs) => {
		const clock = stoppedClock(6_000_000 + 40_000);
		const limiter = createLimiter(clock, { kind: 'fixed', ...rate, fixedWindowFrom: from });
		expect(limiter.waitMs('key')).toBe(0);
		clock.advance(10_000);
		expect([limiter.waitMs('key'), limiter.waitMs('key')]).toEqual([0, 0]);
		expect(limiter.waitMs('key')).toBe(waitMs);
		clock.advance(waitMs);
		expect([1, 2, 3].map(() => limiter.waitMs('key'))).toEqual([0, 0, 0]);
		expect(limiter.waitMs('key')).toBeGreaterThan(0);
	});

	it('token bucket: allows a burst, then refills evenly', () => {
		const clock = stoppedClock();
		const limiter = createLimiter(clock, { kind: 'tokenBucket', ...rate, burst: 2 });
		expect([limiter.waitMs('key'), limiter.waitMs('key')]).toEqual([0, 0]);
		expect(limiter.waitMs('key')).toBeCloseTo(20_000);
		clock.advance(20_000);
		expect(limiter.waitMs('key')).toBe(0);
		clock.advance(600_000);
		expect([limiter.waitMs('key'), limiter.waitMs('key')]).toEqual([0, 0]);
		expect(limiter.waitMs('key')).toBeGreaterThan(0);
	});

	it('answers 429 above 120 requests a minute, with the seconds to wait', async () => {
		const clock = stoppedClock();
		const sandbox = await startSandbox({ clock });
		const statuses = new Set<number>();
		for (let count = 0; count < 120; count += 1) {
			statuses.add((await call(sandbox, 'GET', count % 2 ? '/v1/tags' : '/v1/none')).status);
		}
		expect(statuses).toEqual(new Set([200, 404]));
		clock.advance(58_500);
		const refused = await call(sandbox, 'GET', '/v1/workspace');
		expect(refused).toMatchObject({ status: 429, body: { detail: 'Rate limit exceeded' } });
		expect(refused.headers.get('retry-after')).toBe('2');
		expect((await fetch(`${sandbox.url}/v1/workspace`)).status).toBe(401);
		clock.advance(1_500);
		expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(200);
		sandbox.setLimiter({ kind: 'fixed', limit: 1 });
		expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(200);
		expect((await call(sandbox, 'GET', '/v1/workspace')).status).toBe(429);
		await sandbox.close();
	});
});
