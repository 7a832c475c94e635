import * as fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import {
	parsePhoneNumberFromString,
	type CountryCode,
	type PhoneNumber,
} from 'libphonenumber-js/max';

import type { Contact, OptInStatus } from '../../tools/sandbox';
import { process } from '../../tools/support/platform';
import { detailsOf, runNode } from '../../tools/engine/runNode';
import { validNumber } from '../support/phoneNumbers';
import { campaign, runCampaign } from './message/campaign/campaignNode';
import { actionsOf, automatic, runSync, syncsOf } from './contact/sync/syncNode';
import { addContact, addContacts, chosen, useSandbox, variablesOf, writes } from './support';

/** Which contact a number means, however the CRM has stored it. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const continues = { onError: 'continueRegularOutput' } as const;
const optIn = { opt_in: true, consent_proof: 'Form' };
const contacts = () => [...sandbox.store.contacts.values()];

describe('a service that stores numbers as they were given, and compares them as numbers', () => {
	beforeEach(() => (sandbox.store.rules.phones = 'byNumber'));

	const stored: Array<[stored: string, given: string]> = [
		['+49 0151 23456701', '+4915123456701'],
		['+49 (0)151 23456701', '+4915123456701'],
		['49015123456701', '+4915123456701'],
		['0049 151 23456701', '+4915123456701'],
		['0049015123456701', '+4915123456701'],
		['tel:+49-151-23456701', '+4915123456701'],
		['＋４９１５１２３４５６７０１', '+4915123456701'],
		['+٤٩١٥١٢٣٤٥٦٧٠١', '+4915123456701'],
		["'+4915123456701", '+4915123456701'],
		['+44 07911 123456', '+447911123456'],
		['+7 8 912 345 67 89', '+79123456789'],
		['+55 0 11 98765-4321', '+5511987654321'],
	];

	test.each(stored)('does not opt in %s by %s', async (phone, given) => {
		const contact = addContact(sandbox, { phone, opt_in_status: 'opted_out' });
		const { json } = await runSync(sandbox, [{ phone: given, ...optIn }], automatic(), continues);
		expect(contacts().map((each) => each.opt_in_status)).toEqual(['opted_out']);
		expect(syncsOf(json)[0].note).toContain('not opted in again');
		expect(contact.opt_in_status).toBe('opted_out');
	});

	test.each(stored)('does not list %s as missing beside %s', async (phone, given) => {
		addContact(sandbox, { phone });
		addContact(sandbox, { phone: '+12125550123' });
		const rows = [{ phone: given }, { phone: '+12125550124' }];
		const options = automatic({ dryRun: true, missing: 'output' });
		const { json } = await runSync(sandbox, rows, options);
		expect(actionsOf(json)).toEqual(['unchanged', 'wouldCreate', 'missing']);
	});

	test.each(stored)('sends %s and %s one message of a campaign', async (phone, given) => {
		const both = [phone, given].map((each) =>
			addContact(sandbox, { phone: each, opt_in_status: 'confirmed' }),
		);
		const { campaigns } = await runCampaign(sandbox, both);
		expect(campaigns.map((each) => each?.code ?? each?.status)).toEqual(['sent', 'duplicate']);
	});

	test.each(stored.filter(([phone]) => /\d{6}$/.test(phone)))(
		'finds %s by %s',
		async (phone, given) => {
			const { id } = addContact(sandbox, { phone });
			const parameters = {
				resource: 'contact',
				operation: 'get',
				contactId: chosen('phone', given),
			};
			const { json } = await runNode(sandbox, { parameters: parameters as INodeParameters });
			expect(json).toMatchObject([{ id }]);
		},
	);
});

describe('an opted-out contact whose number cannot be compared', () => {
	const phone = '+4915123456701';

	test.each([
		['0151 23456701', 'with the number "0151 23456701"'],
		['15123456701', 'with the number "15123456701"'],
		['0151 23456701 ext. 7', 'with the number "0151 23456701 ext. 7"'],
		['', 'without a phone number'],
	])('and is %j keeps its twin from being opted in', async (stored, shown) => {
		const out = addContact(sandbox, { phone: stored, opt_in_status: 'opted_out' });
		const twin = addContact(sandbox, { phone });
		const rows = [{ phone, name: 'New', ...optIn }];
		for (const options of [{ dryRun: true }, {}]) {
			const { json } = await runSync(sandbox, rows, automatic(options), continues);
			const text = `${json[0].error}. ${detailsOf(json[0]).description} ${syncsOf(json)[0].note}`;
			expect(text).toContain(
				`The phone number ${phone} may be that of a contact who has opted out`,
			);
			expect(text).toContain(`The CRM shows the contact ${out.id} ${shown}`);
		}
		expect(twin).toMatchObject({ name: 'New', opt_in_status: 'none' });
		expect(sandbox.store.consentTrail).toEqual([]);
	});

	test('keeps a new contact with its number from being opted in', async () => {
		addContact(sandbox, { phone: '0151 23456701', opt_in_status: 'opted_out' });
		await runSync(sandbox, [{ phone, ...optIn }], automatic(), continues);
		expect(contacts().map((each) => each.opt_in_status)).toEqual(['opted_out', 'none']);
		expect(sandbox.store.consentTrail).toEqual([]);
	});

	test('keeps a national number from being opted in by ID, if it may be the same', async () => {
		addContact(sandbox, { phone, opt_in_status: 'opted_out' });
		const { id } = addContact(sandbox, { phone: '0151 23456701' });
		await runSync(sandbox, [{ id, ...optIn }], automatic(), continues);
		expect(writes(sandbox)).toEqual([]);
	});

	test('does not keep anybody from being opted out, or opted in again on purpose', async () => {
		addContact(sandbox, { phone: '0151 23456701', opt_in_status: 'opted_out' });
		addContact(sandbox, { phone });
		await runSync(sandbox, [{ phone, opt_in: false }]);
		await runSync(sandbox, [{ phone, ...optIn }], automatic({ optInOptedOut: true }));
		expect(sandbox.store.consentTrail).toMatchObject([{ opt_in: false }, { opt_in: true }]);
	});

	test('is everybody if the list of opted-out contacts shows no numbers', async () => {
		const all = addContacts(sandbox, 150);
		for (const contact of all) contact.opt_in_status = 'opted_out';
		sandbox.fail({
			match: { method: 'GET' },
			times: 99,
			kind: {
				page: (envelope) => ({
					...envelope,
					data: envelope.data.map((each) => ({ ...(each as Contact), phone: undefined })),
				}),
			},
		});
		const rows = all.map(({ phone: each }) => ({ phone: each, ...optIn }));
		await runSync(sandbox, rows, automatic(), continues);
		expect(all.every(({ opt_in_status }) => opt_in_status === 'opted_out')).toBe(true);
		expect(sandbox.store.consentTrail).toEqual([]);
	});
});

describe('of the contacts of one subscriber, in a campaign', () => {
	const forms = ['+5511987654321', '+551187654321'];
	const mark = { 'sent:spring:0123abcd': '2026-03-01T09:00:00.000Z execution 12' };
	const cases: Array<[what: string, phones: string[], other: Partial<Contact>, code: string]> = [
		['opted out', forms, { opt_in_status: 'opted_out' }, 'optedOut'],
		['is marked', forms, { attributes: mark }, 'alreadyMarked'],
		[
			'opted out',
			['+4915123456701', '+49 0151 23456701'],
			{ opt_in_status: 'opted_out' },
			'optedOut',
		],
		['is marked', ['0151 23456701', '+4915123456701'], { attributes: mark }, 'alreadyMarked'],
	];

	test.each(cases)('one who %s decides for all: %j', async (_what, phones, other, code) => {
		for (const order of [0, 1]) {
			sandbox.reset();
			const two = phones.map((phone) => addContact(sandbox, { phone, opt_in_status: 'confirmed' }));
			Object.assign(two[1], other);
			const input = order === 0 ? two : [...two].reverse();
			const { campaigns } = await runCampaign(sandbox, [...input, ...addContacts(sandbox, 2)]);
			expect(campaigns.slice(0, 2).map((each) => each?.code)).toContain(code);
			expect(sandbox.store.sentMessages).toEqual([]);
		}
	});

	test('one who is not in the input decides, too, if the run has seen it', async () => {
		const [contact, out] = forms.map((phone) =>
			addContact(sandbox, { phone, opt_in_status: 'confirmed' }),
		);
		out.opt_in_status = 'opted_out';
		const { campaigns } = await runCampaign(sandbox, [contact, ...addContacts(sandbox, 1)]);
		expect(campaigns[0]).toMatchObject({ status: 'skipped', code: 'optedOut' });
		expect(campaigns[0]?.reason).toContain(out.id);
	});
});

describe('an ID in capitals', () => {
	test.each([
		['contact', 'get', {}],
		['contact', 'update', { updateFields: { name: 'New' } }],
		['contact', 'delete', {}],
		['tag', 'add', { tags: 'vip' }],
	])('is the same: %s %s', async (resource, operation, more) => {
		const { id } = addContact(sandbox);
		const contactId = chosen('id', id.toUpperCase());
		const parameters = { resource, operation, contactId, ...more } as INodeParameters;
		const { error } = await runNode(sandbox, { parameters });
		expect(error).toBeUndefined();
		expect(sandbox.requests.at(-1)?.path).toContain(id);
	});

	test.each([1, 150])('is found by a sync of %d rows', async (count) => {
		const all = addContacts(sandbox, count);
		const rows = all.map(({ id }) => ({ id: id.toUpperCase(), name: 'New' }));
		const { json } = await runSync(sandbox, rows);
		expect(new Set(actionsOf(json))).toEqual(new Set(['updated']));
	});
});

/**
 * How a number is written, by the library's formats and the prefixes of its country: in the CRM, and in an item with
 * the `Default Country` that it needs.
 */
