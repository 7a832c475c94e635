import { summarize } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/report';

const counts = {
	rows: 500,
	invalidRows: 0,
	contacts: 498,
	created: 3,
	updated: 2,
	unchanged: 493,
	failed: 0,
	missing: 0,
	unclear: 0,
	keptOptOuts: 0,
};
const usage = { requests: 12, waitedMs: 0 };
const nothing = { isDryRun: false, ignored: new Set<string>(), unreadableItem: -1 };

test('a run is summed up in a few sentences', () => {
	expect(summarize(counts, usage, nothing)).toBe(
		'500 rows, 498 contacts: 3 created, 2 updated, 493 unchanged. 12 requests, 0 seconds of waiting for the rate limit.',
	);
});

test('with all that is to be told', () => {
	const all = { ...counts, failed: 1, invalidRows: 1, missing: 4, keptOptOuts: 2 };
	const ignored = new Set(['a', 'b']);
	expect(
		summarize(
			all,
			{ requests: 1, waitedMs: 1_400 },
			{ isDryRun: true, ignored, unreadableItem: -1 },
		),
	).toBe(
		'Dry run, nothing was changed: 500 rows, 498 contacts: 3 to create, 2 to update, 493 unchanged, 1 failed, 1 row invalid, 4 missing from the input. 1 request, 1 second of waiting for the rate limit. 2 contacts have opted out and were not opted in again. Columns ignored: a, b.',
	);
});

test.each([
	[1, '1 contact has opted out and was not opted in again.'],
	[2, '2 contacts have opted out and were not opted in again.'],
])('%i contacts that stay opted out are told', (keptOptOuts, expected) => {
	expect(summarize({ ...counts, keptOptOuts }, usage, nothing).endsWith(` ${expected}`)).toBe(true);
});

test.each([
	[9, 'Columns ignored: c1, c2, c3, c4, c5, c6, c7, c8, c9.'],
	[10, 'Columns ignored: c1, c2, c3, c4, c5, c6, c7, c8, c9, c10.'],
	[11, 'Columns ignored: c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 and 1 more.'],
	[40, 'Columns ignored: c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 and 30 more.'],
])('of %i ignored columns up to ten are named', (count, expected) => {
	const ignored = new Set(Array.from({ length: count }, (_, index) => `c${index + 1}`));
	const text = summarize(counts, usage, { isDryRun: false, ignored, unreadableItem: -1 });
	expect(text.endsWith(` ${expected}`)).toBe(true);
});
