import type { IDataObject } from 'n8n-workflow';

import type { Contact, RecordedRequest } from '../../../../tools/sandbox';
import type { ListEnvelope } from '../../../../tools/sandbox/records';
import { detailsOf, type NodeRun } from '../../../../tools/engine/runNode';
import { addContact, addContacts, jumpingClock, sent, useSandbox, writes } from '../../support';
import { createRuntime } from '../../../../nodes/WorkspaceCrm/crm/connection';
import { actionsOf, automatic, itemOf, runSync, syncsOf } from './syncNode';

/** Others change the CRM while a sync runs. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const optOutNote = 'The contact has opted out and was not opted in again.';
const listReads = () =>
	sent(sandbox).filter(({ query }) => query?.opt_in_status === 'opted_out').length;

const looksAt = ({ id }: Contact) =>
	sent(sandbox).filter(({ request }) => request === `GET /v1/contacts/${id}`).length;

/** Lets something happen when a request of this kind has been answered. */
function meanwhile(method: string, skip: number, happen: () => void) {
	sandbox.fail({ match: { method }, skip, kind: { meanwhile: happen } });
}

describe('a contact that opts out while a sync runs', () => {
	const optIn = (items: IDataObject[]) =>
		items.map((item) => ({ ...item, name: 'New', opt_in: true, consent_proof: 'Form' }));

	test.each([
		['that were all read', undefined],
		['that were looked up', 20_000],
	])('is not opted in, among contacts %s', async (_case, total) => {
		const count = 150;
		const contacts = addContacts(sandbox, count);
		const last = contacts[count - 1];
		const page = (envelope: ListEnvelope) => ({ ...envelope, total: total ?? envelope.total });
		sandbox.fail({ match: { method: 'GET' }, kind: { page } });
		meanwhile('PATCH', 0, () => (last.opt_in_status = 'opted_out'));
		meanwhile('POST', 0, () => (last.opt_in_status = 'opted_out'));
		const items = contacts.map(itemOf);
		const { json, error } = await runSync(sandbox, optIn(items));
		expect(error).toBeUndefined();
		expect(last).toMatchObject({ opt_in_status: 'opted_out', name: 'New' });
		expect(syncsOf(json)[count - 1]).toEqual({
			action: 'updated',
			changedFields: ['name'],
			note: optOutNote,
		});
		expect(contacts.slice(0, -1).every((each) => each.opt_in_status === 'confirmed')).toBe(true);
	});

	test('fails if the list of opted-out contacts cannot be read', async () => {
		const contacts = addContacts(sandbox, 150);
		sandbox.fail({ match: { method: 'GET' }, skip: 2, times: 1_000, kind: { status: 422 } });
		const { json } = await runSync(sandbox, optIn(contacts.map(itemOf)), automatic(), {
			onError: 'continueRegularOutput',
		});
		const failed = syncsOf(json).filter(({ action }) => action === 'failed').length;
		expect(failed).toBeGreaterThan(0);
		const optedIn = contacts.filter((contact) => contact.opt_in_status === 'confirmed').length;
		expect(optedIn).toBe(150 - failed);
	});

	test.each([
		['by its phone', () => ({ phone }), 3],
		['by its ID', ({ id }: Contact) => ({ id }), 4],
	])('is not opted in after its request, %s, waited for minutes', async (...row) => {
		const [, named, lastRead] = row;
		const contact = addContact(sandbox, { phone, opt_in_status: 'none' });
		meanwhile('GET', lastRead, () => (contact.opt_in_status = 'opted_out'));
		const headers = { 'retry-after': '120' };
		sandbox.fail({ match: { method: 'POST' }, times: 2, kind: { status: 429, headers } });
		const { json } = await runSync(sandbox, [{ ...named(contact), opt_in: true }]);
		expect(contact.opt_in_status).toBe('opted_out');
		expect(syncsOf(json)).toEqual([{ action: 'unchanged', note: optOutNote }]);
		expect(listReads()).toBe(1);
		// By its ID, it was looked up in the same way.
		expect(looksAt(contact)).toBe(lastRead - 1);
		expect(writes(sandbox)).toHaveLength(1);
	});

	test('is not opted in if it opts out while the request before takes longer than ten seconds', async () => {
		const contact = addContact(sandbox, { phone, opt_in_status: 'none' });
		const clock = jumpingClock();
		meanwhile('PATCH', 0, () => {
			contact.opt_in_status = 'opted_out';
			void clock.sleep(12_000);
		});
		const items = optIn([{ phone }]);
		const { json } = await runSync(sandbox, items, automatic(), { runtime: createRuntime(clock) });
		expect(contact).toMatchObject({ name: 'New', opt_in_status: 'opted_out' });
		expect(syncsOf(json)[0]).toMatchObject({ changedFields: ['name'], note: optOutNote });
		expect(looksAt(contact)).toBe(1);
	});

	test.each<IDataObject>([{ tags: 'new' }, { name: 'New' }])(
		'is not opted in if the answer to %j does not show that it did',
		async (fields) => {
			const contact = addContact(sandbox, { phone, opt_in_status: 'none' });
			const rewrite = () => {
				contact.opt_in_status = 'opted_out';
				return JSON.stringify({ id: contact.id, tags: ['new'] });
			};
			for (const method of ['POST', 'PATCH'])
				sandbox.fail({ match: { method, path: contact.id }, kind: { rewrite } });
			const { json } = await runSync(sandbox, [{ phone, ...fields, opt_in: true }]);
			expect(sandbox.store.consentTrail).toEqual([]);
			expect(syncsOf(json)[0]).toMatchObject({ action: 'updated', note: optOutNote });
			expect(looksAt(contact)).toBe(1);
		},
	);

	test('fails if its request waits for minutes again and again', async () => {
		const contacts = addContacts(sandbox, 20, { opt_in_status: 'none' });
		const headers = { 'retry-after': '60' };
		sandbox.fail({ match: { method: 'POST' }, times: 50, kind: { status: 429, headers } });
		const { error } = await runSync(sandbox, optIn(contacts.map(itemOf)));
		expect(error?.description).toContain('The request waited too long for the rate limit');
		expect(error?.description).toContain('20 items: 20 failed');
		// Five tries for each of the five that run at the same time.
		const tries = writes(sandbox).filter(({ request }) => request.startsWith('POST'));
		expect(tries.length).toBeLessThanOrEqual(25);
	});

	test('counts as saved if the answer to its consent is lost, and then that is outdated', async () => {
		const contact = addContact(sandbox, { phone, opt_in_status: 'none' });
		const headers = { 'retry-after': '30' };
		const kind = { status: 503, headers, afterEffect: true };
		sandbox.fail({ match: { method: 'POST' }, kind });
		const { json } = await runSync(sandbox, [{ phone, opt_in: true }]);
		expect(contact.opt_in_status).toBe('confirmed');
		expect(syncsOf(json)).toEqual([{ action: 'saved' }]);
	});

	test('fails alone, with the reason, if the answer to its consent is lost again and again', async () => {
		const [lost, ...others] = addContacts(sandbox, 60, { opt_in_status: 'none' });
		const kind = { status: 503, headers: { 'retry-after': '30' } };
		sandbox.fail({ match: { method: 'POST' }, times: Infinity, kind });
		const items = [
			...optIn([itemOf(lost)]),
			...others.map((each) => ({ ...itemOf(each), name: 'New' })),
		];
		const { json } = await runSync(sandbox, items, automatic(), {
			onError: 'continueRegularOutput',
		});
		expect(actionsOf(json)).toEqual(['failed', ...others.map(() => 'updated')]);
		expect(json[0].error).toContain('The CRM is having problems right now');
		expect(detailsOf(json[0]).description).toContain('The request may have taken effect');
	});

	test('costs one list of opted-out contacts every ten seconds, if it is new', async () => {
		const items = Array.from({ length: 40 }, (_, index) => ({ phone: `+1312555${1_000 + index}` }));
		const clock = jumpingClock();
		// Ten writes take six seconds each, and nothing else takes any time.
		for (let write = 0; write < 10; write += 1) {
			sandbox.fail({
				match: { method: 'POST' },
				skip: write * 4,
				kind: { meanwhile: () => void clock.sleep(6_000) },
			});
		}
		await runSync(sandbox, optIn(items), automatic(), { runtime: createRuntime(clock) });
		expect(listReads()).toBeGreaterThanOrEqual(2);
		expect(listReads()).toBeLessThanOrEqual(5);
	});

	test('costs one list of opted-out contacts, if all are known', async () => {
		const contacts = addContacts(sandbox, 40);
		await runSync(sandbox, optIn(contacts.map(itemOf)));
		expect(listReads()).toBe(1);
		// The page, the list, and two writes each.
		expect(sandbox.requests).toHaveLength(1 + 1 + 2 * 40);
	});

	test.each([
		['nobody is opted in', automatic(), { name: 'New' }],
		['those may be opted in again', automatic({ optInOptedOut: true }), { opt_in: true }],
		['people are only opted out', automatic(), { opt_in: false }],
	])('costs nothing if %s', async (_case, parameters, fields) => {
		const contacts = addContacts(sandbox, 20);
		await runSync(
			sandbox,
			contacts.map((contact) => ({ ...itemOf(contact), ...fields })),
			parameters,
		);
		expect(listReads()).toBe(0);
	});
});

