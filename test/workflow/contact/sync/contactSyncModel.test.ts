import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Contact, JsonObject, Sandbox } from '../../../../tools/sandbox';
import { call } from '../../../unit/sandbox/harness';
import { useSandbox, writes } from '../../support';
import { automatic, runSync, syncsOf } from './syncNode';

/**
 * Whatever a sync reads, merges and leaves out: in the end, the CRM is as if each item had been saved by
 * itself, one after the other.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const copy = useSandbox({ limiter: { kind: 'off' } });

const phones = Array.from({ length: 7 }, (_, index) => `+1212456${7_890 + index}`);
const asWritten = (phone: string) =>
	fc.constantFrom(
		phone,
		`${phone.slice(0, 5)}-${phone.slice(5)}`,
		`${phone.slice(0, 2)} (${phone.slice(2, 5)}) ${phone.slice(5)}`,
	);
const text = fc.constantFrom('a', 'b', 'Ä b');
const tag = fc.constantFrom('vip', 'new', 'a, b', 'ä/?#');
/** Of each attribute, values of one kind: a sync refuses another. */
const attributes = fc.record(
	{
		plan: fc.constantFrom('x', 'y'),
		seats: fc.constantFrom(1, 2),
		isNew: fc.boolean(),
		address: fc.constantFrom({ city: 'Köln', lines: [1] }, { lines: [1], city: 'Köln' }),
		constructor: fc.constantFrom([1, 2], [3]),
	},
	{ requiredKeys: [], noNullPrototype: true },
);

interface Stored {
	phone: string;
	hasPlus: boolean;
	fields: Partial<Contact>;
}

/** What the items say about consent. If they differ, the effect is up to the service. */
type Consent = 'none' | 'yes' | 'no' | 'proof';
const CONSENT: Record<Consent, IDataObject> = {
	none: {},
	yes: { opt_in: true, consent_proof: 'Form' },
	no: { opt_in: false },
	proof: { consent_proof: 'Form' },
};

const stored = (consent: Consent): fc.Arbitrary<Stored> =>
	fc.record({
		phone: fc.constantFrom(...phones),
		hasPlus: fc.boolean(),
		fields: fc.record({
			name: fc.option(text),
			locale: fc.option(text),
			source: fc.option(text),
			attributes,
			tags: fc.uniqueArray(tag),
			opt_in_status: fc.constantFrom(
				'none' as const,
				'pending',
				'opted_out',
				// How the service treats a no from a confirmed contact is up to the service.
				consent === 'no' ? 'none' : 'confirmed',
			),
		}),
	});

const blank = fc.constantFrom('', ' ', null);
const row = (consent: Consent): fc.Arbitrary<IDataObject> =>
	fc
		.record(
			{
				phone: fc.constantFrom(...phones).chain(asWritten),
				name: fc.oneof(text, blank),
				locale: fc.oneof(text, blank),
				source: fc.oneof(text, blank),
				attributes: fc.oneof(attributes, blank),
				tags: fc.oneof(fc.array(tag), blank),
				hasConsent: fc.boolean(),
			},
			{ requiredKeys: ['phone', 'hasConsent'] },
		)
		.map(({ hasConsent, ...fields }) => ({
			...(fields as IDataObject),
			...(hasConsent && CONSENT[consent]),
		}));

interface Case {
	consent: Consent;
	workspace: Stored[];
	rows: IDataObject[];
	/** For each phone, whether its rows name the contact by ID, if the CRM has it. */
	byId: boolean[];
	/** Contacts that the input is not about, and whether they are older than the others. */
	fillers: number;
	areFillersOld: boolean;
}

const cases: fc.Arbitrary<Case> = fc
	.constantFrom<Consent>('none', 'yes', 'no', 'proof')
	.chain((consent) =>
		fc.record({
			consent: fc.constant(consent),
			workspace: fc.uniqueArray(stored(consent), { selector: ({ phone }) => phone }),
			rows: fc.array(row(consent), { minLength: 1, maxLength: 12 }),
			byId: fc.array(fc.boolean(), { minLength: phones.length, maxLength: phones.length }),
			fillers: fc.constantFrom(0, 0, 120),
			areFillersOld: fc.boolean(),
		}),
	);

function fill({ store }: Sandbox, { workspace, fillers, areFillersOld }: Case) {
	workspace.forEach(({ phone, hasPlus, fields }, index) =>
		store.addContact({
			...structuredClone(fields),
			phone: hasPlus ? phone : phone.slice(1),
			created_at: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
		}),
	);
	for (let index = 0; index < fillers; index += 1) {
		const phone = `+1312555${String(1_000 + index)}`;
		store.addContact({ phone, created_at: areFillersOld ? '2025-01-01' : '2027-01-01' });
	}
}

