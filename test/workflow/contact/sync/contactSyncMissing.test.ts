import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { getCountries, type CountryCode, type PhoneNumber } from 'libphonenumber-js/max';

import { readPhone } from '../../../../nodes/WorkspaceCrm/domain/phone';
import { keysOf } from '../../../../nodes/WorkspaceCrm/domain/sameNumber';
import { validNumber } from '../../../support/phoneNumbers';
import { addContact, addContacts, useSandbox, writes } from '../../support';
import { automatic, mapped, runSync } from './syncNode';

const sandbox = useSandbox({ limiter: { kind: 'off' } });
const continues = { onError: 'continueRegularOutput' } as const;
const unrelated = '+33612345670';

/** The phones that the output lists as missing. */
async function missingOf(items: IDataObject[], parameters = automatic({ missing: 'output' })) {
	const { json, hints, error } = await runSync(sandbox, items, parameters, continues);
	expect(error).toBeUndefined();
	const missing = json.filter(({ sync }) => (sync as IDataObject).action === 'missing');
	return { phones: missing.map(({ phone }) => phone), summary: hints.join(' ') };
}

describe('a contact is not missing while the input mentions it', () => {
	test.each<[string, string, unknown, string?]>([
		['with another form of the mobile prefix', '+5215512345678', '+52 55 1234 5678'],
		['with the ninth digit of Brazil', '+551187654321', '+55 11 98765-4321'],
		['in one of two readings', '+15123456789', '15123456789', 'DE'],
	])('%s', async (_case, stored, phone, ...more) => {
		const [defaultCountry] = more;
		addContact(sandbox, { phone: stored });
		addContact(sandbox, { phone: unrelated });
		const options = { missing: 'output', dryRun: true, ...(defaultCountry && { defaultCountry }) };
		const { phones } = await missingOf([{ phone } as IDataObject], automatic(options));
		expect(phones).toEqual([unrelated]);
	});

	test.each<[string, IDataObject, string]>([
		['fails', { phone: 'none', fails: true }, '={{ $json.fails ? $json.no.such : $json.phone }}'],
		['evaluates to nothing', {}, '={{ $json.phone }}'],
		['gives a number that a spreadsheet has cut', { phone: '4.91512E+12' }, '={{ $json.phone }}'],
		['gives an object', { phone: { number: '+4915123456789' } }, '={{ $json.phone }}'],
	])('nobody is missing if the phone expression of an item %s', async (_case, item, phone) => {
		addContact(sandbox, { phone: '+4915123456789' });
		addContact(sandbox, { phone: unrelated });
		const { phones, summary } = await missingOf(
			[{ phone: '+12125550123' }, item],
			mapped({ phone, name: 'Anna' }, { missing: 'output' }),
		);
		expect(phones).toEqual([]);
		expect(summary).toContain(
			'2 contacts not listed as missing, because it is unclear which contact is meant by item 2. Give each a valid phone number or the ID of its contact.',
		);
	});

	test('nobody is missing if the country of a national number cannot be read', async () => {
		// Without the country, it reads as a number of East Timor.
		addContact(sandbox, { phone: '+16702345678' });
		const options = {
			missing: 'output',
			defaultCountry: 'US',
			attributesJson: '={{ $json.json }}',
		};
		const items = [{ phone: '+12125550123' }, { phone: 6702345678, json: '{no json' }];
		expect((await missingOf(items, automatic(options))).phones).toEqual([]);
	});

	test('or if its stored number is not international; the summary counts those', async () => {
		for (const phone of ['0151 23456789', '', unrelated]) addContact(sandbox, { phone });
		const { phones, summary } = await missingOf([{ phone: '+12125550123' }]);
		expect(phones).toEqual([unrelated]);
		expect(summary).toContain(
			'1 of 1 contact with an international phone number (100%) missing from the input.',
		);
		expect(summary).toContain(
			'2 contacts not listed as missing, because their phone numbers are not international, or their last digits stand in the input.',
		);
	});
});

describe('nobody is missing whose number stands anywhere in the input', () => {
	const stored = '+4915123456781';
	test.each<[string, IDataObject]>([
		['in a second column', { phone2: stored }],
		['as a national number', { Festnetz: '0151 2345-6781' }],
		['as a number', { fax: 15123456781 }],
		['in a field of a field', { billing: { phones: ['x', { value: '(0151) 234.567/81' }] } }],
		['in front of another', { note: '0151 23456781 / 0171 9876543' }],
		['behind a note of another', { note: 'office 030-1234567, mobile 0151-23456781' }],
		['in other digits, with a long dash', { note: '٠١٥١\u2013٢٣٤٥٦٧٨١' }],
		['with invisible characters', { note: '\u202a0151\u00a0234\u200b56\u202f781\u202c' }],
	])('%s', async (_case, fields) => {
		for (const phone of [stored, unrelated]) addContact(sandbox, { phone });
		const { phones, summary } = await missingOf([{ phone: '+12125550123', ...fields }]);
		expect(phones).toEqual([unrelated]);
		expect(summary).toContain('1 contact not listed as missing');
	});

	test.each<[string, IDataObject]>([
		['digits of several fields', { note: ['23', '45', 6781] }],
		['with letters between', { note: '234 of 56781' }],
		['less than seven', { note: '456781' }],
		['in the middle of more', { note: '2345678199' }],
	])('but not as %s', async (_case, fields) => {
		for (const phone of [stored, unrelated]) addContact(sandbox, { phone });
		const { phones } = await missingOf([{ phone: '+12125550123', ...fields }]);
		expect(new Set(phones)).toEqual(new Set([stored, unrelated]));
	});
});

