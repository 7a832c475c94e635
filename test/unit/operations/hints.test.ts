import { shownFor } from '../../support/hints';

const upsert = { resource: 'contact', operation: 'upsert', additionalFields: {} };

test('no hint without a risk', () => {
	expect(shownFor({ resource: 'workspace', operation: 'get' })).toEqual([]);
	expect(shownFor({ ...upsert, phone: '+49 1512 3456789' })).toEqual([]);
	expect(shownFor({ ...upsert, phone: '0049 1512 3456789' })).toEqual([]);
	expect(shownFor({ ...upsert, phone: '={{ $json.phone }}' })).toEqual([]);
	expect(shownFor({ ...upsert, phone: '' })).toEqual([]);
});

test('hint at a national number without a country', () => {
	const national = { ...upsert, phone: '01512 3456789' };
	expect(shownFor(national)).toEqual([
		expect.stringMatching(/^This number does not start with a plus/),
	]);
	expect(shownFor({ ...national, additionalFields: { defaultCountry: 'DE' } })).toEqual([]);
});

test('hint at an update without a field', () => {
	const update = { resource: 'contact', operation: 'update', updateFields: {} };
	expect(shownFor(update)).toEqual([expect.stringMatching(/^Add a field under 'Update Fields'/)]);
	expect(shownFor({ ...update, updateFields: { name: 'Anna' } })).toEqual([]);
});

test.each([
	['message', 'sendTemplate', /^Execute step sends a real message/],
	['automation', 'enroll', /^A contact is enrolled at most once/],
])('hint at what happens at most once: %s %s', (resource, operation, text) => {
	expect(shownFor({ resource, operation })[0]).toMatch(text);
});

test('hint at a message to unconfirmed contacts, unless a campaign key skips them', () => {
	const send = { resource: 'message', operation: 'sendTemplate' };
	const hint = expect.stringContaining('also goes to a contact that has not confirmed') as string;
	expect(shownFor(send)).toContainEqual(hint);
	expect(shownFor({ ...send, options: { campaignKey: 'spring' } })).not.toContainEqual(hint);
});