const SPELLINGS: Array<
	[name: string, spell: (number: PhoneNumber) => string, plan?: 'own' | 'International']
> = [
	['E.164', ({ number }) => number],
	['without the plus', ({ number }) => number.slice(1), 'International'],
	['00', ({ number }) => `00${number.slice(1)}`],
	['international', (number) => number.formatInternational()],
	['with dashes', (number) => number.formatInternational().replace(/ /g, '-')],
	['without blanks behind 00', (number) => number.formatInternational().replace('+', '00 ')],
	['a URI', (number) => number.getURI()],
	[
		'the national number behind the code',
		(number) => `+${codeOf(number)} ${number.formatNational()}`,
	],
	['the same without a plus', (number) => codeOf(number) + dialled(number), 'International'],
	['the same in a row', (number) => `+${codeOf(number)}${dialled(number)}`],
	['the same behind 00', (number) => `00${codeOf(number)} ${dialled(number)}`],
	['the code in brackets', (number) => `(+${codeOf(number)}) ${number.nationalNumber}`],
	['national', (number) => number.formatNational(), 'own'],
	['national in a row', dialled, 'own'],
	['national without its prefix', ({ nationalNumber }) => nationalNumber, 'own'],
	['full width', ({ number }) => inDigitsFrom(0xff10)(number.replace('+', '＋'))],
	['Arabic digits', ({ number }) => inDigitsFrom(0x660)(number)],
	['Hindi digits', ({ number }) => inDigitsFrom(0x966)(number)],
	['a text of a spreadsheet', ({ number }) => `'${number}`],
	['no-break spaces', (number) => ` ${number.formatInternational().replace(/ /g, '\u00a0')}\u200e`],
];

