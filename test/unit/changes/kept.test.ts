import fc from 'fast-check';

import type { WireRecord } from '../../../nodes/WorkspaceCrm/api/types';
import { Baseline } from '../../../nodes/WorkspaceCrm/changes/baseline';
import { costText, intervalMinutes } from '../../../nodes/WorkspaceCrm/changes/cost';
import {
	compareKept,
	digest,
	packKept,
	readKept,
	unpackKept,
	WATCHABLE_FIELDS,
	type Kept,
	type KeptParts,
} from '../../../nodes/WorkspaceCrm/changes/kept';
import { idOf } from '../../../nodes/WorkspaceCrm/changes/reading';
import { isCampaignAttribute } from '../../../nodes/WorkspaceCrm/domain/campaignMark';

const ALL: KeptParts = { consent: true, fields: WATCHABLE_FIELDS, tags: true };

const parts: fc.Arbitrary<KeptParts> = fc.record({
	consent: fc.boolean(),
	fields: fc.subarray([...WATCHABLE_FIELDS]),
	tags: fc.boolean(),
});
const record: fc.Arbitrary<WireRecord> = fc.record(
	{
		name: fc.oneof(fc.string(), fc.constant(null)),
		locale: fc.string(),
		opt_in_status: fc.constantFrom('none', 'pending', 'confirmed', 'opted_out', 'other'),
		attributes: fc.dictionary(fc.string(), fc.string()),
		tags: fc.array(fc.string()),
	},
	{ requiredKeys: [] },
) as fc.Arbitrary<WireRecord>;

