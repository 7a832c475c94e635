import { missingConsent } from '../../../nodes/WorkspaceCrm/domain/consent';

test.each([
	['confirmed', undefined],
	['opted_out', { code: 'optedOut', reason: 'The contact has opted out.' }],
	['none', { code: 'notConfirmed', reason: expect.stringContaining("is 'none'") as string }],
	['pending', { code: 'notConfirmed', reason: expect.stringContaining("is 'pending'") as string }],
	[undefined, { code: 'notConfirmed', reason: expect.stringContaining('is not shown') as string }],
	['CONFIRMED', { code: 'notConfirmed', reason: expect.stringContaining('CONFIRMED') as string }],
])('a campaign asks for a confirmed consent, and of %s says %j', (status, missing) => {
	expect(missingConsent(status)).toEqual(missing);
});
