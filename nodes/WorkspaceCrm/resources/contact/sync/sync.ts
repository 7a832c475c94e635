import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../../../crm/client';
import { CrmError } from '../../../crm/crmError';
import { CONTACT_COLUMNS } from '../../../domain/contactColumns';
import { isNothing } from '../../../domain/nothing';
import { InputProblem } from '../../../domain/problem';
import { fold, sameNameIn } from '../../../domain/text';
import { defineBulkOperation, ItemFailure } from '../../../operations/define';
import { tagNames } from '../../tag';
import { applyAll } from './apply';
import { doubtsIn, mergeRows, type DesiredContact } from './desired';
import { KnownContacts } from './known';
import type { Result } from './plan';
import { toReport } from './report';
import type { NewTag } from './summary';
import { readRows, type Row } from './row';
import { planFor } from './send';
import { syncFields } from './syncFields';

export const sync = defineBulkOperation({
	value: 'sync',
	name: 'Sync',
	action: 'Sync contacts',
	description:
		'Create and update many contacts with as few requests as possible. Values that the CRM already has are not sent.',
	hints: [
		{
			message: `Input fields are matched by their names: ${CONTACT_COLUMNS.map(({ displayName }) => displayName).join(', ')}, and the names of attributes. Usual headings such as Mobile, Handynummer, Téléphone, Celular and Full Name also match. An item without a phone number can use the 'id' of a contact. Other fields are ignored, unless 'Other Columns' under 'Options' saves them as attributes. To try it without changing anything, turn on 'Dry Run' under 'Options'.`,
			when: '$parameter["columns"]?.["mappingMode"] === "autoMapInputData"',
		},
		{
			message:
				"Is a column missing here? Attributes that are objects, lists or yes/no are in the menu 'Add column to send'. Add new ones under 'Options' > 'Attributes'. To see what a run would change without changing anything, turn on 'Dry Run' under 'Options'.",
			when: '$parameter["columns"]?.["mappingMode"] !== "autoMapInputData" && !$parameter["options"]?.["attributes"] && !$parameter["options"]?.["dryRun"]',
		},
	],
	effect: 'idempotent',
	takes: 'all',
	fields: syncFields,

	async executeAll(api, items, run) {
		const { context, runtime } = run;
		const options = items.find(({ params }) => params.options)?.params.options ?? {};
		const stopsAtFirst =
			!context.continueOnFail() && !options.dryRun && (options.stopAtFirstProblem ?? false);
		const { rows, ignored } = readRows(items, options);
		readSheet(context, rows);
		if (stopsAtFirst) assertNoProblem(rows);

		const desired = mergeRows(rows);
		const known = new KnownContacts(api, runtime.clock, options, rows);
		await known.read(desired);
		markProblems(desired, { known, options });
		if (stopsAtFirst) assertNoProblem(rows);

		const possible = desired.filter(({ rows: [first] }) => first.problem === undefined);
		const sync = { api, options, known, doubtOf: doubtsIn(rows) };
		const applied = await applyAll(run, sync, possible, stopsAtFirst);
		const results = rows.map((row) => applied[row.item] ?? notApplied(row));
		const unmentioned = [...known.unmentioned.values()];
		const requests = api.requestCount;
		const newTags = options.dryRun ? await newTagsOf(api, results) : [];
		return toReport({ rows, results, unmentioned, options, ignored, requests, newTags });
	},
});

/** What the items of a sheet say beside their columns: the number of the row, and that it is blank. */
function readSheet(context: IExecuteFunctions, rows: readonly Row[]): void {
	const isNamed = ({ id, typedPhone }: Row) => id !== undefined || typedPhone !== undefined;
	const isAnyNamed = rows.some(isNamed);
	for (const row of rows) {
		const { row_number: number, ...columns } = context.getInputData()[row.item]?.json ?? {};
		if (typeof number === 'number') row.rowNumber = number;
		const cells = Object.values(columns);
		// It may still have mapped values, such as a fixed source.
		if (!isAnyNamed || isNamed(row) || cells.length === 0 || !cells.every(isNothing)) continue;
		row.isBlank = true;
		row.problem = undefined;
	}
}

/** The tags that a run would create for good, with a tag that differs only in case or spelling. */
async function newTagsOf(api: Api, results: readonly Result[]): Promise<NewTag[]> {
	const added = new Set(results.flatMap(({ addedTags = [] }) => addedTags));
	if (added.size === 0) return [];
	const known = await tagNames(api);
	const sameTag = sameNameIn(known);
	const similar = new Map(known.map((name) => [fold(name), name]));
	return [...added]
		.filter((name) => sameTag(name) === undefined)
		.map((name) => ({ name, similar: similar.get(fold(name)) }));
}

function notApplied({ isBlank, problem }: Row): Result {
	if (isBlank) return { action: 'skipped' };
	if (problem === undefined) return { action: 'notStarted' };
	return { action: problem instanceof CrmError ? 'failed' : 'invalid', error: problem };
}

/** Marks all rows of a contact if nothing can be sent for it, or if other rows mean the same contact. */
function markProblems(
	desired: readonly DesiredContact[],
	run: Parameters<typeof planFor>[0],
): void {
	const byId = new Map<string, DesiredContact[]>();
	const mark = ({ rows }: DesiredContact, problem: unknown) => {
		for (const row of rows) row.problem = problem;
	};
	for (const each of desired) {
		try {
			const { current } = planFor(run, each);
			// The row of an ID may have shown a contact that was not looked for by its phone.
			for (const { id } of current ? [current] : run.known.of(each)) {
				byId.set(id, [...(byId.get(id) ?? []), each]);
			}
		} catch (problem) {
			mark(each, problem);
		}
	}
	for (const [id, same] of byId) {
		const problem = same.length > 1 ? givenTwice(id, same) : undefined;
		if (problem) for (const each of same) mark(each, problem);
	}
}

/** The order of its rows would be unclear. */
function givenTwice(id: string, contacts: readonly DesiredContact[]): InputProblem {
	const items = contacts.map(({ rows }) => rows[0].item + 1).sort((a, b) => a - b);
	return new InputProblem(
		`Items ${items.join(' and ')} are the same contact, by its ID and by its phone number`,
		`Nothing was sent for them. Give the ID in both, or in none. The ID of the contact: ${id}`,
	);
}

/** @throws ItemFailure for the first invalid row */
function assertNoProblem(rows: readonly Row[]): void {
	for (const { item, problem } of rows) {
		if (problem !== undefined) throw new ItemFailure(item, problem);
	}
}