const codeOf = (number: PhoneNumber) => String(number.countryCallingCode);
function dialled(number: PhoneNumber) {
	return number.formatNational().replace(/\D/g, '');
}
function inDigitsFrom(zero: number) {
	return (text: string) =>
		text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

const state = fc.constantFrom<OptInStatus>(
	'none',
	'confirmed',
	'confirmed',
	'opted_out',
	'opted_out',
);
const spelling = fc.nat(SPELLINGS.length - 1);
const worlds = fc.record({
	number: validNumber.map(({ number }) => number),
	stored: fc.uniqueArray(fc.record({ spelling, state }), {
		minLength: 1,
		maxLength: 2,
		selector: (each) => each.spelling,
	}),
	given: spelling,
	service: fc.constantFrom('unified', 'byNumber', 'byText'),
	isHome: fc.boolean(),
	others: fc.constantFrom(0, 3, 120),
	isReversed: fc.boolean(),
});
type Drawn = typeof worlds extends fc.Arbitrary<infer T> ? T : never;
type World = Omit<Drawn, 'number'> & { number: PhoneNumber };

function build({ number, stored, given, service, isHome, others }: World) {
	sandbox.reset();
	const { rules } = sandbox.store;
	rules.phones = service;
	rules.homeCountry = isHome ? (number.country ?? null) : null;
	const own = stored.map((each) => {
		const phone = SPELLINGS[each.spelling][1](number);
		return addContact(sandbox, { phone, opt_in_status: each.state, name: 'Ana' });
	});
	addContacts(sandbox, others);
	const [, spell, plan] = SPELLINGS[given];
	const phone = spell(number);
	const defaultCountry = plan === 'own' ? (number.country as CountryCode) : plan;
	return { own, phone, defaultCountry };
}

const copyOf = () => new Map(contacts().map((each) => [each.id, structuredClone(each)]));

/** Only these contacts may differ from before, and nobody who opted out is opted in. */
function expectOnly(before: Map<string, Contact>, own: readonly Contact[], number: PhoneNumber) {
	const ids = own.map(({ id }) => id);
	for (const [id, was] of before) {
		if (!ids.includes(id)) expect(sandbox.store.contacts.get(id)).toEqual(was);
		if (was.opt_in_status !== 'opted_out') continue;
		expect(sandbox.store.contacts.get(id)?.opt_in_status ?? 'erased').toMatch(/opted_out|erased/);
	}
	const made = contacts().filter(({ id }) => !before.has(id));
	expect(made.length).toBeLessThanOrEqual(1);
	for (const { phone } of made) expect(phone).toBe(number.number);
}

async function checkSingle(world: World) {
	const operations: Array<[INodeParameters, boolean?]> = [
		[{ resource: 'contact', operation: 'get' }],
		[{ resource: 'contact', operation: 'update', updateFields: { name: 'New' } }],
		[{ resource: 'tag', operation: 'add', tags: 'vip' }],
		[
			{
				resource: 'message',
				operation: 'sendTemplate',
				template: chosen('name', 'welcome'),
				templateVariables: variablesOf({ name: 'Anna' }),
			},
		],
		[{ resource: 'contact', operation: 'upsert', additionalFields: { name: 'New' } }, true],
		[{ resource: 'contact', operation: 'delete' }],
	];
	for (const [parameters, isUpsert] of operations) {
		const { own, phone, defaultCountry = '' } = build(world);
		const before = copyOf();
		const how = isUpsert
			? { phone, additionalFields: { ...(parameters.additionalFields as object), defaultCountry } }
			: { contactId: chosen('phone', phone), defaultCountry };
		const run = { parameters: { ...parameters, ...how } as INodeParameters };
		const { json, error } = await runNode(sandbox, run);
		expectOnly(before, own, world.number);
		// Of each form two, and one for other spellings.
		const searches = sandbox.requests.filter(({ query }) => query.search !== undefined);
		expect(searches.length).toBeLessThanOrEqual(5);
		const ids = own.map(({ id }) => id);
		const [left] = ids.filter((id) => !sandbox.store.contacts.has(id));
		const meant = json[0]?.contact_id ?? json[0]?.id ?? left;
		if (!error && !isUpsert) expect(ids).toContain(meant);
		if (own.length > 1 && !isUpsert && !error) expect(isOneOf(world)).toBe(false);
	}
}

/** Whether a number in E.164 finds all contacts of the world: their digits begin with the code. */
const isOneOf = ({ stored }: World) => stored.every((each) => each.spelling < 3);

async function checkSync(world: World) {
	const { own, phone, defaultCountry } = build(world);
	const before = copyOf();
	const anyOut = own.some(({ opt_in_status }) => opt_in_status === 'opted_out');
	const rows: IDataObject[] = [{ phone, name: 'New', ...optIn }];
	const options = automatic({ ...(defaultCountry && { defaultCountry }) });
	const { json } = await runSync(sandbox, rows, options, continues);
	expectOnly(before, own, world.number);
	const isIn = ({ id, opt_in_status }: Contact) =>
		opt_in_status === 'confirmed' && before.get(id)?.opt_in_status !== 'confirmed';
	if (anyOut) {
		expect(contacts().filter(isIn)).toEqual([]);
		expect(sandbox.store.consentTrail).toEqual([]);
	}
	// It refuses only in doubt.
	const isClear = world.stored.every((each) => each.spelling === 0) && own.length === 1;
	if (isClear && world.given === 0) expect(actionsOf(json)[0]).toMatch(/updated/);
}

async function checkCampaign(world: World) {
	const { own, phone, defaultCountry = '' } = build(world);
	const anyOut = own.some(({ opt_in_status }) => opt_in_status === 'opted_out');
	const ids = own.map(({ id }) => id);
	// Each message takes two requests, so most of a big workspace is in no list.
	const others = contacts()
		.filter(({ id }) => !ids.includes(id))
		.slice(0, 5);
	for (const other of others) other.opt_in_status = 'confirmed';
	const byPhone = campaign(
		{ defaultCountry },
		{ contactId: chosen('phone', '={{ $json.phone }}') },
	);
	const all = world.isReversed ? [...others, ...own].reverse() : [...own, ...others];
	const runs = [async () => await runCampaign(sandbox, all)];
	// Of two contacts, a search for one number may show only one.
	const [contact, ...more] = own;
	if (more.length === 0)
		runs.push(
			async () => await runCampaign(sandbox, [{ ...contact, phone }], { parameters: byPhone }),
		);
	else runs.push(async () => await runCampaign(sandbox, [...all].reverse()));
	for (const run of world.isReversed ? runs : runs.reverse()) await run();
	const got = sandbox.store.sentMessages.map(({ contact_id }) => contact_id);
	const toOwn = got.filter((id) => ids.includes(id));
	expect(got.length - toOwn.length).toBe(others.length);
	expect(toOwn.length).toBeLessThanOrEqual(1);
	if (anyOut) expect(toOwn).toEqual([]);
}

const numRuns = Number(process.env.WORLDS ?? 60);

/** `WORLDS=300 npx jest storedNumbers` runs more worlds. */
test(
	'every operation means the contact with a number, or refuses, however it is stored and given',
	async () => {
		await fc.assert(
			fc.asyncProperty(worlds, async ({ number, ...more }) => {
				const world = { ...more, number: parsePhoneNumberFromString(number) as PhoneNumber };
				for (const check of [checkSync, checkCampaign, checkSingle]) await check(world);
			}),
			{ numRuns, endOnFailure: true },
		);
	},
	numRuns * 10_000,
);