describe('a new contact, if an opted-out one may have its number', () => {
	// The search for its last digits does not find it: only the list of those who have opted out shows it.
	const national = '(0151) 2345-6001';
	const number = '+4915123456001';
	const rows = [{ phone: number, name: 'Eva', opt_in: true, consent_proof: 'Form' }];
	const continues = { onError: 'continueRegularOutput' } as const;
	beforeEach(() => addContacts(sandbox, 300));

	test.each([{}, { dryRun: true }])('is not opted in: %j', async (options) => {
		const { id } = addContact(sandbox, { phone: national, opt_in_status: 'opted_out' });
		const { json } = await runSync(sandbox, rows, automatic(options), continues);
		expect(actionsOf(json)).toEqual(['consentWithheld']);
		expect(detailsOf(json[0]).description ?? syncsOf(json)[0].note).toContain(id);
		expect(sandbox.store.consentTrail).toEqual([]);
		expect(sandbox.store.findByPhone(number)?.name).toBe(options.dryRun ? undefined : 'Eva');
	});

	test('is not opted in after its request waited for minutes, in which that one opted out', async () => {
		const contact = addContact(sandbox, { phone: national, opt_in_status: 'none' });
		const isList = ({ query }: { query: Record<string, unknown> }) =>
			query.opt_in_status !== undefined;
		const rewrite = (payload: string, request: RecordedRequest) => {
			if (isList(request)) contact.opt_in_status = 'opted_out';
			return payload;
		};
		sandbox.fail({ match: { method: 'GET' }, times: Infinity, kind: { rewrite } });
		const headers = { 'retry-after': '60' };
		sandbox.fail({ match: { method: 'POST' }, kind: { status: 429, headers } });
		const { json } = await runSync(sandbox, rows, automatic(), continues);
		expect(listReads()).toBe(2);
		expect(actionsOf(json)).toEqual(['consentWithheld']);
		expect(sandbox.store.consentTrail).toEqual([]);
	});
});

