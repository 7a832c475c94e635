import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { TriggerMemory, processMemories } from '../../nodes/WorkspaceCrm/trigger/storage';
import { systemClock } from '../../nodes/WorkspaceCrm/api/clock';

import { PollHost, unlimitedRuntime, type PollHostOptions } from './pollHost';
import { addContact, addContacts, chosen, contactId, sentLines, useSandbox } from './support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

const elsewhere = useSandbox({
	limiter: { kind: 'off' },
	apiKey: 'key-of-another-workspace',
	workspace: { id: 'b7a0c6de-31f5-4f8a-8f0e-5d9f60c1e002', name: 'Another Workspace' },
});

const SEGMENT = { watch: 'segment', segmentId: chosen('id', 'seg_test') };
const ALL = { watch: 'all' };

function hostOf(parameters: PollHostOptions['parameters'], others: Partial<PollHostOptions> = {}) {
	sandbox.store.segments.push({ id: 'seg_test', name: 'Test', rule: { tag: 'vip' } });
	return new PollHost(sandbox, { parameters, runtime: unlimitedRuntime(), ...others });
}

const failureOf = async (promise: Promise<unknown>) =>
	await promise.then(
		() => undefined,
		(error: NodeApiError) => error,
	);

describe('a segment', () => {
	const watchSegment = { ...SEGMENT, events: ['entered', 'left', 'erased'] };

	test('the first poll takes stock; who enters and leaves then starts the workflow, once', async () => {
		const [one, two] = addContacts(sandbox, 3, { tags: ['vip'] });
		const host = hostOf(watchSegment);
		await host.publish();
		await host.poll();
		expect(host.events).toEqual([]);

		const late = addContact(sandbox, { phone: '+4915123456700', tags: ['vip'] });
		one.tags = [];
		sandbox.store.eraseContact(two);
		await host.poll();
		expect(host.events).toMatchObject([{ event: 'entered', contact: { id: late.id } }]);
		await host.poll(3);
		expect(host.events.slice(1)).toMatchObject([
			{ event: 'left', contact: { id: one.id, phone: one.phone }, changed: {} },
			{ event: 'erased', contact: { id: two.id }, changed: {} },
		]);
		expect(host.events).toHaveLength(3);
		expect(host.errors).toEqual([]);
	});

	test('rows that are only ids give events, too', async () => {
		sandbox.setShapes({ segmentContacts: 'ids' });
		const host = hostOf(watchSegment);
		await host.publish();
		const { id } = addContact(sandbox, { tags: ['vip'] });
		await host.poll();
		expect(host.events).toEqual([{ event: 'entered', contact: { id }, changed: {} }]);
	});

	test('rows without an ID are an error, and take nobody out', async () => {
		const contact = addContact(sandbox, { tags: ['vip'] });
		const host = hostOf(watchSegment);
		await host.publish();
		sandbox.fail({
			match: { path: '/v1/segments/' },
			times: 3,
			kind: { page: (page) => ({ ...page, data: [{ member: contact.id }] }) },
		});
		await host.poll(4);
		expect(host.events).toEqual([]);
		expect(host.errors).toMatchObject([
			{ message: 'The service lists a contact without an ID, so lists cannot be compared' },
		]);
	});

	test('a list that lacks rows it counts takes nobody out', async () => {
		const [gone] = addContacts(sandbox, 3, { tags: ['vip'] });
		const host = hostOf(watchSegment);
		await host.publish();
		sandbox.fail({
			match: { path: '/v1/segments/' },
			times: Infinity,
			kind: { page: (page) => ({ ...page, data: page.offset > 0 ? [] : page.data.slice(0, 1) }) },
		});
		await host.poll(3);
		expect(host.events).toEqual([]);
		sandbox.clearFaults();
		gone.tags = [];
		await host.poll(2);
		expect(host.events).toMatchObject([{ event: 'left', contact: { id: gone.id } }]);
	});

	test('a list that shifts while it is read takes nobody out, though the count is the same in the end', async () => {
		const contacts = addContacts(sandbox, 250, { tags: ['vip'] });
		const host = hostOf(watchSegment);
		await host.publish();
		for (const [index, erased] of [contacts[1], contacts[2]].entries()) {
			// So that the same contact slips into the page before.
			if (index > 0) addContact(sandbox, { tags: ['vip'], created_at: '2020-01-01T00:00:00.000Z' });
			const changes = [
				() => sandbox.store.eraseContact(erased),
				() => addContact(sandbox, { phone: `+4930123450${index}`, tags: ['vip'] }),
			];
			// One after the first page, the other after the second.
			for (const meanwhile of changes) {
				sandbox.fail({ match: { path: '/v1/segments/' }, kind: { meanwhile } });
			}
			await host.poll();
		}
		await host.poll(3);
		const names = host.events.map(({ event }) => event).sort();
		expect(names).toEqual(['entered', 'entered', 'entered', 'erased', 'erased']);
	});

	test('an option starts the workflow for all that are there', async () => {
		addContacts(sandbox, 120, { tags: ['vip'] });
		const host = hostOf({ ...watchSegment, options: { startForExisting: true } });
		await host.publish();
		await host.poll();
		expect(host.events).toHaveLength(120);
	});

	test('events of its rows that are not stated are refused', async () => {
		const host = hostOf({ ...SEGMENT, events: ['updated'] });
		const error = await failureOf(host.publish());
		expect(error?.message).toContain(
			'\'Trigger On\' is ["updated"]. It should be one or more of: entered, erased, left.',
		);
		expect(sandbox.requests).toEqual([]);
	});
});

