import type { IConnections, IDataObject, INode } from 'n8n-workflow';

import { addContact, addContacts, patientRuntime, useSandbox, writes } from '../../support';
import { crmNode, passThroughNode, startWorkflow } from '../../../../tools/engine/nodes';
import type { NodeRun } from '../../../../tools/engine/runNode';
import { automatic, mapped, runSync } from './syncNode';

/** A contact that is not in the input is missing only if the input is the whole list, read in one run. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const [anna, ben] = ['+4915123456781', '+4915123456782'];
const missing = automatic({ missing: 'output' });

beforeEach(() => {
	addContact(sandbox, { phone: anna, name: 'Anna' });
	addContact(sandbox, { phone: ben });
});

const actionIn = ({ sync }: IDataObject) => (sync as IDataObject | undefined)?.action;
const missingIn = (json: IDataObject[]) =>
	json.filter((each) => actionIn(each) === 'missing').map(({ phone }) => phone);

describe('beside a good row', () => {
	const good = { phone: anna, name: 'Anna' };
	const run = async (item: IDataObject, parameters = missing) => {
		const { json, hints } = await runSync(sandbox, [good, item], parameters, {
			onError: 'continueRegularOutput',
		});
		return { missing: missingIn(json), summary: hints.join(' '), actions: json.map(actionIn) };
	};

	test.each<[string, IDataObject]>([
		['a failed page of the node before', { error: '429' }],
		['its error as an object', { error: { message: 'timeout', code: 'ECONNRESET' } }],
		['the input of a node that failed', { page: 3 }],
		['a customer with an e-mail address only', { email: 'ben@example.com' }],
		['the same with blank columns', { phone: '', name: null, email: 'ben@example.com' }],
		['a row of the sheet with a remark only', { row_number: 3, remark: 'see below' }],
		['a name only', { name: 'Ben' }],
		['a cell that is no', { subscribed: false }],
		['a cell that is zero', { orders: 0 }],
	])('%s: nobody is missing, and the summary says which item is why', async (_case, item) => {
		const { missing, summary } = await run(item);
		expect(missing).toEqual([]);
		expect(summary).toContain(
			`1 contact not listed as missing, because it is unclear which contact is meant by ${item.row_number ? 'row 3' : 'item 2'}. Give each a valid phone number or the ID of its contact.`,
		);
	});

	test.each<[string, IDataObject]>([
		['an item without fields', {}],
		['a blank row', { phone: '', name: null, tags: [], email: ' ' }],
		['a blank row of a sheet', { row_number: 3, phone: '', email: '' }],
	])('%s holds up nothing', async (_case, item) => {
		expect(await run(item)).toMatchObject({
			missing: [ben],
			actions: ['unchanged', 'skipped', 'missing'],
		});
	});

	test('the summary names all such items, and its advice helps', async () => {
		const unclear = [{ email: 'ben@example.com' }, { name: 'Gone' }];
		const { json, hints } = await runSync(sandbox, [good, ...unclear], missing, {
			onError: 'continueRegularOutput',
		});
		expect(missingIn(json)).toEqual([]);
		expect(hints.join()).toContain('which contact is meant by items 2, 3. Give each');
		const byBen = [...sandbox.store.contacts.values()].find(({ phone }) => phone === ben)?.id;
		addContact(sandbox, { phone: '+4915123456784' });
		const clear = [{ id: byBen }, { phone: '+4915123456783' }];
		const { json: now } = await runSync(sandbox, [good, ...clear], missing);
		expect(now.map(actionIn)).toEqual(['unchanged', 'unchanged', 'created', 'missing']);
	});

	test.each<[string, IDataObject]>([
		['has lost a digit', { phone: '+491512345678' }],
		['and fails', { phone: '+491512345678', opt_in: 'perhaps' }],
	])('nobody is missing if a number %s', async (_case, item) => {
		for (const dryRun of [true, false]) {
			const { missing, summary } = await run(item, automatic({ missing: 'output', dryRun }));
			expect(missing).toEqual([]);
			expect(summary).toContain('which contact is meant by item 2.');
		}
	});

	test('a number that the library does not know holds up nothing once the CRM has it', async () => {
		addContact(sandbox, { phone: '+491512345678' });
		expect((await run({ phone: '+491512345678' })).missing).toEqual([ben]);
	});

	test('a blank row holds up nothing if columns are mapped by hand, one to a fixed text', async () => {
		const parameters = mapped(
			{ phone: '={{ $json.phone }}', source: 'fair' },
			{ missing: 'output' },
		);
		expect((await run({ row_number: 3, phone: '' }, parameters)).missing).toEqual([ben]);
	});

	test('an item with only a file may be anybody', async () => {
		const binary = { data: { data: 'YQ==', mimeType: 'text/csv' } };
		const { json } = await runSync(sandbox, [good, {}], missing, { binary });
		expect(missingIn(json)).toEqual([]);
	});

	test('without missing contacts, such items are skipped as before', async () => {
		const { actions, summary } = await run({ error: '429' }, automatic());
		expect(actions).toEqual(['unchanged', 'skipped']);
		expect(summary).toContain('2 items: 1 unchanged, 1 skipped (blank).');
	});
});

const TYPES: Record<string, string> = {
	Merge: 'n8n-nodes-base.merge',
	Pages: 'test.onePerOutput',
	Batches: 'n8n-nodes-base.splitInBatches',
};

/** Runs nodes that are wired like this, beginning with Start; each source gives its own contact. */
async function runWired(
	wires: ReadonlyArray<readonly [from: string, to: string, input?: number, output?: number]>,
	settings: Partial<Omit<INode, 'disabled'>> & { merge?: IDataObject; disabled?: string } = {},
) {
	const { merge, disabled, ...own } = settings;
	const names = [...new Set(['Start', ...wires.flatMap(([from, to]) => [from, to])])];
	const nodes = names.map((name): INode => {
		if (name === 'CRM') return crmNode(missing, own);
		const type = TYPES[name] ?? 'test.passThrough';
		const parameters = (name.startsWith('Merge') ? (merge ?? {}) : {}) as INode['parameters'];
		return { ...passThroughNode(), id: name, name, type, parameters, disabled: name === disabled };
	});
	const connections: IConnections = {};
	for (const [from, node, index = 0, output = 0] of wires) {
		connections[from] ??= { main: [[], []] };
		connections[from].main[output]?.push({ node, type: 'main', index });
	}
	const pinData = {
		Start: [{ json: {} }],
		A: [{ json: { phone: anna } }],
		B: [{ json: { phone: ben } }],
	};
	const credential = { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' };
	const { runtime } = patientRuntime();
	const run = await startWorkflow({ nodes, connections, pinData }, { credential, runtime });
	const { error, runData } = run.data.resultData;
	const runs = (runData.CRM ?? []).map(({ data }) => (data?.main[0] ?? []).map(({ json }) => json));
	return { error: error as { message: string; description: string } | undefined, runs };
}

const whole = 'Missing contacts can only be listed from the whole list, read in one run';

describe('the list must come in one run', () => {
	const two = [
		['Start', 'A'],
		['Start', 'B'],
	] as const;

	test.each([
		[
			'two sources',
			[...two, ['A', 'CRM'], ['B', 'CRM']],
			"'CRM' gets items from several nodes (B, A), and runs once for each",
		],
		[
			'two sources of a node before',
			[...two, ['A', 'Set'], ['B', 'Set'], ['Set', 'CRM']],
			"'Set' gets items from several nodes (B, A), and runs once for each",
		],
		[
			'a source and what it gives',
			[...two, ['A', 'Set'], ['A', 'CRM'], ['Set', 'CRM']],
			"'CRM' gets items from several nodes (Set, A), and runs once for each",
		],
		[
			'a loop',
			[
				['Start', 'A'],
				['A', 'Loop'],
				['Loop', 'CRM'],
				['CRM', 'Loop'],
			],
			"'CRM' is in a loop",
		],
		[
			'a longer loop',
			[
				['Start', 'Loop'],
				['Loop', 'A'],
				['A', 'CRM'],
				['CRM', 'Wait'],
				['Wait', 'Loop'],
			],
			"'CRM' is in a loop",
		],
		[
			'a loop over items with Sync in it',
			[
				['Start', 'A'],
				['A', 'Batches'],
				['Batches', 'CRM', 0, 1],
				['CRM', 'Batches'],
			],
			"'CRM' is in a loop",
		],
		[
			'pages that come one after the other',
			[
				['Start', 'A'],
				['A', 'Pages'],
				['Pages', 'CRM'],
				['Pages', 'Next', 0, 1],
				['Next', 'Pages'],
			],
			"'Pages' is in a loop",
		],
		[
			'the same behind an IF',
			[
				['Start', 'A'],
				['A', 'Pages'],
				['Pages', 'If'],
				['If', 'CRM'],
				['If', 'Pages', 0, 1],
			],
			"'If' is in a loop",
		],
		[
			'pages in front of a loop over items',
			[
				['Start', 'A'],
				['A', 'Pages'],
				['Pages', 'Batches'],
				['Pages', 'Next', 0, 1],
				['Next', 'Pages'],
				['Batches', 'C', 0, 1],
				['C', 'Batches'],
				['Batches', 'CRM'],
			],
			"'Pages' is in a loop",
		],
		[
			'a node in a loop over items',
			[
				['Start', 'A'],
				['A', 'Batches'],
				['Batches', 'Pages', 0, 1],
				['Pages', 'CRM'],
				['Pages', 'Batches', 0, 1],
			],
			"'Pages' is in a loop",
		],
		[
			'pages through a deactivated loop over items',
			[
				['Start', 'A'],
				['A', 'Pages'],
				['Pages', 'CRM'],
				['Pages', 'Batches', 0, 1],
				['Batches', 'Pages'],
			],
			"'Pages' is in a loop",
			{ disabled: 'Batches' },
		],
		[
			'two ways back to a loop over items, which goes on after each',
			[
				['Start', 'A'],
				['A', 'Batches'],
				['Batches', 'C', 0, 1],
				['Batches', 'D', 0, 1],
				['C', 'Batches'],
				['D', 'Batches'],
				['Batches', 'CRM'],
			],
			"'Batches' gets items from several nodes (D, C, A), and runs once for each",
		],
		[
			'two sources on one input of a Merge, one on the other',
			[...two, ['Start', 'C'], ['A', 'Merge'], ['B', 'Merge'], ['C', 'Merge', 1], ['Merge', 'CRM']],
			"'Merge' gets items from several nodes (C, B, A), and runs once for each",
		],
	] as const)(
		'%s: refused before anything is sent',
		async (_case, wires, why, settings: { disabled?: string } = {}) => {
			const { error, runs } = await runWired(wires, settings);
			expect(error?.message).toBe(`${whole}, but ${why}`);
			expect(error?.description).toMatch(/^Nothing was sent\. /);
			expect(runs.flat()).toEqual([]);
			expect(sandbox.requests).toEqual([]);
		},
	);

	test('two sources with a Merge in front, as the error says', async () => {
		const { error, runs } = await runWired([
			...two,
			['A', 'Merge'],
			['B', 'Merge', 1],
			['Merge', 'CRM'],
		]);
		expect(error).toBeUndefined();
		expect(runs.map((json) => json.map(actionIn))).toEqual([['unchanged', 'unchanged']]);
	});

	test('a Merge has as many inputs as it says, and none if it is deactivated', async () => {
		const wires = [
			...two,
			['Start', 'C'],
			['A', 'Merge'],
			['B', 'Merge', 1],
			['C', 'Merge', 2],
			['Merge', 'CRM'],
		] as const;
		expect((await runWired(wires, { merge: { numberInputs: 3 } })).error).toBeUndefined();
		const { error } = await runWired(wires, { merge: { numberInputs: 3 }, disabled: 'Merge' });
		expect(error?.message).toContain(
			"'Merge' gets items from several nodes (C, B, A), and runs once for each",
		);
	});

	test.each([
		[
			'two triggers of one source',
			[
				['Start', 'A'],
				['Schedule', 'A'],
				['A', 'CRM'],
			],
		],
		[
			"the output 'done' of a loop over items",
			[
				['Start', 'A'],
				['A', 'Batches'],
				['Batches', 'C', 0, 1],
				['C', 'Batches'],
				['Batches', 'CRM'],
			],
		],
		[
			'more nodes behind it',
			[
				['Start', 'A'],
				['A', 'CRM'],
				['CRM', 'Set'],
				['CRM', 'Filter'],
				['Set', 'Filter'],
			],
		],
	] as const)('%s: the others are missing', async (_case, wires) => {
		const { error, runs } = await runWired(wires);
		expect(error).toBeUndefined();
		expect(runs.map(missingIn)).toEqual([[ben]]);
	});

	test('Execute Once is refused before anything is sent', async () => {
		const { error } = await runWired(
			[
				['Start', 'A'],
				['A', 'CRM'],
			],
			{ executeOnce: true },
		);
		expect(error?.message).toBe(`${whole}, but 'Execute Once' takes only the first item`);
		expect(sandbox.requests).toEqual([]);
	});

	test('a second run in one execution is refused, and says what the first has done', async () => {
		// Of a node, n8n does not show how many of its outputs lead here.
		const { error, runs } = await runWired([
			['Start', 'A'],
			['A', 'CRM'],
			['A', 'CRM'],
		]);
		expect(runs.map(missingIn)).toEqual([[ben], []]);
		expect(error?.message).toBe(`${whole}, but this is not its first run in this execution`);
		expect(error?.description).toContain(
			'An earlier run may have listed contacts that are in this one.',
		);
	});
});

describe('the share of missing contacts', () => {
	const item = { phone: anna, name: 'Anna Maria' };
	const run = async (inCrm: number, options: IDataObject, more: Partial<NodeRun> = {}) => {
		addContacts(sandbox, inCrm - 2);
		return await runSync(sandbox, [item], automatic({ missing: 'output', ...options }), more);
	};
	const question =
		'79 of 80 contacts with an international phone number (99%) are not in the input: is the list whole?';
	const remedy =
		"None is listed as missing, because 'Missing at Most (%)' under 'Options' is 5. If the list is whole, raise it.";

	test('is too large for a list that was cut: its items are saved, and the run fails', async () => {
		const { error, json } = await run(80, {});
		expect(error?.message).toBe(question);
		expect(error?.description).toBe(
			`All items are synced. 1 item: 1 updated. Phone: phone, Name: name. 2 requests. ${question} ${remedy}`,
		);
		expect(json).toEqual([]);
		expect(writes(sandbox)).toHaveLength(1);
	});

	test('or the summary says it, if the node is set to continue', async () => {
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			sandbox.reset();
			addContact(sandbox, { phone: anna });
			const { json, failed, hints } = await run(81, {}, { onError });
			expect([json.map(actionIn), failed]).toEqual([['updated'], []]);
			expect(hints).toEqual([expect.stringContaining(`${question} ${remedy}`)]);
		}
	});

	test('or a dry run, which lists none, either', async () => {
		const { json, error, hints } = await run(80, { dryRun: true });
		expect([error, json.map(actionIn)]).toEqual([undefined, ['wouldUpdate']]);
		expect(hints).toEqual([expect.stringContaining(question)]);
		expect(writes(sandbox)).toEqual([]);
	});

	test('a row that fails ends the run with its own error, and the summary', async () => {
		addContacts(sandbox, 78);
		const { error } = await runSync(sandbox, [item, { phone: '1' }], missing);
		expect(error?.message).toContain('1 of 2 items was not synced');
		// Its number may be anybody's.
		expect(error?.description).toContain('79 contacts not listed as missing');
	});

	test('counts only contacts that can be listed', async () => {
		for (let index = 0; index < 100; index += 1) addContact(sandbox, { phone: '' });
		const { json, hints } = await run(20, {}, { onError: 'continueRegularOutput' });
		expect(missingIn(json)).toEqual([]);
		expect(hints.join()).toContain('19 of 20 contacts with an international phone number (95%)');
	});

	test.each([
		[
			80,
			100,
			79,
			'79 of 80 contacts with an international phone number (99%) missing from the input.',
		],
		[
			80,
			'={{ 99 }}',
			79,
			'79 of 80 contacts with an international phone number (99%) missing from the input.',
		],
		[4, 0, 3, '3 of 4 contacts with an international phone number (75%) missing from the input.'],
		[2, 5, 1, '1 of 2 contacts with an international phone number (50%) missing from the input.'],
		[5, 79, 0, "because 'Missing at Most (%)' under 'Options' is 79"],
		[5, 80, 4, '4 of 5 contacts with an international phone number (80%) missing from the input.'],
	])('of %p contacts, at most %p%%: %p are listed', async (inCrm, missingAtMost, count, says) => {
		const { json, hints } = await run(
			inCrm,
			{ missingAtMost },
			{
				onError: 'continueRegularOutput',
			},
		);
		expect(missingIn(json)).toHaveLength(count);
		expect(hints.join()).toContain(says);
	});
});
