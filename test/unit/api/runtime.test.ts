import {
	accountIdOf,
	rateLimiterOf,
	createRuntime,
	processRuntime,
} from '../../../nodes/WorkspaceCrm/api/runtime';
import { RateLimiter } from '../../../nodes/WorkspaceCrm/api/rateLimiter';
import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/clock';
import { VirtualClock } from '../../support/virtualClock';

describe('the rateLimiter of a key', () => {
	it('is the same for all that use the key at this service, and for nobody else', () => {
		const runtime = createRuntime(new VirtualClock());
		const rateLimiter = rateLimiterOf(runtime, accountIdOf('https://a.example', 'key'));
		expect(rateLimiter).toBeInstanceOf(RateLimiter);
		expect(rateLimiterOf(runtime, accountIdOf('https://a.example', 'key'))).toBe(rateLimiter);
		expect(rateLimiterOf(runtime, accountIdOf('https://a.example', 'other'))).not.toBe(rateLimiter);
		expect(rateLimiterOf(runtime, accountIdOf('https://b.example', 'key'))).not.toBe(rateLimiter);
		expect(rateLimiterOf(createRuntime(), accountIdOf('https://a.example', 'key'))).not.toBe(
			rateLimiter,
		);
	});

	it('is not confused by where the address ends and the key begins', () => {
		const runtime = createRuntime();
		expect(rateLimiterOf(runtime, accountIdOf('https://a.example', 'xkey'))).not.toBe(
			rateLimiterOf(runtime, accountIdOf('https://a.examplex', 'key')),
		);
	});

	it('is kept without the key', () => {
		const runtime = createRuntime();
		rateLimiterOf(runtime, accountIdOf('https://a.example', 'secret-key'));
		const [id] = runtime.rateLimiters.keys();
		expect(id).toMatch(/^[0-9a-f]{64}$/);
	});
});

test('a process goes by the clock of the machine', () => {
	expect(processRuntime.clock).toBe(systemClock);
	expect(createRuntime().clock).toBe(systemClock);
});
