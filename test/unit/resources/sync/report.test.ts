import { readContact } from '../../../../nodes/WorkspaceCrm/api/types';
import { InputProblem } from '../../../../nodes/WorkspaceCrm/domain/problem';
import type { Result } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/apply';
import type { DesiredContact } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/desired';
import {
	countResults,
	summarize,
	toMissing,
	toOutcomes,
} from '../../../../nodes/WorkspaceCrm/resources/contact/sync/report';
import type { ReadRow } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/row';

const row: ReadRow = { phone: '+4915123456789', fields: {} };
const problem = new InputProblem("'Phone' is empty", 'Enter one.');
const contact = readContact({ id: 'c1', name: 'Ann' });
const done = {
	contact,
	action: 'updated',
	changedFields: ['name', 'tags'],
	keepsOptOut: false,
} satisfies Result;

const desiredOf = (...items: DesiredContact['items']): DesiredContact => ({
	...{ phone: '+4915123456789', fields: {} },
	items,
});

describe('what came of an item', () => {
	const outcomeOf = (result: Result, isDryRun = false) =>
		toOutcomes([row], [desiredOf(0)], [result], isDryRun);

	it('is the contact, and what was done to it', () => {
		const sync = { action: 'updated', changedFields: ['name', 'tags'] };
		expect(outcomeOf(done)).toEqual([{ json: { id: 'c1', name: 'Ann', sync } }]);
		expect(outcomeOf(done, true)).toEqual([
			{ json: { id: 'c1', name: 'Ann', sync: { ...sync, dryRun: true } } },
		]);
	});

	it('is the failure of its contact', () => {
		expect(outcomeOf({ error: problem })).toEqual([
			{ json: { sync: { action: 'failed' } }, error: problem },
		]);
		expect(outcomeOf({ error: problem }, true)).toEqual([
			{ json: { sync: { action: 'failed', dryRun: true } }, error: problem },
		]);
	});

	it('is its problem where it gives no row, beside the contacts of the others', () => {
		const results = [done, { ...done, contact: readContact({ id: 'c2' }) }];
		const outcomes = toOutcomes(
			[row, { problem }, row],
			[desiredOf(2), desiredOf(0)],
			results,
			true,
		);
		expect(outcomes.map(({ json }) => json.id)).toEqual(['c2', undefined, 'c1']);
		expect(outcomes.map(({ error }) => error)).toEqual([undefined, problem, undefined]);
		expect(outcomes[1].json).toEqual({ sync: { action: 'invalid' } });
	});

	const OPTED_OUT = 'The contact has opted out and was not opted in again.';
	const KEPT_TAGS =
		'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';
	it.each([
		[true, undefined, OPTED_OUT],
		[false, true, KEPT_TAGS],
		[true, true, `${OPTED_OUT} ${KEPT_TAGS}`],
	])('has a note of what was not done: %j, %j', (keepsOptOut, keepsTags, note) => {
		const [{ json }] = outcomeOf({ ...done, keepsOptOut, keepsTags });
		expect(json.sync).toEqual({ action: 'updated', changedFields: ['name', 'tags'], note });
	});

	it('names up to ten others of the same contact', () => {
		const sameAs = (count: number) => {
			const items = Array.from({ length: count }, (_, item) => item);
			const desired = { ...desiredOf(0), items: items as DesiredContact['items'] };
			return toOutcomes(Array<ReadRow>(count).fill(row), [desired], [done], false).map(
				({ json }) => (json.sync as { sameContactAs?: number[] }).sameContactAs,
			);
		};
		expect(sameAs(1)).toEqual([undefined]);
		expect(sameAs(3)).toEqual([
			[1, 2],
			[0, 2],
			[0, 1],
		]);
		const many = sameAs(13);
		expect(many[0]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		expect(many[12]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	});
});

test.each([
	[false, { action: 'missing' }],
	[true, { action: 'missing', dryRun: true }],
])('a contact that is missing is given out whole, with a dry run or not: %j', (isDryRun, sync) => {
	expect(toMissing(contact, isDryRun)).toEqual({ id: 'c1', name: 'Ann', sync });
});

test('rows and contacts are counted by what came of them', () => {
	const actions = ['created', 'updated', 'updated', 'unchanged', 'unchanged', 'unchanged'] as const;
	const results: Result[] = [
		...actions.map((action, index) => ({ ...done, action, keepsOptOut: index < 2 })),
		...Array<Result>(4).fill({ error: problem }),
	];
	expect(countResults([row, { problem }, row, row], results, 7)).toEqual({
		...{ rows: 4, invalidRows: 1, contacts: 10 },
		...{ created: 1, updated: 2, unchanged: 3, saved: 0, failed: 4 },
		...{ missing: 7, keptOptOuts: 2 },
	});
});

const counts = {
	rows: 500,
	invalidRows: 0,
	contacts: 498,
	created: 3,
	updated: 2,
	unchanged: 493,
	saved: 0,
	failed: 0,
	missing: 0,
	unclear: 0,
	keptOptOuts: 0,
};
const usage = { requests: 12, waitedMs: 0 };
const nothing = { isDryRun: false, ignored: new Set<string>(), unreadableItem: -1 };

test('a run is summed up in a few sentences', () => {
	expect(summarize(counts, usage, nothing)).toBe(
		'500 rows, 498 contacts: 3 created, 2 updated, 493 unchanged. 12 requests.',
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
		'Dry run, nothing was changed: 500 rows, 498 contacts: 3 to create, 2 to update, 493 unchanged, 1 failed, 1 row invalid, 4 missing from the input. 1 request, 1 second of waiting for the CRM. 2 contacts have opted out and were not opted in again. Columns ignored: a, b.',
	);
});

test.each([
	[false, '2 saved without comparing.'],
	[true, '2 to save without comparing.'],
])('contacts that are not compared are told: dry run %p', (isDryRun, expected) => {
	const text = summarize({ ...counts, saved: 2 }, usage, { ...nothing, isDryRun });
	expect(text).toContain(expected);
});

test.each([
	[1, '1 contact has opted out and was not opted in again.'],
	[2, '2 contacts have opted out and were not opted in again.'],
])('%i contacts that stay opted out are told', (keptOptOuts, expected) => {
	expect(summarize({ ...counts, keptOptOuts }, usage, nothing).endsWith(` ${expected}`)).toBe(true);
});

test.each([
	[
		0,
		2,
		'No contacts are listed as missing, because the phone number of item 1 cannot be read. Correct it and run the sync again.',
	],
	[
		-1,
		1,
		'1 contact not listed as missing, because the input has a phone number that ends in the same digits.',
	],
	[
		-1,
		2,
		'2 contacts not listed as missing, because the input has a phone number that ends in the same digits.',
	],
])(
	'why contacts are not listed as missing is told: item %i, %i contacts',
	(unreadableItem, unclear, expected) => {
		const text = summarize({ ...counts, unclear }, usage, { ...nothing, unreadableItem });
		expect(text.endsWith(` 12 requests. ${expected}`)).toBe(true);
	},
);

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
