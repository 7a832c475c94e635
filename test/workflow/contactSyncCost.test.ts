import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../sandbox';
import { addContacts, patientRuntime, sent, useSandbox } from './support';
import { actionsOf, automatic, itemOf, runSync, syncsOf, writes } from './syncNode';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

// A thousand requests take a slow machine longer than the usual 30 seconds.
jest.setTimeout(120_000);

const isRead = ({ request }: { request: string }) => request.startsWith('GET ');
const reads = () => sent(sandbox).filter(isRead);
const newItem = (index: number): IDataObject => ({ phone: `+1312555${String(1_000 + index)}` });
const newItems = (count: number) => Array.from({ length: count }, (_, index) => newItem(index));
const actionCounts = (json: IDataObject[]) =>
	Object.fromEntries(
		['created', 'updated', 'unchanged', 'saved'].map((action) => [
			action,
			actionsOf(json).filter((each) => each === action).length,
		]),
	);

describe('a thousand contacts', () => {
	/** Items for all of them, of which every so many brings a new name. */
	const itemsFor = (contacts: Contact[], everyNth: number) =>
		contacts.map((contact, index) => ({
			...itemOf(contact),
			...(everyNth > 0 && index % everyNth === 0 && { name: 'New name' }),
		}));

	test.each([
		['none is changed', 0, 0, 0, '11 requests.'],
		['1 in 100 is changed', 100, 10, 0, '21 requests.'],
		['1 in 10 is changed', 10, 100, 0, '111 requests.'],
		['half are changed', 2, 500, 0, '511 requests, '],
		// All but the hundred of the page that was looked at, which tells that reading is not worth it.
		['all are changed', 1, 100, 900, '1001 requests, '],
	])('of which %s take no more requests than they must', async (...row) => {
		const [, nth, updated, saved, requests] = row;
		const contacts = addContacts(sandbox, 1_000);
		const { json, hints } = await runSync(sandbox, itemsFor(contacts, nth));
		const unchanged = 1_000 - updated - saved;
		expect(actionCounts(json)).toEqual({ created: 0, updated, unchanged, saved });
		expect(sandbox.requests).toHaveLength(parseInt(requests));
		const uncompared = saved > 0 ? `, ${saved} saved without comparing` : '';
		expect(hints[0]).toContain(
			`1000 rows, 1000 contacts: 0 created, ${updated} updated, ${unchanged} unchanged${uncompared}. ${requests}`,
		);
	});

	test('that are new to a full workspace take at most the pages of that more', async () => {
		addContacts(sandbox, 1_000);
		await runSync(sandbox, newItems(1_000));
		expect(sandbox.requests).toHaveLength(1 + 10 + 1_000);
	});

	test('of a workspace too large to be worth reading take one request each, and one more', async () => {
		addContacts(sandbox, 1_000);
		await runSync(sandbox, newItems(40));
		expect(sandbox.requests).toHaveLength(1 + 40);
	});

	test('whose opted-out are to stay so take the pages of those, where all are changed', async () => {
		const contacts = addContacts(sandbox, 1_000, { opt_in_status: 'none' });
		for (const contact of contacts.slice(0, 120)) contact.opt_in_status = 'opted_out';
		const items = itemsFor(contacts, 1).map((item) => ({ ...item, opt_in: true }));
		const { runtime, clock } = patientRuntime();
		const { json, hints } = await runSync(sandbox, items, automatic(), { runtime });
		const lists = reads().filter(({ query }) => query?.opt_in_status === 'opted_out').length;
		expect(sandbox.requests).toHaveLength(1 + lists + 1_000);
		// Their two pages are read again after waits for the rate limit, but not within ten seconds.
		expect(lists).toBeGreaterThanOrEqual(2 * 2);
		expect(lists).toBeLessThanOrEqual(2 * (1 + clock.sleptMs() / 10_000));
		expect(contacts.filter(({ opt_in_status }) => opt_in_status === 'opted_out')).toHaveLength(120);
		expect(syncsOf(json).filter(({ note }) => note !== undefined)).toHaveLength(120);
		expect(hints[0]).toContain('120 contacts have opted out and were not opted in again.');
	});
});

