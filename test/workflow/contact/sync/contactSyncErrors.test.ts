import type { IDataObject } from 'n8n-workflow';

import { systemClock } from '../../../../nodes/WorkspaceCrm/n8n/systemClock';
import { createRuntime } from '../../../../nodes/WorkspaceCrm/crm/connection';
import { delay } from '../../../../tools/support/platform';
import { detailsOf, startNode } from '../../../../tools/engine/runNode';
import { useSandbox, writes } from '../../support';
import { actionsOf, automatic, mapped, runSync, withBriefSync } from './syncNode';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
const numberOf = (index: number) => `+1212555${String(1_000 + index)}`;
/** New contacts, so that each takes one request. */
const newItems = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({ phone: numberOf(index), n: index }));
const names = () => [...sandbox.store.contacts.values()].map(({ phone }) => phone).sort();

/** What the error of a refused contact says, apart from what `errors.test.ts` checks. */
const REFUSAL = 'The service did not accept the data: no such name';
const REMEDY = 'Correct the value of the field that the service names. (HTTP 422)';
const refused = { match: { method: 'POST' }, kind: { status: 422, detail: 'no such name' } };
const SUMMARY = [
	'6 items: 2 created, 3 invalid, 1 failed.',
	'Phone: phone, Name: name, Opt In: opt_in.',
	"Columns ignored: n. To use them, rename them, set 'Other Columns' under 'Options' to 'Save as Attributes', or choose 'Map Each Column Manually'.",
	'4 requests.',
	`Item 2: ${REFUSAL}. ${REMEDY}`,
	'Item 4: "call me" is not a phone number. Enter the number with a plus and its country code, such as +49 170 5556677.',
	`Item 5: 'Opt In' is "perhaps", which is neither yes nor no. Enter yes, no, true or false; the documentation of Sync lists the words of other languages. If the answer is not known, leave it empty. Correct the column "opt_in" of the input, or choose 'Map Each Column Manually' to turn other words into these by an expression.`,
	'Item 6: \'Phone\' is empty. Every item needs a phone number or the ID of a contact. Check the column "phone" of this item.',
].join('<br>');
const output = { onError: 'continueErrorOutput' } as const;

test('without a heading that is known to be the phone, the error says which fields there are', async () => {
	const items = [{ Kontaktnummer: '+4915123456789', Ort: 'Ulm' }, { Ort: 'Bonn' }];
	const { failed } = await runSync(sandbox, items, automatic(), output);
	expect(failed.map(({ error }) => error)).toEqual([
		'No column was recognized as the phone number [item 1]',
		'No column was recognized as the phone number [item 2]',
	]);
	expect(failed[0].errorDetails).toEqual({
		description:
			'Rename the column that holds it to \'phone\', or choose \'Map Each Column Manually\'. The columns are: "Kontaktnummer", "Ort".',
	});
	expect(sandbox.requests).toEqual([]);
});

test('without such a heading, the summary names the columns once, and how many it leaves out', async () => {
	const names = Array.from({ length: 12 }, (_, index) => `Column ${index}`);
	const item = Object.fromEntries([...names, 'Name'].map((name) => [name, 'x']));
	const blank = Object.fromEntries(Object.keys(item).map((name) => [name, ' ']));
	const items = [item, blank];
	for (const otherColumns of ['ignore', 'attributes']) {
		const { hints } = await runSync(sandbox, items, automatic({ otherColumns }), output);
		expect(hints.at(-1)).toMatch(/The columns are: "Column 0", .* "Column 9" and 3 more\./);
		expect(hints.at(-1)).toContain('1 skipped (blank), 1 invalid');
		expect(hints.at(-1)).not.toMatch(/Columns (ignored|saved)/);
	}
});

