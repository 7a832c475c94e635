import type { IDataObject } from 'n8n-workflow';

import type { Contact } from '../../../../tools/sandbox';
import { addContacts, useSandbox, writes } from '../../support';
import { actionsOf, automatic, itemOf, mapped, runSync, syncsOf, withBriefSync } from './syncNode';

const sandbox = useSandbox({ limiter: { kind: 'off' } });

const newItem = (index: number): IDataObject => ({ phone: `+1312555${String(1_000 + index)}` });
const newItems = (count: number) => Array.from({ length: count }, (_, index) => newItem(index));
const actionCounts = (json: IDataObject[]) =>
	Object.fromEntries(
		['created', 'updated', 'unchanged', 'saved'].map((action) => [
			action,
			actionsOf(json).filter((each) => each === action).length,
		]),
	);

describe('three hundred contacts', () => {
	/** Items for all contacts; every nth has a new name. */
	const itemsFor = (contacts: Contact[], everyNth: number) =>
		contacts.map((contact, index) => ({
			...itemOf(contact),
			...(everyNth > 0 && index % everyNth === 0 && { name: 'New name' }),
		}));

	test.each([
		['none is changed', 0, 0, '300 unchanged.<br>Phone: phone, Name: name.<br>3 requests.'],
		[
			'1 in 100 is changed',
			100,
			3,
			'3 updated, 297 unchanged.<br>Phone: phone, Name: name.<br>6 requests.',
		],
		[
			'1 in 10 is changed',
			10,
			30,
			'30 updated, 270 unchanged.<br>Phone: phone, Name: name.<br>33 requests.',
		],
		['all are changed', 1, 300, '300 updated.<br>Phone: phone, Name: name.<br>303 requests.'],
	])('take their pages and a request per change: %s', async (...row) => {
		const [, nth, updated, summary] = row;
		const contacts = addContacts(sandbox, 300);
		const { json, hints } = await runSync(sandbox, itemsFor(contacts, nth));
		const unchanged = 300 - updated;
		expect(actionCounts(json)).toEqual({ created: 0, updated, unchanged, saved: 0 });
		expect(sandbox.requests).toHaveLength(3 + updated);
		expect(hints[0]).toContain(`300 items: ${summary}`);
	});
});

describe('a small part of a large workspace', () => {
	/** One page, of others, reports more contacts than a test could add in time. */
	const pretendTotal = (total: number) =>
		sandbox.fail({
			match: { method: 'GET' },
			kind: { page: (envelope) => ({ ...envelope, data: [], total }) },
		});

	test('of up to a hundred is looked up, with two or three requests each', async () => {
		const contacts = addContacts(sandbox, 1_000);
		const { json } = await runSync(sandbox, contacts.slice(500, 504).map(itemOf));
		expect(actionCounts(json)).toEqual({ created: 0, updated: 0, unchanged: 4, saved: 0 });
		expect(sandbox.requests).toHaveLength(1 + 2 * 4);
	});

	test('of more is saved without comparing, except for opt-ins', async () => {
		const contacts = addContacts(sandbox, 110, { opt_in_status: 'none' });
		contacts[0].opt_in_status = 'opted_out';
		const items = contacts.map((contact, index) => ({
			...itemOf(contact),
			...(index < 2 && { opt_in: true }),
		}));
		pretendTotal(20_000);
		const { json, hints } = await runSync(sandbox, items);
		expect(actionCounts(json)).toEqual({ created: 0, updated: 1, unchanged: 1, saved: 108 });
		expect(contacts.slice(0, 2).map((each) => each.opt_in_status)).toEqual([
			'opted_out',
			'confirmed',
		]);
		// The total, two searches for two contacts, the list of those who opted out, a second look, and the writes.
		expect(sandbox.requests).toHaveLength(1 + 2 * 2 + 1 + 1 + 109);
		expect(hints[0]).toContain('108 saved (changes unknown)');
	});

	test('is compared if its ID is in another row', async () => {
		const contacts = addContacts(sandbox, 110);
		pretendTotal(20_000);
		const [{ id }] = contacts;
		const items = [...contacts.map(itemOf), { id, name: 'By ID' }];
		const { json } = await runSync(sandbox, items);
		expect(actionsOf(json)).toEqual(['updated', ...Array<string>(109).fill('saved'), 'updated']);
		expect(contacts[0].name).toBe('By ID');
		const changes = writes(sandbox).filter(({ request }) => request.startsWith('PATCH'));
		expect(changes).toEqual([{ request: `PATCH /v1/contacts/${id}`, body: { name: 'By ID' } }]);
		expect(writes(sandbox)).toHaveLength(110);
	});

	test('is read in the same way by a dry run, which says what it cannot know', async () => {
		const contacts = addContacts(sandbox, 110);
		pretendTotal(20_000);
		const { json, hints } = await runSync(
			sandbox,
			contacts.map(itemOf),
			automatic({ dryRun: true }),
		);
		expect(actionsOf(json)).toEqual(Array(110).fill('wouldSave'));
		expect(hints[0]).toContain(
			'<br>110 to save without comparing<br>Phone: phone, Name: name.<br>A run takes about 111 requests',
		);
	});
});