describe('all contacts', () => {
	const watchAll = {
		...ALL,
		events: ['consentChanged', 'entered', 'erased', 'tagAdded', 'tagRemoved', 'updated'],
		fields: ['name', 'attributes'],
	};

	test('says what changed, and what it knows of before', async () => {
		const contact = addContact(sandbox, { id: contactId, name: 'A', tags: ['old'] });
		const host = hostOf(watchAll);
		await host.publish();
		Object.assign(contact, { name: 'B', opt_in_status: 'confirmed', tags: ['new'] });
		await host.poll();
		expect(host.events.map(({ event, changed }) => [event, changed])).toEqual([
			['updated', { fields: ['name'] }],
			['consentChanged', { opt_in_status: { from: 'none', to: 'confirmed' } }],
			['tagAdded', { tag: 'new' }],
			['tagRemoved', { tag: 'old' }],
		]);
		expect(host.events[0].contact).toMatchObject({ id: contactId, name: 'B' });
		expect(sentLines(sandbox).slice(1)).toEqual([
			'GET /v1/contacts',
			'GET /v1/contacts',
			'GET /v1/tags',
		]);
		sandbox.store.eraseContact(contact);
		await host.poll(2);
		expect(host.events.at(-1)).toMatchObject({
			event: 'erased',
			contact: { id: contactId },
			changed: {},
			before: { opt_in_status: 'confirmed' },
		});
	});

	test("a tag that GET /v1/tags does not list stays unnamed, and marks of campaigns don't count", async () => {
		const contact = addContact(sandbox, { tags: ['gone'] });
		const host = hostOf(watchAll);
		await host.publish();
		sandbox.store.tags.delete('gone');
		contact.tags = [];
		contact.attributes = { 'sent:spring': 'yes' };
		await host.poll();
		expect(host.events).toMatchObject([{ event: 'tagRemoved', changed: { tag: null } }]);
	});

	test('gives only the events that are chosen; the others do not come later', async () => {
		const contact = addContact(sandbox, { tags: ['old'] });
		const host = hostOf({ ...watchAll, events: ['tagAdded'] });
		await host.publish();
		contact.tags = ['new'];
		addContact(sandbox, { phone: '+493012345678', tags: ['vip'] });
		await host.poll(2);
		expect(host.events).toMatchObject([{ event: 'tagAdded', changed: { tag: 'new' } }]);
		expect(host.events).toHaveLength(1);
	});

	test('a list without a total is read to its end', async () => {
		const contacts = addContacts(sandbox, 250);
		sandbox.fail({
			match: { path: '/v1/contacts' },
			times: Infinity,
			kind: { page: ({ data }) => ({ data }) },
		});
		const host = hostOf(watchAll);
		await host.publish();
		contacts[249].name = 'B';
		await host.poll(2);
		expect(host.events).toMatchObject([{ event: 'updated', contact: { name: 'B' } }]);
		expect(host.events).toHaveLength(1);
	});

	test('a failed page gives no event, and the next poll gives them all', async () => {
		const contacts = addContacts(sandbox, 250);
		const host = hostOf(watchAll);
		await host.publish();
		contacts[0].name = 'first page';
		contacts[249].name = 'last page';
		sandbox.fail({ match: { path: '/v1/contacts' }, skip: 1, kind: { status: 422 } });
		await host.poll();
		expect(host.events).toEqual([]);
		await host.poll();
		expect(host.events).toMatchObject([
			{ contact: { name: 'first page' } },
			{ contact: { name: 'last page' } },
		]);
	});

	test('a poll that learns nothing fails, in the words of the other nodes', async () => {
		addContact(sandbox);
		const host = hostOf(watchAll);
		await host.publish();
		sandbox.revokeKey();
		await host.poll();
		sandbox.restoreKey();
		expect(host.errors).toMatchObject([{ httpCode: '401' }]);
		expect(host.events).toEqual([]);
	});

	test('empty answers take out nobody whose ID still gives the contact', async () => {
		const contacts = addContacts(sandbox, 130);
		const host = hostOf(watchAll);
		await host.publish();
		sandbox.fail({
			match: { path: /^\/v1\/contacts$/ },
			times: 5,
			kind: { page: (page) => ({ ...page, data: [], total: 0 }) },
		});
		await host.poll(5);
		contacts[3].name = 'B';
		await host.poll(3);
		expect(host.events).toMatchObject([{ event: 'updated', contact: { name: 'B' } }]);
		expect(host.events).toHaveLength(1);
	});

	test('publishing after a pause takes stock anew; a start compares', async () => {
		const contact = addContact(sandbox, { name: 'A' });
		const host = hostOf(watchAll);
		await host.publish();
		contact.name = 'B';
		await host.restart();
		expect(host.events).toHaveLength(1);
		contact.name = 'C';
		await host.publish('activate');
		await host.poll(2);
		expect(host.events).toHaveLength(1);
		contact.name = 'D';
		await host.poll();
		expect(host.events).toHaveLength(2);
	});

	test('another list is another stock', async () => {
		addContacts(sandbox, 3, { opt_in_status: 'confirmed' });
		addContact(sandbox);
		const host = hostOf({
			watch: 'filter',
			filters: { optInStatus: 'confirmed' },
			events: ['entered', 'left'],
		});
		await host.publish();
		host.options.parameters = watchAll;
		await host.publish('update');
		await host.poll();
		expect(host.events).toEqual([]);
	});

	test('the test in the editor gives real contacts, what it costs, and changes nothing', async () => {
		addContacts(sandbox, 250);
		const host = hostOf(watchAll);
		await host.publish();
		expect(host.log).toEqual(['Changes: first poll: 250 contacts, the workflow starts for 0']);
		const { stored } = host;
		const items = (await host.test()) ?? [];
		expect(items.map(({ json }) => json.event)).toEqual(watchAll.events);
		expect(items[0].json).toMatchObject({
			contact: { name: 'Contact 0' },
			changed: {},
			sample: {
				contacts: 250,
				cost: 'Polling every minute uses 3 of your 120 requests per minute',
			},
		});
		expect(host.stored).toBe(stored);
	});

	test('10,000 contacts of 50,000: exactly what changed, with 100 requests a poll', async () => {
		addContacts(sandbox, 40_000);
		const listed = addContacts(sandbox, 10_000, { tags: ['vip', 'one', 'two'] });
		const fields = ['attributes', 'last_inbound_at', 'locale', 'name', 'source'];
		const filters = { tag: chosen('name', 'vip') };
		const events = [...watchAll.events, 'left'];
		const host = hostOf({ watch: 'filter', filters, events, fields });
		await host.publish();
		// As docs/changes.md says.
		expect(Math.round(host.stored.length / 10_000)).toBe(88);
		const changed = listed.filter((_, index) => index % 100 === 7);
		changed.forEach((contact) => (contact.name = 'Changed'));
		sandbox.requests.length = 0;
		await host.poll();
		expect(sandbox.requests).toHaveLength(100);
		expect(host.events.map(({ event, contact }) => [event, (contact as IDataObject).id])).toEqual(
			changed.map(({ id }) => ['updated', id]),
		);
		addContact(sandbox, { tags: ['vip'] });
		await host.poll();
		expect(host.errors).toMatchObject([
			{ message: 'The list is too long: it has more than 10,000 records' },
		]);
		expect(host.events).toHaveLength(changed.length);
	});

	test('more than 10,000 contacts are refused, with what to do', async () => {
		addContact(sandbox);
		const host = hostOf(watchAll);
		sandbox.fail({
			match: { path: '/v1/contacts' },
			kind: { page: (page) => ({ ...page, total: 10_001 }) },
		});
		const error = await failureOf(host.publish());
		expect(error?.message).toBe(
			'The list is too long: it has more than 10,000 records. The node can compare only complete lists of at most 10,000 contacts. For a longer list, watch a segment or use a filter.',
		);
	});
});