test('what is kept comes out of its text as it went in', () => {
	fc.assert(
		fc.property(record, parts, (contact, which) => {
			const kept = readKept(contact, which);
			const text = packKept(kept, which);
			expect(text).not.toMatch(/[.;"\\]/);
			const back: Kept = unpackKept(text, which);
			expect({ ...back }).toEqual({ ...kept, consent: kept.consent });
			expect(packKept(back, which)).toBe(text);
		}),
	);
});

test('a record does not differ from itself, nor from one that carries less', () => {
	fc.assert(
		fc.property(
			record,
			parts,
			fc.subarray(['name', 'tags', 'opt_in_status']),
			(contact, which, less) => {
				const kept = readKept(contact, which);
				expect(compareKept(kept, kept, which)).toEqual([]);
				const fewer = Object.fromEntries(
					Object.entries(contact).filter(([name]) => !less.includes(name)),
				);
				expect(compareKept(kept, readKept(fewer as WireRecord, which), which)).toEqual([]);
				expect(compareKept(readKept(fewer as WireRecord, which), kept, which)).toEqual([]);
			},
		),
	);
});

test('the order of keys and tags means nothing, and marks of campaigns do not count', () => {
	const one = { attributes: { a: { x: 1, y: [2] }, b: 2, 'sent:1': 'yes' }, tags: ['a', 'b'] };
	const other = {
		attributes: { b: 2, a: { y: [2], x: 1 }, 'sent:2': 'no' },
		tags: ['b', 'a', 'b'],
	};
	expect(readKept(one, ALL)).toEqual(readKept(other, ALL));
	expect(['sent:x', 'sent', 'Sent:x', 'resent:x'].map(isCampaignAttribute)).toEqual([
		true,
		false,
		false,
		false,
	]);
});

test('a name that goes and comes is a change; a state of consent that is not stated is not known', () => {
	const named = readKept({ name: 'A', opt_in_status: 'none' }, ALL);
	const unnamed = readKept({ name: null, opt_in_status: 'blocked' }, ALL);
	expect(compareKept(named, unnamed, ALL)).toEqual([{ event: 'updated', fields: ['name'] }]);
});

test('ids of any kind come out of the stored text as they went in', () => {
	const id = fc.oneof(
		fc.uuid(),
		fc.uuid().map((text) => text.toUpperCase()),
		fc.string({ unit: 'grapheme' }),
	);
	const entry = fc.record({
		kept: fc.constantFrom('', 'c', `o${digest('a')}`),
		misses: fc.nat(9),
		isFound: fc.boolean(),
	});
	fc.assert(
		fc.property(fc.dictionary(id, entry), (entries) => {
			const baseline = new Baseline('key');
			for (const [key, value] of Object.entries(entries)) baseline.entries.set(key, value);
			const back = Baseline.fromStored(baseline.toStored(1));
			expect(new Map(back.entries)).toEqual(new Map(baseline.entries));
		}),
	);
});

test('a contact with everything and three tags takes 74 bytes; one of a segment 25', () => {
	const sizeOf = (kept: string) => {
		const baseline = new Baseline('key');
		const entry = { kept, misses: 0, isFound: false };
		for (const last of ['1', '2']) {
			baseline.entries.set(`3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6${last}`, entry);
		}
		return Math.ceil(baseline.toStored(1).contacts.length / 2);
	};
	const all = { name: 'A', locale: 'de', source: 'x', attributes: {}, last_inbound_at: null };
	const contact = { ...all, opt_in_status: 'none', tags: ['a', 'b', 'c'] };
	expect(sizeOf(packKept(readKept(contact, ALL), ALL))).toBe(74);
	expect(sizeOf('')).toBe(25);
});

test.each([
	[{ id: 'a' }, 'a'],
	[{ id: 7 }, '7'],
	[{ id: 'row', contact_id: 'a' }, 'a'],
	[{ id: 'row', contact: { id: 'a' } }, 'a'],
	[{ name: 'A' }, undefined],
])('the contact of the row %j is %s', (row, expected) => {
	expect(idOf(row)).toBe(expected);
});

test.each([{ contactId: 'c' }, { uuid: 'c' }, { _id: 'c' }])('%j has an id', (row) => {
	expect(idOf(row)).toBe('c');
});

test('a digest is the same whatever the order of the keys, also in a list, and of nothing as of null', () => {
	expect(digest([{ a: 1, b: 2 }])).toBe(digest([{ b: 2, a: 1 }]));
	expect(digest([1, 2])).not.toBe(digest([2, 1]));
	expect(digest(undefined)).toBe(digest(null));
});

test('attributes are watched, but for the marks of campaigns, and take no space where nothing is', () => {
	const kept = (attributes: WireRecord) =>
		readKept({ attributes }, { consent: false, fields: ['attributes'], tags: false }).fields;
	expect(kept({ plan: 'a' })).not.toEqual(kept({ plan: 'b' }));
	expect(kept({ plan: 'a', 'sent:spring.1': 'x' })).toEqual(kept({ plan: 'a' }));
	const none: KeptParts = { consent: false, fields: [], tags: false };
	expect(packKept({ fields: [] }, none)).toBe('');
});

const every = (...item: object[]) => ({ item });

test.each([
	[every({ mode: 'everyMinute' }), 1],
	[every({ mode: 'everyX', value: 5, unit: 'minutes' }), 5],
	[every({ mode: 'everyX', value: 2, unit: 'hours' }), 120],
	[every({ mode: 'everyDay' }, { mode: 'everyDay' }), 720],
	[every({ mode: 'custom', cronExpression: '* * * * *' }), undefined],
	[every(), undefined],
	[undefined, undefined],
])('%j is a poll every %s minutes', (pollTimes, expected) => {
	expect(intervalMinutes(pollTimes)).toBe(expected);
});

test('what it costs is said, and from half of the rate limit on, what to do', () => {
	expect(costText(10_000, every({ mode: 'everyX', value: 5, unit: 'minutes' }))).toBe(
		'Reading 10,000 contacts takes 100 requests a poll. At a poll every 5 minutes, that is 20 of the 120 requests a minute that the service allows for the API key.',
	);
	expect(costText(10_000, every({ mode: 'everyMinute' }))).toContain(
		'that is 100 of the 120 requests a minute that the service allows for the API key. Poll every 4 minutes or less often.',
	);
	expect(costText(0, undefined)).toBe('Reading 0 contacts takes 1 request a poll.');
});