describe('a dry run', () => {
	test('shows the contacts as they would be, and changes nothing', async () => {
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
		const same = 'Same contact: Items 3 and 4. The last value of each field counts, and all tags.';
		const sync = {
			action: 'wouldCreate',
			changedFields: ['name', 'attributes.plan', 'tags', 'opt_in'],
			note: same,
			dryRun,
		};
		expect(withBriefSync(json)).toEqual([
			{
				...before[0],
				name: 'New',
				locale: 'de',
				attributes: { plan: 'pro', seats: 1 },
				tags: ['vip', 'new'],
				sync: {
					action: 'wouldUpdate',
					changedFields: ['name', 'locale', 'attributes.plan', 'tags'],
					note: 'The contact has opted out and was not opted in again.',
					dryRun,
				},
			},
			{ ...before[1], sync: { action: 'unchanged', dryRun } },
			{ ...created, sync },
			{ ...created, sync },
		]);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(hints).toEqual([
			'Dry run, nothing was changed: 4 items.<br>1 to create<br>1 to update<br>1 unchanged<br>1 to merge with another of the same contact<br>Phone: phone, Name: name, Locale: locale, Tags: tags, Opt In: opt_in (yes: true), Attributes: attributes.<br>Tags that would be created: "new".<br>\'Opt In\' to send: Yes for 1 contact.<br>A run takes about 6 requests: less than a minute, at 120 requests a minute.<br>The contact has opted out and was not opted in again.<br>Same contact: Items 3 and 4. The last value of each field counts, and all tags.',
		]);
	});
});

test.each([{}, { stopAtFirstProblem: true }])(
	'a dry run %j outputs each row, even invalid ones',
	async (options) => {
		const contacts = addContacts(sandbox, 2);
		const items = [
			{ phone: 'call me', name: 'Anna' },
			{ phone: contacts[0].phone, opt_in: 'perhaps' },
			{ ...itemOf(contacts[1]), name: 'New' },
		];
		const { json, error, hints } = await runSync(
			sandbox,
			items,
			automatic({ ...options, dryRun: true }),
		);
		expect(error).toBeUndefined();
		expect(actionsOf(json)).toEqual(['invalid', 'invalid', 'wouldUpdate']);
		expect(syncsOf(json)[0].note).toMatch(/^"call me" is not a phone number\. Enter the number/);
		expect(json[1]).toMatchObject({ phone: contacts[0].phone, sync: { dryRun: true } });
		expect(hints[0]).toContain('<br>1 to update<br>2 invalid<br>');
	},
);

test('a dry run outputs its rows even if no item can be read', async () => {
	const parameters = mapped({ phone: '={{ $json.no.such }}' }, { dryRun: true });
	const { json, error } = await runSync(sandbox, [{ n: 1 }], parameters);
	expect(error).toBeUndefined();
	expect(syncsOf(json)).toMatchObject([{ action: 'invalid', dryRun: true }]);
});

test('a dry run fails if the contacts cannot be read', async () => {
	sandbox.fail({ match: { method: 'GET' }, kind: { status: 401 } });
	const { error } = await runSync(sandbox, newItems(2), automatic({ dryRun: true }));
	expect(error?.httpCode).toBe('401');
});