describe('a kill of n8n', () => {
	const watchNames = { ...ALL, events: ['updated'], fields: ['name'] };
	const kill = () => {
		throw new Error('killed');
	};

	test('after the save and before the execution loses the events of that poll, and no others', async () => {
		const contact = addContact(sandbox);
		const host = hostOf(watchNames);
		await host.publish();
		contact.name = 'lost';
		host.onStart = kill;
		await host.poll();
		host.onStart = () => {};
		await host.restart();
		expect(host.events).toEqual([]);
		contact.name = 'noticed';
		await host.poll();
		expect(host.events).toMatchObject([{ contact: { name: 'noticed' } }]);
	});

	test('with durable cursors, nothing is lost and nothing comes twice', async () => {
		const contact = addContact(sandbox);
		const host = hostOf(watchNames, { isDurable: true });
		await host.publish();
		await host.poll();
		contact.name = 'kept';
		host.onStart = kill;
		await host.poll();
		host.onStart = () => {};
		await host.restart();
		await host.poll(2);
		expect(host.events).toMatchObject([{ contact: { name: 'kept' } }]);
		expect(host.events).toHaveLength(1);
	});

	test('with durable cursors, overdue polls that read their cursors at once repeat nothing', async () => {
		const contact = addContact(sandbox);
		const host = hostOf(watchNames, { isDurable: true });
		await host.publish();
		await host.poll();
		contact.name = 'once';
		await host.restart();
		await host.pollOverdue(3);
		contact.name = 'again';
		await host.poll();
		expect(host.events.map(({ contact: told }) => (told as IDataObject).name)).toEqual([
			'once',
			'again',
		]);
	});

	test.each([-3_600_000, 3_600_000])(
		'with durable cursors, overdue polls repeat nothing when the clock is set by %d ms',
		async (jumpMs) => {
			let isSet = false;
			const now = () => systemClock.now() + (isSet ? jumpMs : 0);
			const runtime = unlimitedRuntime({ ...systemClock, now });
			const contact = addContact(sandbox);
			const host = hostOf(watchNames, { isDurable: true, runtime });
			await host.publish();
			await host.poll();
			contact.name = 'once';
			host.onStart = () => (isSet = true);
			await host.pollOverdue(3);
			expect(host.events).toMatchObject([{ contact: { name: 'once' } }]);
			expect(host.events).toHaveLength(1);
		},
	);

	test('with durable cursors, events that n8n threw away come again, half a minute later', async () => {
		let laterMs = 0;
		const elapsedMs = () => systemClock.elapsedMs() + laterMs;
		const clock = { ...systemClock, elapsedMs };
		const runtime = unlimitedRuntime(clock);
		const contact = addContact(sandbox);
		const host = hostOf(watchNames, { isDurable: true, runtime });
		await host.publish();
		await host.poll();
		contact.name = 'due';
		host.onStart = kill;
		await host.poll();
		host.onStart = () => {};
		await host.poll();
		expect(host.events).toEqual([]);
		laterMs = 30_000;
		await host.poll(2);
		expect(host.events).toMatchObject([{ contact: { name: 'due' } }]);
		expect(host.events).toHaveLength(1);
	});

	test('with durable cursors, the stock that publishing took counts, though n8n does not save it', async () => {
		const contact = addContact(sandbox);
		const host = hostOf(watchNames, { isDurable: true });
		await host.publish();
		await host.poll();
		contact.name = 'in the pause';
		await host.publish('activate');
		await host.poll();
		expect(host.events).toEqual([]);
		contact.name = 'B';
		await host.poll(2);
		expect(host.events).toMatchObject([{ contact: { name: 'B' } }]);
		expect(host.events).toHaveLength(1);
	});
});