const otherDigits = (text: string) =>
	text.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));

/** A number as people, other systems and spreadsheets write it. */
function spellings(phone: PhoneNumber): fc.Arbitrary<unknown> {
	const national = phone.formatNational();
	const digits = phone.number.slice(1);
	return fc.constantFrom(...getCountries()).chain((from) =>
		fc.constantFrom<unknown>(
			phone.number,
			digits,
			Number(digits),
			phone.formatInternational(),
			phone.getURI(),
			national,
			national.replace(/\D/g, ''),
			Number(national.replace(/\D/g, '')),
			phone.nationalNumber,
			Number(phone.nationalNumber),
			phone.format('IDD', { fromCountry: from }) ?? digits,
			...['0', '00', '8', '06', '01', '1', '8 10', '011 ', '00 ', '+ '].map(
				(prefix) => `${prefix}${digits}`,
			),
			// Prefixes that are dialled before a national number; no country uses them with shorter numbers.
			...(phone.nationalNumber.length < 6 ? [] : ['0', '8', '06', '01', '1']).map(
				(prefix) => `${prefix}${phone.nationalNumber}`,
			),
			otherDigits(phone.formatInternational()),
			otherDigits(national),
		),
	);
}

/** A number as the CRM may have got it. */
const storedForms = (phone: PhoneNumber) =>
	fc.constantFrom(
		phone.number,
		phone.number,
		phone.number.slice(1),
		phone.formatInternational(),
		phone.formatNational(),
		`00${phone.number.slice(1)}`,
	);

/** Other fields of a row, some of which make it invalid. */
const breaks = fc.constantFrom<IDataObject>(
	{},
	{},
	{ opt_in: 'perhaps' },
	{ json: '{no json' },
	{ json: '[1]' },
	{ country: 'Atlantis' },
	{ tags: [{}] },
);
const countries = fc.option(fc.constantFrom<CountryCode>(...getCountries()), { nil: undefined });

interface Mentioned {
	stored: string;
	item: IDataObject;
}

/** A number that is read as somebody else's mentions somebody else. `misreadMobiles` tests how often. */
function isMisread(text: unknown, phone: PhoneNumber, country?: CountryCode): boolean {
	try {
		const { number, otherReading = '' } = readPhone(text, country);
		const others = [number, otherReading].flatMap((each) => keysOf({ phone: each }));
		return !keysOf({ phone: phone.number }).some((key) => others.includes(key));
	} catch {
		return false;
	}
}

const mentioned: fc.Arbitrary<Mentioned> = validNumber.chain((phone) =>
	fc
		.tuple(storedForms(phone), spellings(phone), breaks, countries)
		.filter(([, text, , country]) => !isMisread(text, phone, country))
		.map(([stored, text, broken, country]) => ({
			stored,
			item: { phone: text, ...(country && { country }), ...broken } as IDataObject,
		})),
);

// The property runs the node hundreds of times, which a slow machine cannot do in the usual 30 seconds.
jest.setTimeout(180_000);

test('no contact that the input mentions is missing, however it is written', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.uniqueArray(mentioned, {
				minLength: 1,
				maxLength: 6,
				selector: ({ stored }) => stored.replace(/\D/g, ''),
			}),
			async (all) => {
				sandbox.reset();
				for (const { stored } of all) addContact(sandbox, { phone: stored });
				const { phones } = await missingOf(
					all.map(({ item }) => item),
					automatic({
						missing: 'output',
						dryRun: true,
						defaultCountry: '={{ $json.country }}',
						attributesJson: '={{ $json.json }}',
					}),
				);
				expect(phones).toEqual([]);
			},
		),
		{ numRuns: 100 },
	);
});

test('missing contacts come after the rows, and are left alone', async () => {
	const [known, ...others] = addContacts(sandbox, 3);
	const items = [{ phone: '+1 212 555 0123' }, { phone: known.phone }];
	const { output, hints } = await runSync(sandbox, items, automatic({ missing: 'output' }));
	expect(output.slice(0, 2).map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
	]);
	expect(output.slice(2)).toEqual(
		others.map((contact) => ({ json: { ...contact, sync: { action: 'missing' } } })),
	);
	expect(hints[0]).toContain(
		'2 items: 1 created, 1 unchanged.<br>Phone: phone.<br>2 requests.<br>2 of 3 contacts with an international phone number (67%) missing from the input.',
	);
	expect(writes(sandbox)).toHaveLength(1);
});
