import * as fc from 'fast-check';

import {
	readWaitLimit,
	type ChosenLimit,
} from '../../../../../nodes/WorkspaceCrm/resources/message/ask/waitLimit';

const now = { nowMs: Date.parse('2026-11-23T10:00:00Z'), timeZone: 'Europe/Berlin' };
const after = (resumeAmount: number, resumeUnit: ChosenLimit['resumeUnit']): ChosenLimit => ({
	limitType: 'afterTimeInterval',
	resumeAmount,
	resumeUnit,
	maxDateAndTime: '',
});
const at = (maxDateAndTime: string): ChosenLimit => ({
	...after(1, 'days'),
	limitType: 'atSpecifiedTime',
	maxDateAndTime,
});

test.each([
	[after(2, 'minutes'), '2026-11-23T10:02:00.000Z'],
	[after(36, 'hours'), '2026-11-24T22:00:00.000Z'],
	[after(30, 'days'), '2026-12-23T10:00:00.000Z'],
	[at('2026-11-24T10:00'), '2026-11-24T09:00:00.000Z'],
	[at('2026-11-24 10:00:30'), '2026-11-24T09:00:30.000Z'],
	[at('2026-11-24T10:00:00Z'), '2026-11-24T10:00:00.000Z'],
	[at('2026-11-24T10:00:00.000-03:30'), '2026-11-24T13:30:00.000Z'],
	[at('2026-11-25'), '2026-11-24T23:00:00.000Z'],
])('%j ends at %s', (chosen, end) => {
	expect(new Date(readWaitLimit(chosen, now)).toISOString()).toBe(end);
});

test.each([
	[after(31, 'days'), 'longer than 30 days'],
	[after(721, 'hours'), 'longer than 30 days'],
	[after(1, 'minutes'), 'shorter than two minutes'],
	[at('2026-11-23T11:01:30'), 'less than two minutes away'],
	[at('2020-01-01T00:00'), 'which is in the past'],
	[at('2027-01-01T00:00'), 'longer than 30 days'],
	[at(''), 'is empty'],
	[at('tomorrow'), '"tomorrow"'],
	[at('31.12.2026'), '"31.12.2026"'],
])('%j is refused', (chosen, says) => {
	expect(() => readWaitLimit(chosen, now)).toThrow(says);
});

test("refuses a wait that n8n's workflow timeout would end", () => {
	const workflowTimeoutMs = 3_600_000;
	expect(() => readWaitLimit(after(60, 'minutes'), { ...now, workflowTimeoutMs })).toThrow(
		'Timeout Workflow',
	);
	expect(readWaitLimit(after(59, 'minutes'), { ...now, workflowTimeoutMs })).toBeGreaterThan(0);
});

test('no chosen limit is out of bounds', () => {
	const units = fc.constantFrom('minutes', 'hours', 'days') as fc.Arbitrary<
		ChosenLimit['resumeUnit']
	>;
	fc.assert(
		fc.property(fc.double(), units, (amount, unit) => {
			let untilMs: number;
			try {
				untilMs = readWaitLimit(after(amount, unit), now);
			} catch {
				return;
			}
			expect(untilMs - now.nowMs).toBeGreaterThanOrEqual(120_000);
			expect(untilMs - now.nowMs).toBeLessThanOrEqual(30 * 86_400_000 + 1);
		}),
	);
});