test('the list of opted-out contacts is as old as its first page', async () => {
	addContacts(sandbox, 101, { opt_in_status: 'opted_out' });
	const clock = jumpingClock();
	// The contacts have two pages, and the list has two.
	meanwhile('GET', 2, () => void clock.sleep(5_000));
	const headers = { 'retry-after': '7' };
	sandbox.fail({ match: { method: 'POST' }, kind: { status: 429, headers } });
	await runSync(sandbox, [{ phone, opt_in: true }], automatic({ missing: 'output' }), {
		runtime: createRuntime(clock),
	});
	expect(listReads()).toBe(4);
});

test('a contact that the first page of a long list shows is not created again if it is deleted', async () => {
	const contacts = addContacts(sandbox, 150);
	const page = (envelope: ListEnvelope) => {
		const { id } = envelope.data[0] as Contact;
		sandbox.store.eraseContact(contacts.find((each) => each.id === id) as Contact);
		return { ...envelope, total: 20_000 };
	};
	sandbox.fail({ match: { method: 'GET' }, kind: { page } });
	const items = contacts.map((each) => ({ ...itemOf(each), source: 'import' }));
	const { json } = await runSync(sandbox, items, automatic(), { onError: 'continueRegularOutput' });
	expect(actionsOf(json).filter((action) => action === 'failed')).toHaveLength(1);
	expect(sandbox.store.contacts.size).toBe(149);
});