const digitsOf = ({ phone }: { phone?: unknown }) => String(phone).replace(/\D/g, '');

/** The rows as the sync gets them, some with the ID of their contact in place of its phone. */
function inputOf({ store }: Sandbox, { rows, byId }: Case): IDataObject[] {
	return rows.map((each) => {
		const known = [...store.contacts.values()].find(
			(contact) => digitsOf(contact) === digitsOf(each),
		);
		const place = phones.findIndex((phone) => digitsOf({ phone }) === digitsOf(each));
		return byId[place] && known ? { ...each, phone: '', id: known.id } : each;
	});
}

const isBlank = (value: unknown) =>
	value === null || (typeof value === 'string' && value.trim() === '');

/** Saves one item as the reference says it is done, with nothing clever about it. */
async function saveOne(target: Sandbox, item: IDataObject) {
	const given = Object.fromEntries(Object.entries(item).filter(([, value]) => !isBlank(value)));
	const { phone, locale, ...fields } = given;
	const digits = String(phone).replace(/\D/g, '');
	// Somebody who was asked already is not asked again.
	if (target.store.findByPhone(digits)?.opt_in_status === 'pending' && item.opt_in === true) {
		delete fields.opt_in;
		delete fields.consent_proof;
	}
	const { body } = await call(target, 'POST', '/v1/contacts', { phone: `+${digits}`, ...fields });
	if (locale === undefined) return;
	await call(target, 'PATCH', `/v1/contacts/${String(body.id)}`, { locale });
}

/** All contacts, without IDs, times and the log of consent. */
function stateOf({ store }: Sandbox): JsonObject[] {
	return [...store.contacts.values()]
		.map((contact) => {
			const state: JsonObject = {
				...contact,
				attributes: Object.entries(contact.attributes).sort(),
			};
			delete state.id;
			delete state.created_at;
			return state;
		})
		.sort((a, b) => String(a.phone).localeCompare(String(b.phone)));
}

async function syncCase(each: Case, options: IDataObject) {
	for (const target of [sandbox, copy]) {
		target.reset();
		target.store.rules.newNumbers.clear();
		fill(target, each);
	}
	const { json, error } = await runSync(sandbox, inputOf(sandbox, each), automatic(options));
	expect(error).toBeUndefined();
	expect(json).toHaveLength(each.rows.length);
	return json;
}

const settings = { numRuns: 25 };
// Each property runs the node dozens of times, which a slow machine cannot do in the usual 30 seconds.
jest.setTimeout(180_000);

test('a sync has the same result as saving the items one by one', async () => {
	await fc.assert(
		fc.asyncProperty(cases, async (each) => {
			await syncCase(each, { optInOptedOut: true });
			for (const item of each.rows) await saveOne(copy, item);
			expect(stateOf(sandbox)).toEqual(stateOf(copy));
			expect([...sandbox.store.tags.keys()].sort()).toEqual([...copy.store.tags.keys()].sort());
		}),
		settings,
	);
});

test('a second sync changes nothing', async () => {
	// A no is sent each time, because the reference does not say what it does.
	const decided = cases.filter(({ consent }) => consent !== 'no');
	await fc.assert(
		fc.asyncProperty(decided, async (each) => {
			const first = await syncCase(each, { optInOptedOut: true });
			const state = stateOf(sandbox);
			sandbox.requests.length = 0;
			const options = { optInOptedOut: true, dryRun: true };
			const { json } = await runSync(sandbox, inputOf(sandbox, each), automatic(options));
			for (const { action, changedFields } of syncsOf(json)) {
				expect(action).toBe('unchanged');
				expect(changedFields).toBeUndefined();
			}
			// Without `sync`, which says that the second one is a dry run.
			expect(json.map((contact) => ({ ...contact, sync: 0 }))).toEqual(
				first.map((contact) => ({ ...contact, sync: 0 })),
			);
			expect(writes(sandbox)).toEqual([]);

			const input = inputOf(sandbox, each);
			const again = await runSync(sandbox, input, automatic({ optInOptedOut: true }));
			expect(again.error).toBeUndefined();
			expect(stateOf(sandbox)).toEqual(state);
			expect(writes(sandbox)).toEqual([]);
		}),
		settings,
	);
});
