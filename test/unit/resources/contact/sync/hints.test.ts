import { shownFor } from '../../../../support/hints';

test('hint at how a sync matches columns, and where others go', () => {
	const sync = { resource: 'contact', operation: 'sync' };
	expect(shownFor({ ...sync, columns: { mappingMode: 'autoMapInputData' } })).toEqual([
		expect.stringMatching(
			/^To see what a run would change, turn on 'Dry Run'.+'Default Country'.+Input fields are matched by their names: Phone, Name, /,
		),
	]);
	expect(shownFor({ ...sync, columns: { mappingMode: 'defineBelow' } })).toEqual([
		expect.stringMatching(
			/^To see what a run would change, turn on 'Dry Run'.+'Default Country'.+Is a column missing/,
		),
	]);
	const options = { dryRun: true };
	expect(shownFor({ ...sync, columns: { mappingMode: 'defineBelow' }, options })).toEqual([]);
});