test('a poll while the last one is under way starts nothing and asks for nothing', async () => {
	addContact(sandbox);
	const host = hostOf({ ...ALL, events: ['updated'], fields: ['name'] });
	await host.publish();
	sandbox.setLatency(100);
	await Promise.all([host.poll(), host.poll(), host.poll()]);
	expect(sentLines(sandbox).slice(1)).toEqual(['GET /v1/contacts', 'GET /v1/contacts']);
});

test('a webhook trigger of the workflow keeps its newest subscription when this node saves', async () => {
	const contact = addContact(sandbox);
	const host = hostOf({ ...ALL, events: ['updated'], fields: ['name'] });
	await host.publish();
	const memory = new TriggerMemory(systemClock);
	memory.staticDataKey = 'node:Trigger';
	const own = {
		id: 'sub',
		secret: 'new',
		url: 'https://n8n',
		events: ['x'],
		owner: 'us',
		workspace: 'w',
	};
	memory.subscription = { ...own, othersIds: [], storedAtMs: 1 };
	processMemories.set('workflow-1 trigger', memory);
	contact.name = 'B';
	await host.poll();
	processMemories.clear();
	expect(JSON.parse(host.stored)).toMatchObject({
		'node:Trigger': { subscription: { id: 'sub', secret: 'new' } },
	});
});