describe('a small part of a large workspace', () => {
	test('is not worth reading all of it', async () => {
		const contacts = addContacts(sandbox, 1_000);
		await runSync(sandbox, contacts.slice(500, 510).map(itemOf));
		expect(reads()).toHaveLength(1);
		expect(sandbox.requests).toHaveLength(11);
	});

	test('is not saved where the one page that was read shows it unchanged', async () => {
		const contacts = addContacts(sandbox, 1_000);
		const { json } = await runSync(sandbox, contacts.slice(0, 10).map(itemOf));
		expect(actionCounts(json)).toEqual({ created: 0, updated: 0, unchanged: 10, saved: 0 });
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('a dry run', () => {
	test.each([
		['of a new contact', newItems(1), 2],
		['of a few new ones', newItems(2), 4],
		['of more than there are pages', newItems(20), 1 + 10],
	])('%s looks them up or reads all, whichever is less', async (_case, items, requests) => {
		addContacts(sandbox, 1_000);
		const { json } = await runSync(sandbox, items, automatic({ dryRun: true }));
		expect(actionsOf(json)).toEqual(items.map(() => 'created'));
		expect(sandbox.requests).toHaveLength(requests);
		expect(writes(sandbox)).toEqual([]);
	});

	test('of some contacts of many looks up each by one request', async () => {
		const contacts = addContacts(sandbox, 1_000);
		const items = contacts
			.slice(500, 508)
			.map((contact, index) => ({ ...itemOf(contact), ...(index === 0 && { name: 'New name' }) }));
		const { json, hints } = await runSync(sandbox, items, automatic({ dryRun: true }));
		expect(sandbox.requests).toHaveLength(1 + 8);
		// A run would send these without comparing them, so that is what a dry run says.
		expect(syncsOf(json)).toEqual(
			items.map((_, index) => ({
				action: 'saved',
				changedFields: index === 0 ? ['name'] : [],
				dryRun: true,
			})),
		);
		expect(hints).toEqual([
			'Dry run, nothing was changed: 8 rows, 8 contacts: 0 to create, 0 to update, 0 unchanged, 8 to save without comparing. 9 requests.',
		]);
		const run = await runSync(sandbox, items);
		expect(syncsOf(run.json)).toEqual(items.map(() => ({ action: 'saved' })));
		expect(run.hints).toEqual([
			'8 rows, 8 contacts: 0 created, 0 updated, 0 unchanged, 8 saved without comparing. 9 requests.',
		]);
	});

	test('gives the contacts as they would be, and changes nothing', async () => {
		const contacts = addContacts(sandbox, 3, {
			attributes: { plan: 'free', seats: 1 },
			tags: ['old', 'vip'],
			opt_in_status: 'opted_out',
		});
		const before = structuredClone(contacts);
		const { json, output, hints } = await runSync(
			sandbox,
			[
				{
					phone: contacts[0].phone,
					name: 'New',
					locale: 'de',
					attributes: { plan: 'pro' },
					tags: ['vip', 'new'],
					opt_in: true,
				},
				itemOf(contacts[1]),
				{ ...newItem(0), name: 'Anna', attributes: { plan: 'pro' }, tags: 'vip', opt_in: true },
				newItem(0),
			],
			automatic({ dryRun: true, tagMode: 'match' }),
		);
		expect(contacts).toEqual(before);
		expect(writes(sandbox)).toEqual([]);
		const dryRun = true;
		const created = {
			phone: newItem(0).phone,
			name: 'Anna',
			attributes: { plan: 'pro' },
			tags: ['vip'],
		};
		const sync = {
			action: 'created',
			changedFields: ['name', 'attributes.plan', 'tags', 'opt_in'],
			dryRun,
		};
		expect(json).toEqual([
			{
				...before[0],
				name: 'New',
				locale: 'de',
				attributes: { plan: 'pro', seats: 1 },
				tags: ['vip', 'new'],
				sync: {
					action: 'updated',
					changedFields: ['name', 'locale', 'attributes.plan', 'tags'],
					note: 'The contact has opted out and was not opted in again.',
					dryRun,
				},
			},
			{ ...before[1], sync: { action: 'unchanged', changedFields: [], dryRun } },
			{ ...created, sync: { ...sync, sameContactAs: [3] } },
			{ ...created, sync: { ...sync, sameContactAs: [2] } },
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(hints).toEqual([
			'Dry run, nothing was changed: 4 rows, 3 contacts: 1 to create, 1 to update, 1 unchanged. 1 request. 1 contact has opted out and was not opted in again.',
		]);
	});
});

describe('contacts that are missing from the input', () => {
	test('come out after the others, and are left alone', async () => {
		const contacts = addContacts(sandbox, 250);
		const items: IDataObject[] = [newItem(0), itemOf(contacts[0])];
		const { output, hints } = await runSync(sandbox, items, automatic({ missing: 'output' }));
		expect(
			output.slice(0, 2).map(({ json, pairedItem }) => [actionsOf([json])[0], pairedItem]),
		).toEqual([
			['created', { item: 0 }],
			['unchanged', { item: 1 }],
		]);
		expect(output.slice(2)).toEqual(
			contacts.slice(1).map((contact) => ({ json: { ...contact, sync: { action: 'missing' } } })),
		);
		expect(sandbox.requests).toHaveLength(3 + 1);
		expect(sandbox.store.contacts.size).toBe(251);
		expect(hints[0]).toContain('1 unchanged, 249 missing from the input.');
	});
});
