import * as fc from 'fast-check';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { Contact, FaultKind } from '../../tools/sandbox';
import { delay, runInNewContext, setFlagsFromString } from '../../tools/support/platform';
import { crmNode, passThroughNode, startWorkflow } from '../../tools/engine/nodes';
import { contactParameters, sendParameters } from './parameters';
import { runNode } from '../../tools/engine/runNode';
import { addContacts, chosen, patientRuntime, sentLines, useSandbox } from './support';

/** n8n's "Retry On Fail" runs a node again, with all its items, when it failed. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const settings: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 };

let contacts: Contact[];
beforeEach(() => {
	contacts = addContacts(sandbox, 5);
	for (const contact of contacts) contact.tags = ['a', 'b', 'c'];
});

const contactId = chosen('id', '={{ $json.id }}');
const random = '={{ Math.random() + " " + $now.toMillis() }}';
const send = sendParameters(contactId, {
	options: { variables: { values: [{ name: 'code', value: random }] } },
});
const enroll: INodeParameters = {
	resource: 'automation',
	operation: 'enroll',
	automationId: chosen('id', '={{ Math.random() < 0.5 ? "aut_win_back" : "aut_vip_care" }}'),
	contactId,
};
const update = contactParameters('update', contactId, { updateFields: { name: random } });
const erase = contactParameters('delete', contactId);
const untag: INodeParameters = {
	resource: 'tag',
	operation: 'remove',
	contactId,
	tags: '={{ $json.tags ?? "a, b, c" }}',
};

const ids = (count = 5) => contacts.slice(0, count).map(({ id }) => ({ id }));
const pathOf = (item: number) => `/v1/contacts/${contacts[item].id}`;

async function run(
	parameters: INodeParameters,
	items: IDataObject[] = ids(),
	more: Partial<Parameters<typeof runNode>[1]> = {},
) {
	const { runtime } = patientRuntime();
	return await runNode(sandbox, { parameters, items, settings, runtime, ...more });
}

describe('an item that is done', () => {
	test('is not sent again, even if that would be harmless', async () => {
		sandbox.fail({ skip: 2, kind: { status: 422 } });
		const { error, json } = await run(update, ids(3));
		expect(error).toBeUndefined();
		expect(json).toHaveLength(3);
		expect(
			sentLines(sandbox)
				.map((line) => line.slice('PATCH '.length))
				.sort(),
		).toEqual([0, 1, 2, 2].map(pathOf).sort());
	});

	test('says that it was created, although a later step needed another try', async () => {
		const phone = '+4915123456799';
		const additionalFields = { locale: 'de' };
		const upsert = contactParameters('upsert', undefined, { phone, additionalFields });
		sandbox.fail({ match: { method: 'PATCH' }, kind: { status: 422 } });
		const { json } = await run(upsert, [{}]);
		expect(json).toMatchObject([{ created: true, locale: 'de' }]);
		const posts = sentLines(sandbox).filter((line) => line.startsWith('POST'));
		expect(posts).toHaveLength(1);
	});

	test('is read again if it was only read', async () => {
		sandbox.fail({ skip: 1, kind: { status: 422 } });
		sandbox.fail({ skip: 0, kind: { meanwhile: () => (contacts[0].name = 'Later') } });
		const { json } = await run({ ...erase, operation: 'get' }, ids(2));
		expect(json[0].name).toBe('Later');
		expect(sandbox.requests).toHaveLength(4);
	});

	test('is separate for two nodes with the same ID, as copied JSON has them', async () => {
		const nodes = [
			passThroughNode(),
			crmNode(send),
			crmNode({ ...send, contactId: chosen('id', contacts[1].id) }, { name: 'Copy' }),
		];
		const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
		const { data } = await startWorkflow(
			{
				nodes,
				connections: { Start: to('CRM'), CRM: to('Copy') },
				pinData: { Start: [{ json: { id: contacts[0].id } }] },
			},
			{
				credential: { baseUrl: sandbox.url, apiKey: sandbox.apiKey, authHeader: 'bearer' },
				executionId: '7',
			},
		);
		expect(data.resultData.error).toBeUndefined();
		expect(sandbox.store.sentMessages.map(({ contact_id }) => contact_id)).toEqual([
			contacts[0].id,
			contacts[1].id,
		]);
	});
});

describe('a deletion', () => {
	test('hides no error: the last try shows that of the failed item', async () => {
		sandbox.fail({ skip: 1, times: Infinity, kind: { status: 503 } });
		const { error } = await run(erase, ids(4));
		expect(error?.message).toBe('The CRM is having problems right now [item 2]');
	});

	test("of an item's tags is remembered tag by tag", async () => {
		sandbox.fail({ match: { path: /tags\/b$/ }, times: 3, kind: { status: 503 } });
		const { error, json } = await run(untag, ids(2));
		expect(error).toBeUndefined();
		expect(json).toEqual(
			ids(2).map(({ id }) => ({ contact_id: id, removed_tags: ['a', 'b', 'c'] })),
		);
		expect(contacts.slice(0, 2).map(({ tags }) => tags)).toEqual([[], []]);
	});

	test('of a tag in another spelling is not taken for done because another tag failed', async () => {
		contacts[0].tags = ['a', 'Cafe\u0301'];
		sandbox.fail({ match: { path: /tags\/a$/ }, times: 3, kind: { status: 503 } });
		const { json } = await run({ ...untag, tags: 'a, Café' }, ids(1));
		expect(json).toHaveLength(1);
		expect(contacts[0].tags).toEqual([]);
	});

	test('counts as done if its answer was lost in the try before', async () => {
		sandbox.fail({ match: { method: 'DELETE' }, kind: { status: 500, afterEffect: true } });
		sandbox.fail({ match: { method: 'DELETE' }, times: 2, kind: { status: 503 } });
		const { error, json } = await run(erase, ids(1));
		expect(error).toBeUndefined();
		expect(json).toEqual([{ deleted: true }]);
		expect(sandbox.requests).toHaveLength(4);
	});

	test.each([
		['contact', erase, { deleted: true }],
		['tag', { ...untag, tags: 'a' }, { removed_tags: ['a'] }],
	])('of a %s by phone counts as done if its answer was lost', async (_what, parameters, done) => {
		sandbox.fail({ match: { method: 'DELETE' }, kind: { status: 500, afterEffect: true } });
		sandbox.fail({ match: { method: 'DELETE' }, times: 2, kind: { status: 503 } });
		const byPhone = { ...parameters, contactId: chosen('phone', contacts[0].phone) };
		const { error, json } = await run(byPhone, [{}]);
		expect(error).toBeUndefined();
		expect(json).toMatchObject([done]);
	});

	test('by an earlier item is an error for a later one', async () => {
		const { error } = await run(erase, [...ids(1), ...ids(1)]);
		expect(error?.message).toBe(
			'The record does not exist in this workspace: contact not found [item 2]',
		);
	});
});

test('each item is done at most once, and in order, whatever fails in any try', async () => {
	const end = fc.constantFrom<FaultKind | undefined>(
		undefined,
		undefined,
		{ status: 422 },
		{ status: 402 },
		{ status: 500, afterEffect: true },
		{ drop: 'beforeEffect' },
	);
	const runs = fc.record({
		ends: fc.array(end, { maxLength: 12 }),
		parameters: fc.constantFrom(send, enroll),
		count: fc.integer({ min: 1, max: 5 }),
		onError: fc.constantFrom<INode['onError']>('stopWorkflow', 'continueRegularOutput'),
	});
	await fc.assert(
		fc.asyncProperty(runs, async ({ ends, parameters, count, onError }) => {
			sandbox.reset();
			contacts = addContacts(sandbox, 5);
			for (const kind of ends) sandbox.fail({ kind: kind ?? { delayMs: 0 } });
			const { error, json, output } = await run(parameters, ids(count), {
				onError,
				settings: { ...settings, maxTries: 5, waitBetweenTries: 1 },
			});
			const { sentMessages, enrolments } = sandbox.store;
			const reached = [...sentMessages, ...enrolments].map(({ contact_id }) => contact_id);
			expect(new Set(reached).size).toBe(reached.length);
			if (error) return;
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
				ids(count).map((_, item) => ({ item })),
			);
			json.forEach((each, item) => {
				if (each.error) return;
				expect(each.contact_id).toBe(contacts[item].id);
				expect(reached).toContain(contacts[item].id);
			});
		}),
		{ numRuns: 40 },
	);
});

test('no data of a run is kept after n8n dropped the execution', async () => {
	setFlagsFromString('--expose_gc');
	const collect = runInNewContext('gc') as () => void;
	const kept = await (async () => {
		const { json } = await run(send, ids(2), { executionId: 'dropped' });
		return new WeakRef(json[0]);
	})();
	for (let round = 0; round < 5 && kept.deref(); round += 1) {
		await delay(1);
		collect();
	}
	expect(kept.deref()).toBeUndefined();
});