describe('another key in the credential', () => {
	const watchAll = { ...ALL, events: ['entered', 'erased'] };

	test('of another workspace: stock is taken anew, and nobody counts as entered or erased', async () => {
		addContacts(sandbox, 3);
		const host = hostOf(watchAll);
		await host.publish();
		addContacts(elsewhere, 4);
		host.useCredentialOf(elsewhere);
		await host.poll(8);
		expect(host.events).toEqual([]);
		expect(host.errors).toEqual([]);
		const { id } = addContact(elsewhere, { phone: '+4915123456701' });
		await host.poll();
		expect(host.events).toMatchObject([{ event: 'entered', contact: { id } }]);
	});

	test('of the same workspace: nothing is lost', async () => {
		addContacts(sandbox, 3);
		const host = hostOf(watchAll);
		await host.publish();
		const { id } = addContact(sandbox, { phone: '+4915123456701' });
		host.useCredentialOf({
			url: sandbox.url.replace('127.0.0.1', 'localhost'),
			apiKey: sandbox.apiKey,
		});
		await host.poll();
		expect(host.events).toMatchObject([{ event: 'entered', contact: { id } }]);
	});

	test('to a wrong address: it is said, and nobody counts as erased', async () => {
		addContacts(sandbox, 3);
		const host = hostOf(watchAll);
		await host.publish();
		host.useCredentialOf({ url: `${sandbox.url}/elsewhere`, apiKey: sandbox.apiKey });
		await host.poll(8);
		expect(host.errors).toHaveLength(8);
		host.useCredentialOf(sandbox);
		await host.poll();
		expect(host.events).toEqual([]);
	});

	test('costs one request for each key, after a start of n8n', async () => {
		const host = hostOf(watchAll);
		await host.publish();
		await host.poll(2);
		await host.restart();
		const paths = sandbox.requests.map((request) => request.path);
		const [asked, read] = ['/v1/workspace', '/v1/contacts'];
		expect(paths).toEqual([asked, read, read, read, asked, read]);
	});
});

