import type { ContactImport } from './contactImport';
import type { ScheduledSync } from './scheduledSync';
import type { TagOnMessage } from './tagOnMessage';
import type { TourStep } from './tour';

/** What came of the main operations, as a table, and the rows that were rejected. */
export function describeTour(steps: readonly TourStep[]): string {
	const table = [
		['Operation', 'Items', 'Result', 'Requests', 'Seconds'],
		...steps.map(({ operation, items, result, requests, elapsedMs }) => [
			operation,
			String(items),
			result,
			String(requests),
			(elapsedMs / 1_000).toFixed(1),
		]),
	];
	const widths = [0, 1, 2, 3, 4].map((column) =>
		Math.max(...table.map((row) => row[column].length)),
	);
	const isNumber = [false, true, false, true, true];
	const lines = table.map((row) =>
		row
			.map((cell, column) =>
				isNumber[column] ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
			)
			.join('  '),
	);
	const rejected = steps.flatMap((step) => step.rejected);
	// A second run rejects the same rows for the same reasons.
	const rejectedOnce = new Map(rejected.map((row) => [`${row.row}: ${row.reason}`, row]));
	return [
		"Each operation as a node in n8n's own engine (n8n-core), with the package as it is built,",
		'against the CRM sandbox:',
		'',
		...lines.map((line) => `  ${line}`),
		'',
		'  Rejected, each with a reason and what to do:',
		...[...rejectedOnce.values()].flatMap(({ operation, row, reason, remedy }) => [
			`    ${operation}, ${row}: ${reason}`,
			`      ${remedy}`,
		]),
	].join('\n');
}

/** The result of the demo as a short table. */
export function describeImport(result: ContactImport): string {
	const { counts, rejected, elapsedMs, contactsBefore, contactsAfter } = result;
	const nameWidth = Math.max(0, ...rejected.map(({ name }) => name.length));
	return [
		...alignRight([
			['Rows in the list', counts.rows],
			['Contacts created', counts.created],
			['Contacts updated', counts.updated],
			['Rows rejected', counts.rejected],
			['Requests used', counts.requests],
			['Seconds', (elapsedMs / 1_000).toFixed(1)],
			['Contacts in the CRM', `${contactsBefore} -> ${contactsAfter}`],
		]),
		'',
		'  Rejected',
		...rejected.flatMap(({ name, reason, remedy }) => [
			`    ${name.padEnd(nameWidth)}  ${reason}`,
			`    ${' '.repeat(nameWidth)}  ${remedy}`,
		]),
	].join('\n');
}

/** The result of the demo's sync as a short table, and what its report says. */
export function describeSync({ first, second }: ScheduledSync): string {
	const rows = Object.entries({ 'First run': first, 'Second run': second }).flatMap(
		([name, { actions, requests, elapsedMs }]): Array<[string, string | number]> => [
			[
				name,
				Object.entries(actions)
					.map(([action, count]) => `${count} ${action}`)
					.join(', '),
			],
			['  Requests used', requests],
			['  Seconds', (elapsedMs / 1_000).toFixed(1)],
		],
	);
	return [...alignRight(rows), '', ...first.report.split('\n').map((line) => `  ${line}`)].join(
		'\n',
	);
}

/** The result of the demo's event as a short table. */
export function describeTagOnMessage(result: TagOnMessage): string {
	const { eventToStartMs, executionId, executions, status, tags } = result;
	return alignRight([
		['Message in the CRM -> executions', executions],
		['Execution', `${executionId}, ${status}`],
		['Milliseconds from event to start', eventToStartMs],
		['Tags of the contact', tags.join(', ')],
	]).join('\n');
}

/** Lines of a label each, with their values below each other. */
export function alignRight(rows: Array<[label: string, value: string | number]>): string[] {
	const labelWidth = Math.max(...rows.map(([label]) => label.length));
	const valueWidth = Math.max(...rows.map(([, value]) => String(value).length));
	return rows.map(
		([label, value]) => `  ${label.padEnd(labelWidth)}  ${String(value).padStart(valueWidth)}`,
	);
}
