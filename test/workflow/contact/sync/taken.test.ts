import type { IDataObject } from 'n8n-workflow';

import { useSandbox } from '../../support';
import { automatic, mapped, runSync } from './syncNode';

/** One line of the summary says what was taken for what, so that people see a wrong guess. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });

const linesOf = async (items: IDataObject[], parameters = automatic()) => {
	const { hints, error } = await runSync(sandbox, items, parameters, {
		onError: 'continueRegularOutput',
	});
	expect(error).toBeUndefined();
	return hints.join('<br>').split('<br>');
};
const numbers = ['+4915123456789', '+4915123456790', '+4915123456791', '+4915123456792'];

describe.each([{}, { dryRun: true }])('with %j', (options) => {
	test('names the headings of each column, and the words for yes and no', async () => {
		const items = ['Ja', 'Nein', 'JA', ''].map((word, index) => ({
			Notiz: 'x',
			OPT_IN: word,
			Telefon: numbers[index],
			Naam: 'Eva',
		}));
		expect(await linesOf(items, automatic(options))).toContain(
			'Phone: Telefon, Name: Naam, Opt In: OPT_IN (yes: Ja, JA, no: Nein).',
		);
	});

	test('names the words and the country where columns are mapped by hand', async () => {
		const columns = { phone: '={{ $json.a }}', opt_in: '={{ $json.b }}' };
		const items = [
			{ a: '0151 23456789', b: 'si' },
			{ a: '+4915123456790', b: 'no' },
		];
		expect(
			await linesOf(items, mapped(columns, { defaultCountry: 'Alemania', ...options })),
		).toContain('Opt In (yes: si, no: no). Default Country: Germany.');
	});
});

test('counts the numbers that are landlines of the Default Country', async () => {
	const items = ['030 123456', '040 1234567', '0151 23456789', '+4930123457'];
	const rows = items.map((phone) => ({ phone, name: 'a' }));
	expect(await linesOf(rows, automatic({ defaultCountry: 'DE' }))).toContain(
		'Phone: phone, Name: name. Default Country: Germany. 2 numbers are landlines of Germany.',
	);
	expect((await linesOf(rows.slice(1), automatic({ defaultCountry: 'DE' }))).join()).toContain(
		' 1 number is a landline of Germany.',
	);
});

test('names each of several headings, and all countries', async () => {
	const country = '={{ $json.land }}';
	const items = [
		{ Handy: '0151 23456789', land: 'DE' },
		{ Mobil: '0664 1234567', land: 'Österreich' },
		{ Mobil: '0664 1234568', land: 'at' },
		{ Handy: '+4915123456791', land: '' },
		{ Mobil: '12125550123', land: 'international' },
	];
	expect(await linesOf(items, automatic({ defaultCountry: country }))).toContain(
		'Phone: Handy, Mobil. Default Country: Germany, Austria, International.',
	);
});

test('names the columns of attributes, but those that have a line of their own once', async () => {
	const types = { 'attributes.birth_date': 'string' };
	const items = [
		{ phone: numbers[0], 'Birth Date': 'x', Company: 'y', 'attributes.sent:spring:1': 'z' },
		{ phone: numbers[1], attributes: { plan: 'pro' } },
	];
	const lines = await linesOf(items, automatic({ otherColumns: 'attributes' }, types));
	expect(lines).toContain('Phone: phone, Attributes: Birth Date, attributes.');
	expect(lines).toContain('Columns saved as attributes: Company.');
});

test('says nothing where nothing was taken for anything', async () => {
	const items = numbers.map((a) => ({ a }));
	const lines = await linesOf(items, mapped({ phone: '={{ $json.a }}' }));
	expect(lines).toEqual(['4 items: 4 created.', '5 requests.']);
});

test('names no word that was not read as yes or no', async () => {
	const items = [
		{ 'Opt-In': 'S', phone: numbers[0], name: 'a' },
		{ 'Opt-In': 'yes', phone: numbers[1], Name: 'b' },
	];
	const [line] = (await linesOf(items)).filter((each) => each.startsWith('Phone'));
	expect(line).toBe('Phone: phone, Name: name, Name, Opt In: Opt-In (yes: yes).');
});

test('quotes a heading with a comma or a dot', async () => {
	const items = [{ 'No. HP': numbers[0], 'Name, Naam': 'Eva', Name: 'Eva' }];
	const types = { 'attributes.Name, Naam': 'string' };
	expect(await linesOf(items, automatic({}, types))).toContain(
		'Phone: "No. HP", Name: Name, Attributes: "Name, Naam".',
	);
});