describe('a filter', () => {
	const watchTag = { watch: 'filter', filters: { tag: chosen('name', 'vip') }, events: ['left'] };

	test('a contact that the list has lost, but that still matches, has not left', async () => {
		const contacts = addContacts(sandbox, 3, { tags: ['vip'] });
		const host = hostOf(watchTag);
		await host.publish();
		sandbox.fail({
			match: { path: /^\/v1\/contacts$/ },
			times: 5,
			kind: { page: (page) => ({ ...page, data: page.data.slice(0, 2), total: 2 }) },
		});
		await host.poll(5);
		expect(host.events).toEqual([]);
		// It is asked for by its id, but not at each poll.
		const asked = sandbox.requests.filter(({ path }) => path.includes(contacts[2].id));
		expect([1, 2]).toContain(asked.length);
		contacts[1].tags = [];
		await host.poll(2);
		expect(host.events).toMatchObject([{ event: 'left', contact: { id: contacts[1].id } }]);
	});
});

test('a poll without an answer in its time is an error from the third in a row, and loses nothing', async () => {
	const contact = addContact(sandbox);
	const host = hostOf({ ...ALL, events: ['updated'], fields: ['name'] }, { budgetMs: 300 });
	await host.publish();
	sandbox.setLatency(5_000);
	await host.poll(3);
	sandbox.setLatency(0);
	expect(host.errors).toMatchObject([
		{ message: 'The service did not answer within the time limit of a poll' },
	]);
	expect(host.log.filter((line) => line.includes('The next poll tries again'))).toHaveLength(2);
	contact.name = 'Not lost';
	await host.poll();
	expect(host.events).toMatchObject([{ contact: { name: 'Not lost' } }]);
});

test('in segments, a failed check of one contact holds up no other, and is said', async () => {
	const contacts = addContacts(sandbox, 3, { tags: ['vip'] });
	const host = hostOf({ ...SEGMENT, events: ['left'] });
	await host.publish();
	contacts[0].tags = [];
	contacts[1].tags = [];
	sandbox.fail({ match: { path: contacts[0].id }, kind: { status: 409 } });
	await host.poll(2);
	expect(host.events).toMatchObject([{ contact: { id: contacts[1].id } }]);
	expect(host.log.join()).toContain('The request conflicts');
	await host.poll(2);
	expect(host.events).toMatchObject([{}, { contact: { id: contacts[0].id } }]);
});

test('an emptied segment: each contact has left once, 100 in a poll', async () => {
	const contacts = addContacts(sandbox, 150, { tags: ['vip'] });
	const host = hostOf({ ...SEGMENT, events: ['left'] });
	await host.publish();
	for (const contact of contacts) contact.tags = [];
	await host.poll();
	sandbox.requests.length = 0;
	await host.poll();
	expect(sandbox.requests).toHaveLength(101);
	expect(host.events).toHaveLength(100);
	await host.poll();
	expect(new Set(host.events.map(({ contact }) => (contact as { id: string }).id)).size).toBe(150);
	expect(host.events).toHaveLength(150);
});
