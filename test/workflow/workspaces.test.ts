import * as fc from 'fast-check';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import type { Sandbox } from '../../tools/sandbox';
import { operationRows, rowName, type OperationRow } from '../faults/operationRows';
import { furnish, ITEMS, type World } from '../faults/world';
import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { editorContext } from './editorContext';
import { contactParameters } from './parameters';
import { nodeLogger } from '../support/nodeLogger';
import { addContacts, chosen, patientRuntime, sentLines, writes } from './support';
import { startTrigger, stopTriggers } from './triggerSetup';
import { accessTo, byItem, sandboxes } from './twoWorkspaces';

/** The items of both workspaces, mixed: which workspace, and which of its contacts. */
const MIXED = [0, 1, 1, 0, 0, 1].map((world, place, all) => ({
	world,
	index: all.slice(0, place).filter((each) => each === world).length,
}));

async function run(row: OperationRow, worlds: World[], more: Partial<INode> = {}) {
	const { onError, ...settings } = more;
	const items = MIXED.map(({ world, index }) => ({
		...row.item(worlds[world], index),
		...accessTo(sandboxes[world]),
	}));
	const { runtime } = patientRuntime();
	const options = { items, onError, settings, runtime, credential: byItem };
	return await runNode(sandboxes[0], { parameters: row.parameters, ...options });
}

const furnishBoth = (row: OperationRow) => sandboxes.map((sandbox) => furnish(sandbox, row));

/** Nothing in a workspace names a record of the other, and all of the items in it are done. */
function expectOnlyOwn(row: OperationRow, worlds: World[], isDone = [true, true]): void {
	for (const [place, world] of worlds.entries()) {
		const other = worlds[1 - place];
		const text = JSON.stringify(sandboxes[place].requests.map(({ path, body }) => [path, body]));
		for (const { id } of other.targets) expect(text).not.toContain(id);
		expect(sandboxes[place].requests.length).toBeGreaterThan(0);
		for (let index = 0; row.effects && index < ITEMS; index += 1) {
			expect([place, index, row.effects(world, index)]).toEqual([
				place,
				index,
				Number(isDone[place]),
			]);
		}
	}
}

const itemsOf = (output: Array<{ pairedItem?: unknown }>) =>
	output.map(({ pairedItem }) => (pairedItem as { item: number }).item);

const rows = operationRows.filter(({ waits }) => !waits);
const writing = rows.filter(({ effects }) => effects);