describe('a contact that is deleted while a sync runs', () => {
	let contacts: Contact[];
	beforeEach(() => {
		contacts = addContacts(sandbox, 3);
		meanwhile('GET', 0, () => sandbox.store.eraseContact(contacts[0]));
	});
	const run = async (fields: IDataObject) =>
		await runSync(
			sandbox,
			contacts.map((contact) => ({ ...itemOf(contact), ...fields })),
			automatic(),
			{ onError: 'continueRegularOutput' },
		);

	test('is not created again by its fields, and the error says why', async () => {
		const { json } = await run({ source: 'import' });
		expect(actionsOf(json)).toEqual(['failed', 'updated', 'updated']);
		expect(detailsOf(json[0]).description).toContain(
			'The contact was deleted during the sync, and was not created again.',
		);
		expect(sandbox.store.contacts.size).toBe(2);
	});

	test.each<IDataObject>([
		{ tags: 'new' },
		{ name: 'New', tags: 'new, other' },
		{ opt_in: true },
		{ opt_in: false },
		{ name: 'New', opt_in: true, consent_proof: 'Form' },
		{ name: 'New', consent_proof: 'Form' },
	])('is not created again by %j', async (fields) => {
		const { json } = await run(fields);
		expect(actionsOf(json)[0]).toBe('failed');
		expect(json[0].error).toMatch('The contact no longer exists');
		expect(detailsOf(json[0]).description).toMatch('and was not created again');
		expect(sandbox.store.contacts.size).toBe(2);
	});

	test.each([
		['by its phone', ({ phone }: Contact) => ({ phone })],
		['by its ID', ({ id }: Contact) => ({ id })],
	])('is not created again between two requests, %s', async (_case, named) => {
		const [, last] = contacts;
		meanwhile('PATCH', 0, () => sandbox.store.eraseContact(last));
		// The consent of the first contact has to wait, so that its last look is too old.
		const headers = { 'retry-after': '30' };
		sandbox.fail({ match: { method: 'POST' }, kind: { status: 429, headers } });
		const items = [{ ...named(last), name: 'New', opt_in: true }];
		const { json } = await runSync(sandbox, items, automatic(), {
			onError: 'continueRegularOutput',
		});
		expect(actionsOf(json)).toEqual(['failed']);
		expect(syncsOf(json)[0].changedFields).toEqual(['name']);
		expect(sandbox.store.contacts.has(last.id)).toBe(false);
		expect(sandbox.store.findByPhone(last.phone)).toBeUndefined();
	});

	test('fails if that shows only when a tag is removed', async () => {
		const [, last] = contacts;
		Object.assign(last, { tags: ['a', 'b', 'old', 'older'] });
		meanwhile('DELETE', 0, () => sandbox.store.eraseContact(last));
		const items = [{ phone: last.phone, tags: ['a', 'b'] }];
		const { json } = await runSync(sandbox, items, automatic({ tagMode: 'match' }), {
			onError: 'continueRegularOutput',
		});
		expect(actionsOf(json)).toEqual(['failed']);
		expect(json[0].error).toContain('The contact no longer exists');
	});

	test('is not created again by another try', async () => {
		sandbox.fail({ match: { method: 'POST' }, times: 3, kind: { status: 503 } });
		meanwhile('PATCH', 0, () => sandbox.store.eraseContact(contacts[1]));
		const items = [{ phone: contacts[1].phone, name: 'New', opt_in: true }];
		const { error } = await runSync(sandbox, items, automatic(), {
			settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
		});
		expect(error?.message).toMatch('The contact no longer exists');
		expect(sandbox.store.findByPhone(contacts[1].phone)).toBeUndefined();
	});

	const retries = { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 } };

	test('is not created by another try if the first refused its row', async () => {
		contacts[0].attributes = { birthday: '2026-07-02' };
		const items = [{ phone: contacts[0].phone, birthday: 46205 }, ...contacts.slice(1).map(itemOf)];
		const { error } = await runSync(
			sandbox,
			items,
			automatic({ otherColumns: 'attributes' }),
			retries,
		);
		expect(error?.description).toMatch('The contact no longer exists');
		expect(sandbox.store.contacts.size).toBe(2);
	});

	test('is not created by another try if the first did not come to it', async () => {
		const others = Array.from({ length: 10 }, (_, index) =>
			addContact(sandbox, { phone: `+1312555${2_000 + index}` }),
		);
		const many = [...others, ...contacts.slice(1), contacts[0]];
		sandbox.fail({ match: { method: 'PATCH' }, times: 5, kind: { status: 401 } });
		const items = many.map((each) => ({ ...itemOf(each), name: 'New' }));
		const { error } = await runSync(sandbox, items, automatic(), retries);
		expect(error?.description).toMatch('The contact no longer exists');
		expect(many.filter(({ name }) => name === 'New')).toHaveLength(12);
		expect(sandbox.store.findByPhone(contacts[0].phone)).toBeUndefined();
	});
});

