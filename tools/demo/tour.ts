import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { messageText, type Sandbox } from '../sandbox';
import { performance } from '../support/platform';
import type { NodeResult } from '../engine/runNode';

/** One operation of the tour. */
interface Step {
	operation: string;
	parameters: object;
	rows?: IDataObject[];
	describe(result: NodeResult, sandbox: Sandbox): string;
	expected: string;
}

const visitors: IDataObject[] = [
	{ name: 'Mia Richter', phone: '01512 3450101', country: 'DE' },
	{ name: 'Tom Baker', phone: '07911 123001', country: 'GB' },
	{ name: 'Too short', phone: '12345', country: 'GB' },
	{ name: 'Julie Petit', phone: '06.12.34.50.04', country: 'FR' },
	{ name: 'Mia Richter', phone: '+49 1512 3450101', country: 'DE' },
];

const customers: IDataObject[] = [
	{ name: 'Mia Richter', phone: '+4915123450101', tags: 'spring sale' },
	{ name: 'Tom Baker', phone: '+447911123001', tags: 'spring sale' },
	{ name: 'Paula Fischer', phone: '0171 3920178', tags: 'spring sale, vip' },
	{ name: 'Not a number', phone: 'ask Tom', tags: '' },
	{ name: 'Sara Lima', phone: '+55 11 96123-4001', tags: 'spring sale' },
	{ name: 'Oskar Brandt', phone: '0171 3920181', tags: 'spring sale' },
	{ name: 'Lena Keller', phone: '+41 78 123 45 69', tags: 'spring sale' },
];

const sync = {
	parameters: {
		resource: 'contact',
		operation: 'sync',
		columns: { mappingMode: 'autoMapInputData', value: null, schema: [] },
		options: { defaultCountry: 'DE' },
	},
	rows: customers,
	describe: ({ json, failed }: NodeResult) =>
		counts([
			...json.map((row) => (row.sync as IDataObject).action),
			...failed.map(() => 'invalid'),
		]),
};

const steps: Step[] = [
	{
		operation: 'Contact > Create or Update',
		parameters: {
			resource: 'contact',
			operation: 'upsert',
			phone: '={{ $json.phone }}',
			additionalFields: { name: '={{ $json.name }}', defaultCountry: '={{ $json.country }}' },
		},
		rows: visitors,
		describe: ({ json, failed }) =>
			counts([
				...json.map(({ created }) => (created ? 'created' : 'updated')),
				...failed.map(() => 'rejected'),
			]),
		expected: '3 created, 1 updated, 1 rejected',
	},
	{ ...sync, operation: 'Contact > Sync', expected: '2 updated, 4 created, 1 invalid' },
	{ ...sync, operation: 'Contact > Sync, once more', expected: '6 unchanged, 1 invalid' },
	{
		operation: 'Contact > Get Many',
		parameters: { resource: 'contact', operation: 'getAll', returnAll: true },
		describe: ({ json }) => `${json.length} contacts`,
		expected: '207 contacts',
	},
	{
		operation: 'Message > Send Template',
		parameters: {
			resource: 'message',
			operation: 'sendTemplate',
			contactId: { __rl: true, mode: 'phone', value: '+49 1512 3450101' },
			template: { __rl: true, mode: 'name', value: 'order_shipped' },
			templateVariables: {
				mappingMode: 'defineBelow',
				value: { '1': 'Mia', '2': '1042' },
				schema: [],
			},
		},
		describe: (_result, { store }) => `sent: "${messageText(store, store.sentMessages[0])}"`,
		expected: 'sent: "Hi Mia, your order 1042 is on its way."',
	},
];

/** How the tour went. */
export interface Tour {
	/** The results as a table, and the rows that were rejected. */
	text: string;
	/** What differed from the expected results; empty if all went well. */
	deviations: string[];
}

/** Runs the main operations one after the other in n8n's own engine, with 200 contacts in the sandbox. */
export async function runTour(sandbox: Sandbox): Promise<Tour> {
	// The engine takes seconds to load.
	const { runNode } = await import('../engine/runNode');
	const table = [['Operation', 'Items', 'Result', 'Requests', 'Seconds']];
	const rejected = new Map<string, IDataObject>();
	const deviations: string[] = [];
	for (const { operation, parameters, rows = [{}], describe, expected } of steps) {
		const [requestsBefore, startMs] = [sandbox.requests.length, performance.now()];
		const run = { parameters: parameters as INodeParameters, items: rows };
		const result = await runNode(sandbox, { ...run, onError: 'continueErrorOutput' });
		if (result.error) throw result.error;
		const seconds = (performance.now() - startMs) / 1_000;
		const requests = sandbox.requests.length - requestsBefore;
		const came = describe(result, sandbox);
		table.push([operation, `${rows.length}`, came, `${requests}`, seconds.toFixed(1)]);
		for (const row of result.failed) rejected.set(String(row.name), row);
		if (came !== expected) deviations.push(`${operation}: '${came}' instead of '${expected}'`);
	}
	const reasons = [...rejected.values()].map(
		({ name, error, errorDetails }) =>
			`  ${String(name)}: ${String(error)}. ${String((errorDetails as IDataObject).description)}`,
	);
	const text = [
		...aligned(table),
		'',
		'Rejected rows, with the reason and what to do:',
		...reasons,
	];
	return { text: text.join('\n'), deviations };
}

function counts(words: unknown[]): string {
	const numbers = new Map<unknown, number>();
	for (const word of words) numbers.set(word, (numbers.get(word) ?? 0) + 1);
	return [...numbers].map(([word, count]) => `${count} ${String(word)}`).join(', ');
}

function aligned(table: string[][]): string[] {
	const widthOf = (column: number) => Math.max(...table.map((row) => row[column].length));
	const widths = table[0].map((_, column) => widthOf(column));
	return table.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column]))
			.join('  ')
			.trimEnd(),
	);
}
