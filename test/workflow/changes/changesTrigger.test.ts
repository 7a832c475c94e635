import type { IDataObject, NodeApiError } from 'n8n-workflow';

import { systemClock } from '../../../nodes/WorkspaceCrm/n8n/systemClock';
import { PollHost, unlimitedRuntime, type PollHostOptions } from './pollHost';
import { addContact, addContacts, chosen, contactId, sentLines, useSandbox } from '../support';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

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

	test('the first poll only records; then each contact entering or leaving starts the workflow once', async () => {
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

	test('rows that are only IDs give events', async () => {
		sandbox.setShapes({ segmentContacts: 'ids' });
		const host = hostOf(watchSegment);
		await host.publish();
		const { id } = addContact(sandbox, { tags: ['vip'] });
		await host.poll();
		expect(host.events).toEqual([{ event: 'entered', contact: { id }, changed: {} }]);
	});

	test('rows without an ID are an error, and nobody counts as left', async () => {
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

	test('nobody counts as left if the list shifts while it is read, even if the total stays the same', async () => {
		const contacts = addContacts(sandbox, 250, { tags: ['vip'] });
		const host = hostOf(watchSegment);
		await host.publish();
		for (const [index, erased] of [contacts[1], contacts[2]].entries()) {
			// So that the same contact moves to the page before.
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

	test("'Start for Existing Contacts' starts the workflow for each contact already there", async () => {
		addContacts(sandbox, 120, { tags: ['vip'] });
		const host = hostOf({ ...watchSegment, options: { startForExisting: true } });
		await host.publish();
		await host.poll();
		expect(host.events).toHaveLength(120);
	});

	test('refuses events that need fields segment rows may not have', async () => {
		const host = hostOf({ ...SEGMENT, events: ['updated'] });
		const error = await failureOf(host.publish());
		expect(error?.message).toContain(
			'\'Trigger On\' is ["updated"]. It should be one or more of: entered, erased, left.',
		);
		expect(sandbox.requests).toEqual([]);
	});
});

test.each([
	[
		{},
		"'Contacts by Filter' has no filter, so it would watch every contact. Add a filter under 'Filters', or choose 'All Contacts' in 'Watch'.",
	],
	[{ search: ' ' }, "'Search' is empty. Give it a value, or remove it."],
	[{ search: 'a', tag: chosen('list', '') }, "'Tag' is empty. Give it a value, or remove it."],
])('refuses contacts by the filter %j', async (filters, says) => {
	addContact(sandbox);
	const host = hostOf({ watch: 'filter', filters, events: ['entered'] });
	expect((await failureOf(host.publish()))?.message).toContain(says);
	expect(sandbox.requests).toEqual([]);
});

describe('all contacts', () => {
	const watchAll = {
		...ALL,
		events: ['consentChanged', 'entered', 'erased', 'tagAdded', 'tagRemoved', 'updated'],
		fields: ['name', 'attributes'],
	};

	test('an event has what changed and, if erased, what was known before', async () => {
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
		sandbox.store.addTag('new');
		sandbox.store.eraseContact(contact);
		await host.poll(2);
		expect(host.events.at(-1)).toMatchObject({
			event: 'erased',
			contact: { id: contactId },
			changed: {},
			before: { opt_in_status: 'confirmed', tags: ['new'] },
		});
	});

	test('a tag that GET /v1/tags does not list has no name, and campaign marks do not count', async () => {
		const contact = addContact(sandbox, { tags: ['gone'] });
		const host = hostOf(watchAll);
		await host.publish();
		sandbox.store.tags.delete('gone');
		contact.tags = [];
		contact.attributes = { 'sent:spring': 'yes' };
		await host.poll();
		expect(host.events).toMatchObject([{ event: 'tagRemoved', changed: { tag: null } }]);
	});

	test('gives only the chosen events, and not the others later', async () => {
		const contact = addContact(sandbox, { tags: ['old'] });
		const host = hostOf({ ...watchAll, events: ['tagAdded'] });
		await host.publish();
		contact.tags = ['new'];
		addContact(sandbox, { phone: '+493012345678', tags: ['vip'] });
		await host.poll(2);
		expect(host.events).toMatchObject([{ event: 'tagAdded', changed: { tag: 'new' } }]);
		expect(host.events).toHaveLength(1);
	});

	test('a poll with a wrong key fails', async () => {
		addContact(sandbox);
		const host = hostOf(watchAll);
		await host.publish();
		sandbox.revokeKey();
		await host.poll();
		sandbox.restoreKey();
		expect(host.errors).toMatchObject([{ httpCode: '401' }]);
		expect(host.events).toEqual([]);
	});

	test('a test in the editor gives real contacts and the cost, and changes nothing', async () => {
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

	test('between the save and the execution loses the events of that poll, and no others', async () => {
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

	test('with durable cursors, overdue polls with the same cursor repeat nothing', async () => {
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
		'with durable cursors, overdue polls repeat nothing if the clock is set by %d ms',
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
});

test('a poll during another one makes no request', async () => {
	addContact(sandbox);
	const host = hostOf({ ...ALL, events: ['updated'], fields: ['name'] });
	await host.publish();
	sandbox.setLatency(100);
	await Promise.all([host.poll(), host.poll(), host.poll()]);
	expect(sentLines(sandbox).slice(1)).toEqual(['GET /v1/contacts', 'GET /v1/contacts']);
});

describe('another key in the credential', () => {
	const watchAll = { ...ALL, events: ['entered', 'erased'] };

	test('at a wrong address is an error, and nobody counts as erased', async () => {
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

	test('costs one request per key and start of n8n', async () => {
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

	test('a contact missing from the list that still matches has not left', async () => {
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

test('the third poll in a row without an answer in time is an error, and nothing is lost', async () => {
	const contact = addContact(sandbox);
	let isLate = false;
	const signalAfter = (delayMs: number) =>
		systemClock.signalAfter(isLate && delayMs === 27_000 ? 100 : delayMs);
	const runtime = unlimitedRuntime({ ...systemClock, signalAfter });
	const host = hostOf(
		{ ...ALL, events: ['updated'], fields: ['name'] },
		{ runtime, budgetMs: 30_000 },
	);
	await host.publish();
	isLate = true;
	sandbox.setLatency(5_000);
	await host.poll(3);
	isLate = false;
	sandbox.setLatency(0);
	expect(host.errors).toMatchObject([
		{ message: 'The list was not read within the time limit of a poll' },
	]);
	expect(host.log.filter((line) => line.includes('The next poll tries again'))).toHaveLength(2);
	contact.name = 'Not lost';
	await host.poll();
	expect(host.events).toMatchObject([{ contact: { name: 'Not lost' } }]);
});

test('in segments, a failed check of one contact is logged and does not hold up others', async () => {
	const contacts = addContacts(sandbox, 3, { tags: ['vip'] });
	const host = hostOf({ ...SEGMENT, events: ['left'] });
	await host.publish();
	contacts[0].tags = [];
	contacts[1].tags = [];
	sandbox.fail({ match: { path: contacts[0].id }, kind: { status: 409 } });
	await host.poll(2);
	expect(host.events).toMatchObject([{ contact: { id: contacts[1].id } }]);
	expect(host.log.join()).toContain('because of the state of the record');
	await host.poll(2);
	expect(host.events).toMatchObject([{}, { contact: { id: contacts[0].id } }]);
});

test('if a segment is emptied, each contact leaves once, 100 per poll', async () => {
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
