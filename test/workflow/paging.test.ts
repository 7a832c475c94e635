import type { INodeExecutionData, INodeParameters, IPairedItemData } from 'n8n-workflow';

import type { Contact, ListEnvelope } from '../../tools/sandbox';
import { delay } from '../../tools/support/platform';
import { runNode } from '../../tools/engine/runNode';
import { addContact, addContacts, patientRuntime, sent, useSandbox } from './support';

const sandbox = useSandbox();

const listContacts = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'contact',
	operation: 'getAll',
	...more,
});
const all = listContacts({ returnAll: true });

const idsOf = (rows: Array<{ id?: unknown }>) => rows.map(({ id }) => id);
const linkOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as IPairedItemData).item;
const queries = () =>
	sent(sandbox).map(({ query }) => [Number(query?.offset), Number(query?.limit)]);

/** Rewrites every page of a list, or does something while it is on its way. */
function onEachPage(page: (envelope: ListEnvelope) => unknown, skip = 0, times = Infinity) {
	sandbox.fail({ match: { method: 'GET' }, skip, times, kind: { page } });
}

describe('Return All', () => {
	test('reads 1,234 contacts in 13 requests, each once and in order', async () => {
		const contacts = addContacts(sandbox, 1_234);
		const { output } = await runNode(sandbox, { parameters: all });
		expect(idsOf(output.map(({ json }) => json))).toEqual(idsOf(contacts));
		expect(new Set(output.map(linkOf))).toEqual(new Set([0]));
		expect(sandbox.requests).toHaveLength(13);
		expect(queries().sort(([a], [b]) => a - b)).toEqual([
			...Array.from({ length: 13 }, (_, index) => [index * 100, 100]),
		]);
	});

	test.each([
		[99, 1],
		// The total of a full page may be that of the page, so another page is asked for.
		[100, 2],
		[101, 2],
	])('of %d contacts takes exactly %d requests', async (count, requests) => {
		const contacts = addContacts(sandbox, count);
		const { json } = await runNode(sandbox, { parameters: all });
		expect(idsOf(json)).toEqual(idsOf(contacts));
		expect(sandbox.requests).toHaveLength(requests);
	});

	test('of an empty list returns no items and no error', async () => {
		const { output, error, hints } = await runNode(sandbox, { parameters: all });
		expect([output, error, hints]).toEqual([[], undefined, []]);
		expect(sandbox.requests).toHaveLength(1);
	});

	test.each([1, 64])('reads all if the service returns at most %d at a time', async (cap) => {
		sandbox.setLimiter({ kind: 'off' });
		const contacts = addContacts(sandbox, 130);
		onEachPage(({ data, ...envelope }) => ({ ...envelope, limit: cap, data: data.slice(0, cap) }));
		const { runtime } = patientRuntime();
		const { json } = await runNode(sandbox, { parameters: all, runtime });
		expect(idsOf(json)).toEqual(idsOf(contacts));
		expect(sandbox.requests).toHaveLength(Math.ceil(130 / cap));
	});

	test('is an error if the service reports a total that is too high', async () => {
		addContacts(sandbox, 120);
		onEachPage((envelope) => ({ ...envelope, total: 130 }));
		const { runtime } = patientRuntime();
		const { error, output } = await runNode(sandbox, { parameters: all, runtime });
		expect(error).toMatchObject({
			message: 'The list is incomplete: the service reports 130 records, but returned only 120',
			description:
				"Run it again. If this happens again, turn off 'Return All' and set a 'Limit'. The node then outputs the records that the service gives, with a note.",
		});
		expect(output).toEqual([]);
		expect(sandbox.requests.length).toBeLessThan(40);
	});

	test('stops reading after a page failed', async () => {
		addContacts(sandbox, 3_000);
		sandbox.fail({ skip: 2, kind: { status: 422, detail: 'no' } });
		const { error } = await runNode(sandbox, { parameters: all });
		expect(error?.httpCode).toBe('422');
		await delay(200);
		// The first page, sixteen at the same time, and what those had begun meanwhile.
		expect(sandbox.requests.length).toBeLessThanOrEqual(21);
	});

	test.each([
		['missing', undefined],
		['a text', 'many'],
	])('reads to the end of a list whose total is %s', async (_case, total) => {
		const contacts = addContacts(sandbox, 230);
		onEachPage((envelope) => ({ ...envelope, total }));
		const { json, error } = await runNode(sandbox, { parameters: all });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(contacts));
	});

	test('ends if a service without total ignores the offset', async () => {
		addContacts(sandbox, 50);
		onEachPage(() => ({ data: [{ id: 'a' }, { id: 'b' }] }));
		const { json } = await runNode(sandbox, { parameters: all });
		expect(idsOf(json)).toEqual(['a', 'b']);
		expect(sandbox.requests.length).toBeLessThan(10);
	});
});