test('another try looks up a contact of a long list that the first has saved in part', async () => {
	const many = addContacts(sandbox, 120);
	const rewrite = (payload: string, { query }: RecordedRequest) =>
		query.search === undefined
			? JSON.stringify({ data: [], total: 20_000, limit: 100, offset: 0 })
			: payload;
	sandbox.fail({ match: { method: 'GET' }, times: Infinity, kind: { rewrite } });
	sandbox.fail({ match: { method: 'PATCH' }, times: 3, kind: { status: 503 } });
	const items = many.map(({ phone: each }, at) => ({
		phone: each,
		...(at === 0 && { locale: 'fr' }),
	}));
	const { error } = await runSync(sandbox, items, automatic(), {
		settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
	});
	expect(error).toBeUndefined();
	expect(many[0].locale).toBe('fr');
});

describe('many contacts whose consent is sent', () => {
	const count = 130;
	let contacts: Contact[];
	beforeEach(() => (contacts = addContacts(sandbox, count, { opt_in_status: 'none' })));
	const optAllIn = async (more: Partial<NodeRun> = {}) =>
		await runSync(
			sandbox,
			contacts.map(({ phone: each }) => ({ phone: each, name: 'New', opt_in: true })).reverse(),
			automatic(),
			{ onError: 'continueRegularOutput', ...more },
		);

	test('get it after an answer has shown each, and none that was deleted is created', async () => {
		meanwhile('GET', 1, () => sandbox.store.eraseContact(contacts[7]));
		const { json } = await optAllIn();
		const failed = actionsOf(json).flatMap((action, index) => (action === 'failed' ? index : []));
		expect(failed).toEqual([count - 1 - 7]);
		expect(sandbox.store.contacts.size).toBe(count - 1);
		expect([...sandbox.store.contacts.values()].every(isConfirmed)).toBe(true);
		// Two pages, the list of those who have opted out, a refused change, and two writes each.
		expect(sandbox.requests).toHaveLength(2 + 1 + 1 + 2 * (count - 1));
	});

	test('get it also when a look has become too old in the moment of the request', async () => {
		const clock = jumpingClock();
		// time passes between any two steps
		let readings = 0;
		const elapsedMs = () => clock.elapsedMs() + 100 * readings++;
		await optAllIn({ runtime: createRuntime({ ...clock, elapsedMs }) });
		expect([...sandbox.store.contacts.values()].every(isConfirmed)).toBe(true);
		const consents = writes(sandbox).filter(({ request }) => request.startsWith('POST'));
		expect(consents).toHaveLength(count);
	});

	test('get it if each answer takes longer than ten seconds', async () => {
		const clock = jumpingClock();
		const kind = { meanwhile: () => void clock.sleep(11_000) };
		sandbox.fail({ match: { method: 'GET' }, skip: 2, times: Infinity, kind });
		sandbox.fail({ match: { method: 'PATCH' }, times: Infinity, kind });
		await optAllIn({ runtime: createRuntime(clock) });
		expect([...sandbox.store.contacts.values()].every(isConfirmed)).toBe(true);
	});
});

