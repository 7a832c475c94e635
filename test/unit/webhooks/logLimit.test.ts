import * as fc from 'fast-check';

import { LogLimit } from '../../../nodes/WorkspaceCrm/webhooks/logLimit';

const MINUTE_MS = 60_000;

test('of each kind, at most one line a minute is written, and none is lost from the count', () => {
	fc.assert(
		fc.property(
			fc.array(fc.record({ kind: fc.constantFrom('a', 'b'), afterMs: fc.nat(90_000) })),
			(events) => {
				const limit = new LogLimit();
				let nowMs = 0;
				const written = new Map<string, { atMs: number; counted: number; came: number }>();
				for (const { kind, afterMs } of events) {
					nowMs += afterMs;
					const more = limit.next(kind, nowMs);
					const last = written.get(kind) ?? { atMs: -Infinity, counted: 0, came: 0 };
					last.came += 1;
					written.set(kind, last);
					expect(more !== undefined).toBe(nowMs - last.atMs >= MINUTE_MS);
					if (more === undefined) continue;
					last.atMs = nowMs;
					last.counted += 1 + Number(/\d+/.exec(more)?.[0] ?? 0);
					expect(last.counted).toBe(last.came);
				}
			},
		),
	);
});

test('the count is told in words', () => {
	const limit = new LogLimit();
	expect(limit.next('a', 0)).toBe('');
	for (let index = 0; index < 250; index += 1) limit.next('a', 1_000);
	expect(limit.next('a', MINUTE_MS)).toBe(' (and 250 more like it since the last such line)');
	expect(limit.next('a', 2 * MINUTE_MS)).toBe('');
});