describe.each(rows.map((row) => [rowName(row), row] as const))('%s', (_name, row) => {
	test('does each item in its own workspace, and its outputs come in the order of the items', async () => {
		const worlds = furnishBoth(row);
		const { output, error } = await run(row, worlds);
		expect(error).toBeUndefined();
		expectOnlyOwn(row, worlds);
		if (row.isReport) {
			const groups = output.map(({ pairedItem }) =>
				itemsOf((pairedItem as []).map((each) => ({ pairedItem: each }))),
			);
			expect([groups[0], groups.at(-1)]).toEqual([
				[0, 3, 4],
				[1, 2, 5],
			]);
			return;
		}
		const order = itemsOf(output);
		expect(order).toEqual([...order].sort((a, b) => a - b));
		expect([...new Set(order)]).toEqual([0, 1, 2, 3, 4, 5]);
		for (const [item, { world, index }] of MIXED.entries()) {
			const own = output.filter((_, place) => order[place] === item).map(({ json }) => json);
			if (row.output && !row.isLong) expect(own).toMatchObject(row.output(worlds[world], index));
		}
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'if the key of one workspace is refused, the items of the other are done (%s)',
		async (onError) => {
			const worlds = furnishBoth(row);
			sandboxes[0].revokeKey();
			const { output, failedOutput } = await run(row, worlds, { onError });
			sandboxes[0].restoreKey();
			expectOnlyOwn(row, worlds, [false, true]);
			const isError = onError === 'continueErrorOutput';
			const failed = isError ? failedOutput : output.filter(({ json }) => 'error' in json);
			expect(itemsOf(failed)).toEqual([0, 3, 4]);
			for (const { json } of failed)
				expect(JSON.stringify(json)).toContain('The API key was not accepted');
		},
	);
});

test.each(writing.map((row) => [rowName(row), row] as const))(
	'%s: Retry On Fail does what is left, in the right workspace',
	async (_name, row) => {
		const worlds = furnishBoth(row);
		const { method, path } = row.struck;
		sandboxes[1].fail({ match: { method, path }, kind: { status: 422 }, times: 1 });
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
		const { error } = await run(row, worlds, retry);
		expect(error).toBeUndefined();
		expectOnlyOwn(row, worlds);
	},
);

describe('an item whose credential has no value', () => {
	const get = contactParameters('get', chosen('id', '={{ $json.id }}'));
	const contactIn = (sandbox: Sandbox) =>
		sandbox.store.addContact({ phone: '+4915123456789', name: 'Anna' }).id;
	const start = async (items: IDataObject[], onError?: INode['onError']) =>
		await runNode(sandboxes[0], {
			...{ parameters: get, items, onError, credential: byItem },
			runtime: patientRuntime().runtime,
		});

	test.each([
		['a missing key', { crmKey: undefined }, 'The API key is empty'],
		['a blank key', { crmKey: ' ' }, 'The API key is empty'],
		['a missing address', { crmUrl: null }, 'The base URL is empty'],
	])('%s fails by itself', async (_name, missing, says) => {
		const id = contactIn(sandboxes[0]);
		const good = { id, ...accessTo(sandboxes[0]) };
		const { json } = await start([{ ...good, ...missing }, good], 'continueRegularOutput');
		expect(json).toMatchObject([{ error: `${says} [item 1]` }, { id }]);
		expect(sentLines(sandboxes[0])).toEqual([`GET /v1/contacts/${id}`]);
		// Without 'Continue', nothing is sent: the user can correct the items first.
		for (const sandbox of sandboxes) sandbox.requests.length = 0;
		const { error } = await start([good, { ...good, ...missing }]);
		expect(error?.message).toBe(`${says} [item 2]`);
		expect(error?.description).toMatch('each item needs a value for it');
		expect(sandboxes[0].requests).toEqual([]);
	});

	test('is one error if no item has any', async () => {
		const { error } = await start([{ id: 'x' }, { id: 'y' }]);
		expect(error?.message).toBe('The API key is empty');
	});

	test.each(['https://{{ $json.host }}', '{{ "https://" + $json.host }}'])(
		'sends the key to no host that JavaScript made of it: %s',
		async (address) => {
			const items = [{ id: contactIn(sandboxes[0]) }];
			const credential = { baseUrl: `=${address}`, apiKey: 'a-secret-key' };
			const { error } = await runNode(sandboxes[0], { parameters: get, items, credential });
			expect(error?.message).toMatch(/^The base URL is /);
		},
	);
});

describe('one workspace after the other', () => {
	const upsert = { resource: 'contact', operation: 'upsert', phone: '={{ $json.phone }}' };
	const contactSync: INodeParameters = {
		...{ resource: 'contact', operation: 'sync' },
		columns: { mappingMode: 'autoMapInputData', value: null },
	};
	const itemsWith = (...phones: string[]) =>
		phones.map((phone, index) => ({ phone, ...accessTo(sandboxes[index % 2]) }));
	const start = async (parameters: INodeParameters, items: IDataObject[]) =>
		await runNode(sandboxes[0], {
			...{ parameters, items, credential: byItem },
			runtime: patientRuntime().runtime,
		});

	test('a number that cannot be read in one holds back the other', async () => {
		const { error } = await start(upsert, itemsWith('+4915123456789', 'not a number'));
		expect(error?.message).toMatch(/"not a number".* \[item 2/);
		expect(sandboxes.map(sentLines)).toEqual([[], []]);
	});

	test.each([
		[upsert, /^0 of 2 items were done/],
		[contactSync, /^Item 1 \(.+\): 1 item: 1 failed\..*<br>Item 2 \(.+\): not begun\.<br>/],
	])('after a failure in one, the other is not begun: %j', async (node, says) => {
		sandboxes[0].fail({ match: { method: 'POST' }, kind: { status: 422, detail: 'no' } });
		const { error } = await start(node, itemsWith('+4915123456780', '+4915123456781'));
		expect(error?.description).toMatch(says);
		expect(writes(sandboxes[1])).toEqual([]);
	});

	test("n8n's log names the workspace of a long run by its items", async () => {
		const lines: string[] = [];
		jest.spyOn(nodeLogger(), 'info').mockImplementation((line) => void lines.push(line));
		const parameters = contactParameters('get', chosen('id', '={{ $json.id }}'));
		const items = sandboxes.flatMap((sandbox) =>
			addContacts(sandbox, 300).map(({ id }) => ({ id, ...accessTo(sandbox) })),
		);
		const { error } = await start(parameters, items);
		expect(error).toBeUndefined();
		const of = (first: number, { url }: Sandbox) =>
			`Workspace CRM: Items ${first}, ${first + 1}, ${first + 2} and 297 more (${url}): Get: `;
		expect(lines.map((line) => line.replace(/\d+ of .*/, ''))).toEqual([
			of(1, sandboxes[0]),
			of(301, sandboxes[1]),
		]);
	});
});

test('a workspace whose credential is written in several ways is checked once', async () => {
	const [{ url, apiKey }] = sandboxes;
	const items = ['', '/', '/v1/'].map((end) => ({ crmUrl: `${url}${end}`, crmKey: ` ${apiKey}` }));
	const { output } = await runNode(sandboxes[0], {
		...{ parameters: { resource: 'workspace', operation: 'checkApi' }, items, credential: byItem },
		runtime: patientRuntime().runtime,
	});
	expect(output[0].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	const checks = sentLines(sandboxes[0]).filter((line) => line === 'GET /v1/workspace');
	expect(checks).toHaveLength(1);
});

test('any items in any workspaces: each workspace gets what it would get alone', async () => {
	const update = contactParameters('update', chosen('id', '={{ $json.id }}'), {
		updateFields: { name: '={{ $json.newName }}' },
	});
	const place = fc.record({
		world: fc.integer({ min: 0, max: 1 }),
		contact: fc.integer({ min: 0, max: 3 }),
	});
	await fc.assert(
		fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 8 }), async (places) => {
			for (const sandbox of sandboxes) sandbox.reset();
			const ids = sandboxes.map((sandbox, world) =>
				Array.from(
					{ length: 4 },
					(_, index) => sandbox.store.addContact({ phone: `+4915${world}234567${10 + index}` }).id,
				),
			);
			const items = places.map(({ world, contact }, index) => ({
				...{ id: ids[world][contact], newName: `Name ${index}` },
				...accessTo(sandboxes[world]),
			}));
			const { json } = await runNode(sandboxes[0], {
				...{ parameters: update, items, credential: byItem },
				runtime: patientRuntime().runtime,
			});
			expect(json.map(({ id, name }) => ({ id, name }))).toEqual(
				items.map(({ id, newName }) => ({ id, name: newName })),
			);
			for (const [world, sandbox] of sandboxes.entries()) {
				const own = items.filter((_, index) => places[index].world === world);
				expect(
					sandbox.requests
						.map(({ path, body }) => [path.split('/').at(-1), (body as IDataObject).name])
						.sort(),
				).toEqual(own.map(({ id, newName }) => [id, newName]).sort());
			}
		}),
		{ numRuns: 40 },
	);
});

describe('without an item, an expression that needs one is an error', () => {
	const credentials: Array<[string, IDataObject, RegExp]> = [
		[
			'an address',
			{ baseUrl: '={{ $json.crmUrl }}' },
			/^An expression in the credential has no value here/,
		],
		[
			'a key',
			{ apiKey: '={{ $json.crmKey }}' },
			/^An expression in the credential has no value here/,
		],
		['a blank key', { apiKey: '={{ undefined }}' }, /^The API key is empty/],
	];

	test.each(credentials)('in a publishing and a list: %s', async (_name, credential, says) => {
		const trigger = await startTrigger({ credential });
		await expect(trigger.host.publish()).rejects.toThrow(says);
		expect(trigger.sandbox.requests).toEqual([]);
		await stopTriggers();
		const { searchSegments } = new WorkspaceCrm().methods.listSearch;
		const context = editorContext(sandboxes[0], undefined, credential);
		await expect(searchSegments.call(context)).rejects.toThrow(says);
		expect(sandboxes[0].requests).toEqual([]);
	});
});
