import * as fc from 'fast-check';
import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max';

import type { Contact, OptInStatus } from '../../tools/sandbox';
import { validNumber } from '../support/phoneNumbers';
import { addContact, addContacts, useSandbox } from './support';

/** Which contact a number means, however the CRM has stored it. */
export const sandbox = useSandbox({ limiter: { kind: 'off' } });
export const contacts = () => [...sandbox.store.contacts.values()];

export const STORED: ReadonlyArray<[stored: string, given: string]> = [
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
/** What `addContacts` gives the others: 4000000 and on. A number with their last digits may be that of one of them. */
const endsAsOthers = (number: string) => /000\d\d\d$/.test(number);
export const worlds = fc.record({
	number: validNumber.map(({ number }) => number).filter((number) => !endsAsOthers(number)),
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
export type World = Omit<Drawn, 'number'> & { number: PhoneNumber };

export function build({ number, stored, given, service, isHome, others }: World) {
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

export const copyOf = () => new Map(contacts().map((each) => [each.id, structuredClone(each)]));

/** Only these contacts may differ from before, and nobody who opted out is opted in. */
export function expectOnly(
	before: Map<string, Contact>,
	own: readonly Contact[],
	number: PhoneNumber,
) {
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
