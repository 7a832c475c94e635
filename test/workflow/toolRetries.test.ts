import * as fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Contact, FaultKind } from '../sandbox';
import type { Calls } from './agent';
import { fromModel, runAgent, toolNode } from './runAgent';
import { addContacts, chosen, useSandbox } from './support';

/**
 * "Retry On Fail" of a tool: n8n's engine repeats the node, or, where an agent calls the tool itself,
 * n8n-core repeats the function. Each call of the model counts by itself.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 5 };
const ways: Array<Calls['by']> = ['engine', 'function', 'functionAtOnce', 'batch'];

let contacts: Contact[];
beforeEach(() => {
	contacts = addContacts(sandbox, 3);
	for (const contact of contacts) contact.tags = ['a', 'b', 'c'];
});

const contactId = chosen('id', fromModel('Contact'));
const send: INodeParameters = {
	resource: 'message',
	operation: 'sendTemplate',
	contactId,
	template: chosen('name', 'welcome'),
	variables: { values: [{ name: 'code', value: '={{ Math.random() }}' }] },
};
const enroll: INodeParameters = {
	resource: 'automation',
	operation: 'enroll',
	automationId: chosen('id', 'aut_win_back'),
	contactId,
};
const subscribe: INodeParameters = {
	resource: 'subscription',
	operation: 'create',
	url: '=https://example.com/{{ $fromAI("Contact") }}/{{ Math.random() }}',
	events: ['tag.added'],
};
const erase: INodeParameters = { resource: 'contact', operation: 'delete', contactId };
const tags: INodeParameters = { resource: 'tag', contactId, tags: fromModel('Tags') };
const update: INodeParameters = {
	resource: 'contact',
	operation: 'update',
	contactId,
	updateFields: { name: fromModel('Name') },
};
const sync: INodeParameters = {
	resource: 'contact',
	operation: 'sync',
	columns: {
		mappingMode: 'defineBelow',
		value: { phone: fromModel('Phone'), name: fromModel('Name') },
		schema: [],
	},
};

async function call(parameters: INodeParameters, by: Calls['by'], ...values: IDataObject[]) {
	return await runAgent(sandbox, [toolNode(parameters, retries)], { by, values });
}

const reached = () => sandbox.store.sentMessages.map(({ contact_id }) => contact_id);

describe.each(ways)('a tool called by way of %s', (by) => {
	const count = () => {
		const { sentMessages, enrolments, subscriptions } = sandbox.store;
		return sentMessages.length + enrolments.length + subscriptions.size;
	};

	describe.each([
		['message', send],
		['enrolment', enroll],
		['subscription', subscribe],
	])('makes one %s', (_name, parameters) => {
		test('also when the answer of each try would be lost', async () => {
			sandbox.fail({ times: 3, kind: { drop: 'afterEffect' } });
			const [{ error }] = await call(parameters, by, { Contact: contacts[0].id });
			expect(error).toMatch('The connection to the service broke before its answer arrived');
			expect(error).toMatch('The request may have taken effect');
			expect(count()).toBe(1);
			expect(sandbox.requests).toHaveLength(1);
		});

		test('also after a try that failed', async () => {
			sandbox.fail({ kind: { status: 422 } });
			const [{ error }] = await call(parameters, by, { Contact: contacts[0].id });
			expect(error).toBeUndefined();
			expect(count()).toBe(1);
			expect(sandbox.requests).toHaveLength(2);
		});

		test('for each of two calls with the same arguments', async () => {
			sandbox.fail({ times: 2, kind: { drop: 'afterEffect' } });
			const values = { Contact: contacts[0].id };
			expect(await call(parameters, by, values, values)).toHaveLength(2);
			expect(sandbox.requests).toHaveLength(2);
			// Nobody can be enrolled twice.
			expect(count()).toBe(parameters === enroll ? 1 : 2);
		});
	});

	test('erases a contact, also when its answer was lost in the last try before', async () => {
		sandbox.fail({ kind: { status: 500, afterEffect: true } });
		sandbox.fail({ times: 2, kind: { status: 503 } });
		const { id } = contacts[0];
		expect(await call(erase, by, { Contact: id })).toEqual([{ id, deleted: true }]);
		expect([...sandbox.store.contacts.keys()]).toEqual(contacts.slice(1).map((each) => each.id));
	});

	test('says that a contact is missing which an earlier call erased', async () => {
		const values = { Contact: contacts[0].id };
		const answers = await call(erase, by === 'batch' ? 'function' : by, values, values);
		expect(answers.filter(({ deleted }) => deleted)).toHaveLength(1);
		expect(answers.at(-1)?.error).toMatch('The record does not exist in this workspace');
	});

	test('removes tags, though one of them takes another try', async () => {
		sandbox.fail({ match: { path: /tags\/b$/ }, times: 3, kind: { status: 503 } });
		const [{ id }] = contacts;
		const remove = { ...tags, operation: 'remove' };
		const answer = await call(remove, by, { Contact: id, Tags: 'a, b, c' });
		expect(answer).toEqual([{ contact_id: id, removed_tags: ['a', 'b', 'c'] }]);
		expect(contacts[0].tags).toEqual([]);
	});

	test.each<[string, INodeParameters, IDataObject, Partial<Contact>]>([
		['tags added', { ...tags, operation: 'add' }, { Tags: 'd' }, { tags: ['a', 'b', 'c', 'd'] }],
		['an update', update, { Name: 'Anna' }, { name: 'Anna' }],
		['a sync', sync, { Name: 'Anna' }, { name: 'Anna' }],
	])('has %s stay the same when it is repeated', async (_name, parameters, values, expected) => {
		sandbox.fail({ skip: 0, kind: { drop: 'afterEffect' } });
		sandbox.fail({ times: 2, kind: { status: 503 } });
		const [{ id, phone }] = contacts;
		const [{ error }] = await call(parameters, by, { Contact: id, Phone: phone, ...values });
		expect(error).toBeUndefined();
		expect(contacts[0]).toMatchObject(expected);
		expect(sandbox.store.contacts.size).toBe(3);
	});
});

test('a sync of one contact tells the model why it failed', async () => {
	const [{ error }] = await call(sync, 'engine', { Phone: 'nobody', Name: 'Anna' });
	expect(error).toMatch(/^The phone number contains characters that no phone number has/);
	expect(sandbox.requests).toEqual([]);
});

describe('of the calls of a batch, for which n8n reads the arguments of the first', () => {
	const values = () => contacts.map(({ id }) => ({ Contact: id }));

	test('only the first is done', async () => {
		const calls: Calls = { by: 'batch', values: values() };
		const answers = await runAgent(sandbox, [toolNode(send)], calls);
		expect(reached()).toEqual([contacts[0].id]);
		for (const { error } of answers.slice(1)) {
			expect(error).toMatch('n8n mixed up the arguments of this tool call with those of another');
		}
	});

	test('the others are done when n8n tries again', async () => {
		await call(send, 'batch', ...values());
		expect(reached().sort()).toEqual(contacts.map(({ id }) => id).sort());
	});
});

test('each call does its work at most once, and as it was told, whatever fails in whatever try', async () => {
	const end = fc.constantFrom<FaultKind | undefined>(
		undefined,
		undefined,
		{ status: 422 },
		{ status: 402 },
		{ status: 500, afterEffect: true },
		{ drop: 'afterEffect' },
		{ drop: 'beforeEffect' },
	);
	const runs = fc.record({
		ends: fc.array(end, { maxLength: 9 }),
		parameters: fc.constantFrom(send, enroll),
		by: fc.constantFrom(...ways),
		called: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 4 }),
	});
	await fc.assert(
		fc.asyncProperty(runs, async ({ ends, parameters, by, called }) => {
			sandbox.reset();
			contacts = addContacts(sandbox, 3);
			for (const kind of ends) sandbox.fail({ kind: kind ?? { delayMs: 0 } });
			const ids = called.map((index) => contacts[index].id);
			const answers = await call(parameters, by, ...ids.map((Contact) => ({ Contact })));
			expect(answers).toHaveLength(ids.length);
			const { sentMessages, enrolments } = sandbox.store;
			const reached = [...sentMessages, ...enrolments].map(({ contact_id }) => contact_id);
			for (const id of contacts.map((contact) => contact.id)) {
				const isId = (each: unknown) => each === id;
				expect(reached.filter(isId).length).toBeLessThanOrEqual(ids.filter(isId).length);
			}
			answers.forEach(({ error, contact_id }, index) => {
				if (error) return;
				expect(contact_id).toBe(ids[index]);
				expect(reached).toContain(ids[index]);
			});
		}),
		{ numRuns: 60 },
	);
});
