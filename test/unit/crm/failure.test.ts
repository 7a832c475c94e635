import { CrmError, OutdatedError } from '../../../nodes/WorkspaceCrm/crm/crmError';
import { otherFailure, statusFailure } from '../../../nodes/WorkspaceCrm/crm/failure';

/**
 * What follows from each status and each failed connection. It is written out again here, because a change of
 * it changes what the nodes do. `workflow/retries` tests how long they wait.
 */
const refused = { retryable: undefined, mayHaveHappened: false, endsRun: false };
const over = { retryable: 'soon', mayHaveHappened: true, endsRun: false };
const unknown = { retryable: undefined, mayHaveHappened: true, endsRun: false };

const policyOf = ({
	retryable,
	mayHaveHappened = false,
	endsRun = false,
}: CrmError['failure']) => ({
	retryable,
	mayHaveHappened,
	endsRun,
});

test.each<[number, object]>([
	[301, unknown],
	[304, unknown],
	[308, unknown],
	[400, refused],
	[401, { ...refused, endsRun: true }],
	[402, { ...refused, endsRun: true }],
	[403, refused],
	[404, refused],
	[408, over],
	[409, refused],
	[410, refused],
	[422, refused],
	[429, { ...refused, retryable: 'afterPause', endsRun: true }],
	[431, refused],
	// Of gateways that have given up.
	[444, over],
	[460, over],
	[499, over],
	[500, over],
	[501, over],
	[502, over],
	[503, over],
	[504, over],
	[599, over],
])('%d', (status, expected) => {
	const { isUnsent, ...failure } = statusFailure(status, { body: { detail: 'why' } });
	expect(policyOf(failure)).toEqual(expected);
	expect(isUnsent).toBeUndefined();
	expect(failure.status).toBe(status);
});

test('a 502 with a detail is a rejection only if a message was sent', () => {
	const body = { detail: 'no such number' };
	expect(policyOf(statusFailure(502, { body }, true))).toEqual(refused);
	const ofGateways = ['', ' ', '502', 'Bad Gateway', '502 Bad Gateway'].map((detail) => ({
		detail,
	}));
	for (const other of [undefined, {}, { detail: 1 }, 'no such number', [body], ...ofGateways]) {
		expect(policyOf(statusFailure(502, { body: other }, true))).toEqual(over);
	}
	expect(policyOf(statusFailure(503, { body }, true))).toEqual(over);
});

test.each([
	['unreachable', { ...refused, retryable: 'soon' }, true],
	['notSent', refused, true],
	['timeout', over, undefined],
	['broken', over, undefined],
	['unreadable', unknown, undefined],
] as const)('%s', (kind, expected, isUnsent) => {
	const failure = otherFailure(kind, {});
	expect(policyOf(failure)).toEqual(expected);
	expect(failure.isUnsent).toBe(isUnsent);
});

test('our own errors about an answer are retryable, and do not end the run', () => {
	expect(policyOf(new CrmError('The list is incomplete', '').failure)).toEqual({
		...refused,
		retryable: 'soon',
	});
	expect(policyOf(new OutdatedError().failure)).toEqual(policyOf(statusFailure(429)));
});