const isConfirmed = ({ opt_in_status }: Contact) => opt_in_status === 'confirmed';

describe('a look at a contact', () => {
	const looksLike = (answer: object) =>
		sandbox.fail({
			match: { path: contact.id, method: 'GET' },
			times: Infinity,
			kind: { status: 200, body: JSON.stringify(answer) },
		});
	let contact: Contact;
	beforeEach(() => (contact = addContact(sandbox, { phone, opt_in_status: 'none' })));
	const optIn = async () =>
		await runSync(sandbox, [{ phone, opt_in: true }, ...addContacts(sandbox, 3).map(itemOf)]);

	test('that shows no ID is one at that contact', async () => {
		looksLike({ opt_in_status: 'none' });
		expect(actionsOf((await optIn()).json)[0]).toBe('updated');
		expect(contact.opt_in_status).toBe('confirmed');
	});

	test('that shows another contact ends, and opts in nobody', async () => {
		looksLike({ id: 'another', phone: '+12125550999', opt_in_status: 'none' });
		const { error } = await optIn();
		expect(error?.description).toContain('1 failed');
		expect(contact.opt_in_status).toBe('none');
		expect(looksAt(contact)).toBeLessThanOrEqual(10);
	});
});

describe('an opt-in of no', () => {
	test.each(['none', 'pending', 'confirmed'] as const)(
		'is sent for a contact that is %s',
		async (status) => {
			const contact = addContact(sandbox, { phone, opt_in_status: status });
			const items = [{ phone, opt_in: false }, ...addContacts(sandbox, 3).map(itemOf)];
			const { json } = await runSync(sandbox, items);
			expect(writes(sandbox)).toEqual([
				{ request: 'POST /v1/contacts', body: { phone, opt_in: false } },
			]);
			const { action, changedFields } = syncsOf(json)[0];
			expect([action, changedFields]).toEqual(['noNotTaken', undefined]);
			expect(sandbox.store.consentTrail).toMatchObject([{ contact_id: contact.id, opt_in: false }]);
		},
	);
});

describe('a service that changes the names of tags', () => {
	const stored = 'The CRM stores tags differently, so each run sends it again.';
	const note =
		'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';

	test.each([
		['in lower case', { tags: ['vip', 'old'] }, `${stored} ${note}`],
		[
			'not at all',
			{ tags: undefined },
			"No tags were removed, because the answer of the CRM does not show the contact's tags.",
		],
	])('removes none if it shows them %s', async (_case, answer, told) => {
		const contact = addContact(sandbox, { phone, tags: ['vip', 'old'] });
		const body = JSON.stringify({ ...contact, ...answer, created: false });
		const kind = { status: 200, body, afterEffect: true };
		sandbox.fail({ match: { path: contact.id }, times: 2, kind });
		const { json } = await runSync(
			sandbox,
			[{ phone, tags: ['VIP'] }, ...addContacts(sandbox, 3).map(itemOf)],
			automatic({ tagMode: 'match' }),
		);
		expect(writes(sandbox)).toHaveLength(1);
		expect(contact.tags).toEqual(expect.arrayContaining(['vip', 'old']));
		expect(syncsOf(json)[0]).toEqual({ action: 'updated', changedFields: ['tags'], note: told });
		expect(json[0].tags).toEqual(answer.tags);
	});
});