describe('a list that changes while it is read returns every record that stays, once', () => {
	let contacts: Contact[];
	beforeEach(() => {
		contacts = addContacts(sandbox, 350);
	});

	async function expectAllBut(gone: Contact[], added: Contact[]) {
		const { runtime } = patientRuntime();
		const { json, error } = await runNode(sandbox, { parameters: all, runtime });
		expect(error).toBeUndefined();
		const ids = idsOf(json) as string[];
		expect(new Set(ids).size).toBe(ids.length);
		const stayed = contacts.filter((contact) => !gone.includes(contact));
		const known = new Set(ids);
		expect(stayed.filter(({ id }) => !known.has(id))).toEqual([]);
		expect(added.filter(({ id }) => !known.has(id))).toEqual([]);
	}

	test.each([
		['from the page just read', 99, 0],
		['from the first page, later', 5, 1],
	])('one deleted %s', async (_case, index, skip) => {
		onEachPage(
			(envelope) => {
				sandbox.store.eraseContact(contacts[index]);
				return envelope;
			},
			skip,
			1,
		);
		await expectAllBut([contacts[index]], []);
	});

	test('one deleted and another added, so that the count is the same in the end', async () => {
		sandbox.reset();
		contacts = addContacts(sandbox, 1_000);
		const changes = [() => sandbox.store.eraseContact(contacts[5]), () => addContact(sandbox)];
		onEachPage(
			(envelope) => {
				changes.shift()?.();
				return envelope;
			},
			0,
			2,
		);
		await expectAllBut([contacts[5]], []);
	});
});

describe('Limit', () => {
	beforeEach(() => addContacts(sandbox, 400));

	test.each([
		[1, [[0, 1]]],
		[50, [[0, 50]]],
		[100, [[0, 100]]],
		[
			250,
			[
				[0, 100],
				[100, 100],
				[200, 50],
			],
		],
	])('of %d requests no more than it needs', async (limit, expected) => {
		const { json } = await runNode(sandbox, { parameters: listContacts({ limit }) });
		expect(json).toHaveLength(limit);
		expect(queries()).toEqual(expected);
	});

	test('beyond the end returns what there is, without a note', async () => {
		const { json, hints } = await runNode(sandbox, { parameters: listContacts({ limit: 500 }) });
		expect(json).toHaveLength(400);
		expect(hints).toEqual([]);
	});

	test('cuts an answer that is longer than requested', async () => {
		sandbox.fail({
			kind: { status: 200, body: JSON.stringify(Array.from({ length: 9 }, (_, id) => ({ id }))) },
		});
		const { json } = await runNode(sandbox, { parameters: listContacts({ limit: 4 }) });
		expect(idsOf(json)).toEqual([0, 1, 2, 3]);
	});

	test('returns what came, with a note, if the service reports more', async () => {
		onEachPage((envelope) => ({ ...envelope, data: envelope.offset > 0 ? [] : envelope.data }));
		const { runtime } = patientRuntime();
		const { json, hints } = await runNode(sandbox, {
			parameters: listContacts({ limit: 250 }),
			runtime,
		});
		expect(json).toHaveLength(100);
		expect(hints).toEqual([
			'The list is incomplete: the service reports 400 records, but returned only 100.',
		]);
	});
});

test('each input item gets its own list, linked to it', async () => {
	addContacts(sandbox, 130, { tags: ['many'] });
	addContact(sandbox, { name: 'Single', tags: ['one'] });
	const { output } = await runNode(sandbox, {
		parameters: listContacts({ returnAll: true, filters: { tag: '={{ $json.tag }}' } }),
		items: [{ tag: 'one' }, { tag: 'none' }, { tag: 'many' }, { tag: 'one' }],
	});
	const links = output.map(linkOf);
	expect(links).toEqual([0, ...Array<number>(130).fill(2), 3]);
	expect(output[0].json.name).toBe('Single');
	expect(output[131].json.name).toBe('Single');
});

test('two input items can read the same list', async () => {
	const contacts = addContacts(sandbox, 3);
	const { json } = await runNode(sandbox, { parameters: all, items: [{}, {}] });
	expect(idsOf(json)).toEqual([...idsOf(contacts), ...idsOf(contacts)]);
});

test('a limit ends a list that grows faster than it is read', async () => {
	let served = 0;
	onEachPage((envelope) => {
		const data = Array.from({ length: 5_000 }, () => ({ id: `${(served += 1)}` }));
		return { ...envelope, data, total: served + 5_000 };
	});
	const { json } = await runNode(sandbox, { parameters: listContacts({ limit: 7_000 }) });
	expect(json).toHaveLength(7_000);
});