describe('items that fail', () => {
	const items = [
		...newItems(3),
		{ phone: 'call me', n: 3 },
		{ phone: numberOf(4), opt_in: 'perhaps', n: 4 },
		{ name: 'Anna', n: 5 },
	];
	const invalid = [
		{
			error: '"call me" is not a phone number [item 4, call me]',
			errorDetails: {
				description: expect.stringContaining('Enter the number with a plus and its country code'),
			},
		},
		{
			error: '\'Opt In\' is "perhaps", which is neither yes nor no [item 5, +12125551004]',
			errorDetails: {
				description: expect.stringMatching(/^Enter yes, no, true or false/),
			},
		},
		{
			error: "'Phone' is empty [item 6, Anna]",
			errorDetails: {
				description: expect.stringContaining('Check the column "phone"'),
			},
		},
	];

	test('go to the error output with their input fields, and the others are saved', async () => {
		sandbox.fail({ ...refused, skip: 1 });
		const { json, failed, failedOutput, hints, error } = await runSync(
			sandbox,
			items,
			automatic(),
			output,
		);
		expect(error).toBeUndefined();
		expect(actionsOf(json)).toEqual(['created', 'created']);
		expect(withBriefSync(failed)).toEqual([
			{
				...items[1],
				sync: { action: 'failed' },
				error: `${REFUSAL} [item 2, +12125551001]`,
				errorDetails: { statusCode: 422, description: REMEDY },
			},
			...[3, 4, 5].map((item, index) => ({
				...items[item],
				sync: { action: 'invalid' },
				...invalid[index],
			})),
		]);
		expect(failedOutput.map(({ pairedItem }) => pairedItem)).toEqual(
			[1, 3, 4, 5].map((item) => ({ item })),
		);
		expect(hints).toEqual([
			`4 of 6 items failed. The first: ${REFUSAL} [item 2, +12125551001].`,
			SUMMARY,
		]);
		expect(names()).toEqual([numberOf(0), numberOf(2)]);
	});

	test('fail the run after the others were saved, with the first reason and their number', async () => {
		sandbox.fail({ ...refused, skip: 1 });
		const { error, json } = await runSync(sandbox, items);
		expect(json).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: '4 of 6 items were not synced, 2 contacts are saved',
			description: [
				SUMMARY,
				"To get each failed item with its reason, set 'On Error' in the node's settings to 'Continue (using error output)'.",
			].join('<br>'),
		});
		expect(names()).toEqual([numberOf(0), numberOf(2)]);
	});

	test('do not hide that others were merged', async () => {
		const { error } = await runSync(sandbox, [items[0], items[0], { phone: 'call me' }]);
		expect(error?.message).toBe('1 of 3 items was not synced, the other 2 are saved as 1 contact');
	});

	test('are not said to be all others if some are blank', async () => {
		const twice = [items[0], items[0]];
		const { error } = await runSync(sandbox, [...twice, { phone: '' }, { phone: 'call me' }]);
		expect(error?.message).toBe('1 of 4 items was not synced, 1 contact is saved');
	});

	test('fail the run with their own reason if there is only one', async () => {
		sandbox.fail(refused);
		const { error } = await runSync(sandbox, newItems(1));
		expect(error).toMatchObject({
			message: REFUSAL,
			description: REMEDY,
			httpCode: '422',
		});
		const invalidAlone = await runSync(sandbox, [{ phone: 'call me' }]);
		expect(invalidAlone.error?.message).toMatch(/^"call me" is not a phone number/);
	});

	test('with Stop on First Error, an invalid item ends the run before any request', async () => {
		const { error } = await runSync(sandbox, items, automatic({ stopAtFirstProblem: true }));
		expect(error?.message).toBe(invalid[0].error);
		expect(sandbox.requests).toEqual([]);
	});

	test('with Stop on First Error, a failed item ends the run at once', async () => {
		sandbox.fail({ ...refused, skip: 3 });
		const { error } = await runSync(sandbox, newItems(40), automatic({ stopAtFirstProblem: true }));
		expect(error).toMatchObject({
			message: expect.stringMatching(/^3\d of 40 items were not synced, \d contacts are saved$/),
			description: expect.stringMatching(/ \d+ not started\..+<br>Item 4: /),
			httpCode: '422',
		});
		expect(writes(sandbox).length).toBeLessThanOrEqual(3 + 5 + 4);
	});

	test('because an expression does, leave the others alone', async () => {
		const { json, failed } = await runSync(
			sandbox,
			newItems(3),
			mapped({ phone: '={{ $json.n === 0 ? $json.nothing.there : $json.phone }}', name: 'Anna' }),
			output,
		);
		expect(actionsOf(json)).toEqual(['created', 'created']);
		expect(failed).toMatchObject([
			{ n: 0, sync: { action: 'invalid' }, error: expect.any(String) },
		]);
	});

	test('fail together if they are the same contact', async () => {
		sandbox.fail(refused);
		const { failed } = await runSync(
			sandbox,
			[
				{ phone: numberOf(0), name: 'a' },
				{ phone: numberOf(0), name: 'b' },
			],
			automatic(),
			output,
		);
		expect(failed).toMatchObject([
			{ name: 'a', sync: { action: 'failed' } },
			{ name: 'b', sync: { action: 'failed' } },
		]);
		expect(writes(sandbox)).toHaveLength(1);
	});
});

describe('a refusal that affects every request', () => {
	test('stops the requests, and the output has what was saved before', async () => {
		sandbox.fail({ match: { method: 'POST' }, skip: 10, times: 1_000, kind: { status: 401 } });
		const { json, failed, hints } = await runSync(sandbox, newItems(60), automatic(), output);
		expect(json).toHaveLength(10);
		expect(failed).toHaveLength(50);
		expect(failed.every((json) => detailsOf(json).statusCode === 401)).toBe(true);
		// Each of those that run at the same time gets the refusal itself. The others were never sent.
		const untried = failed.filter(({ error }) =>
			String(error).startsWith('Not tried, because item'),
		);
		expect(untried).toHaveLength(60 - writes(sandbox).length);
		expect(writes(sandbox).length).toBeLessThanOrEqual(10 + 5);
		expect(hints).toEqual([
			expect.stringMatching(/^50 of 60 items failed\. The first: .+ \[item \d+, \+1212555\d+\]\.$/),
			expect.stringContaining('10 created, 50 failed.'),
		]);
	});

	test('does not affect items that need no request', async () => {
		await runSync(sandbox, newItems(20));
		sandbox.requests.length = 0;
		sandbox.fail({ match: { method: 'PATCH' }, kind: { status: 401 }, times: 20 });
		const items = newItems(20).map((item) => ({ ...item, name: item.n === 0 ? 'new' : '' }));
		const { json, failed } = await runSync(sandbox, items, automatic(), output);
		expect([json.length, failed.length]).toEqual([19, 1]);
	});
});

test('stopping the execution ends the sync, even if the node continues on errors', async () => {
	// all five at once wait for an answer, so none is on its way when the execution is stopped
	sandbox.fail({ match: { method: 'POST' }, skip: 5, times: 5, kind: { delayMs: 60 * 60_000 } });
	const runtime = createRuntime(systemClock);
	const items = newItems(100);
	const execution = startNode(sandbox, { parameters: automatic(), items, ...output, runtime });
	while (writes(sandbox).length < 10) await delay(2);
	execution.cancel();
	const { status } = await execution;
	expect(status).toBe('canceled');
	await delay(300);
	// one page of contacts, and the ten
	expect(sandbox.requests).toHaveLength(11);
});
