import type { IDataObject } from 'n8n-workflow';

import { detailsOf } from '../../../../tools/engine/runNode';
import { addContact, useSandbox, writes } from '../../support';
import { actionsOf, automatic, mapped, runSync } from './syncNode';

/** Where two columns could be meant, nobody is guessed: the row is refused and names both, or the summary says so. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const other = '+4915123456780';
const landline = '+4930901820';

async function sync(items: object[], parameters = automatic()) {
	const { json, hints } = await runSync(sandbox, items as IDataObject[], parameters, {
		onError: 'continueRegularOutput',
	});
	const failed = json.flatMap((each) =>
		each.error === undefined ? [] : [[each.error, detailsOf(each).description]],
	);
	return { actions: actionsOf(json), failed, hint: hints.join('<br>') };
}

const bodies = () => writes(sandbox).map(({ body }) => body);

describe('two columns that could be the phone', () => {
	test.each([
		['Phone', 'Mobile'],
		['phone', 'WhatsApp'],
		['Telefon', 'Handy'],
		['Phone Number', 'Phone'],
		['Mobile', 'Cell Phone'],
	])('%s and %s, differ, so the row is refused', async (one, two) => {
		const { actions, failed } = await sync([{ [one]: landline, [two]: phone, Name: 'Anna' }]);
		expect(actions).toEqual(['invalid']);
		expect(failed[0][0]).toBe(
			`The columns '${one}' and '${two}' could both be 'Phone', and differ`,
		);
		expect(failed[0][1]).toMatch(/Leave one of them out, or choose 'Map Each Column Manually'\.$/);
		expect(sandbox.requests).toEqual([]);
	});

	test('are used once one is left out, or mapped by hand', async () => {
		const item = { Phone: landline, Mobile: phone };
		await sync([{ Mobile: phone }]);
		await sync([item], mapped({ phone: '={{ $json.Mobile }}' }));
		expect(bodies()).toEqual([{ phone }]);
	});

	test('of colleagues with one landline do not make them one contact, and the summary says it once', async () => {
		const items = [
			{ Phone: landline, Mobile: phone, Name: 'Anna' },
			{ Phone: landline, Mobile: other, Name: 'Ben' },
			{ Phone: '', Mobile: '+4915123456781', Name: 'Cem' },
		];
		const { actions, hint } = await sync(items);
		expect(actions).toEqual(['invalid', 'invalid', 'created']);
		expect(hint).toContain("<br>Items 1, 2: The columns 'Phone' and 'Mobile' could both be");
	});

	test.each([
		[{ Phone: '0151 23456789', Mobile: '+49 151 2345 6789' }],
		[{ Phone: '01512/3456789', WhatsApp: 4915123456789 }],
		[{ Phone: '00491512 3456789', 'Mobile Phone': '0151-23456789', Cell: '' }],
	])('are one if they are the same number: %j', async (item) => {
		const { actions, hint } = await sync([item], automatic({ defaultCountry: 'DE' }));
		expect(actions).toEqual(['created']);
		expect(bodies()).toEqual([{ phone }]);
		expect(hint).not.toContain('ignored');
	});

	test.each(['yes', true, 'n/a', '1'])('are no candidates without a number: %j', async (answer) => {
		const { actions, hint } = await sync([
			{ WhatsApp: answer, Phone: phone },
			{ Phone: other, WhatsApp: answer },
		]);
		expect(actions).toEqual(['created', 'created']);
		expect(hint).toContain('Columns ignored: WhatsApp.');
	});

	test('one of which cannot be read may be the right one', async () => {
		const { failed } = await sync([{ Phone: landline, Mobile: '0151 2345 (weekends)' }]);
		expect(failed[0][0]).toContain("'Phone' and 'Mobile' could both be");
	});
});

test.each([
	[{ Tags: 'vip', Label: 'home' }, 'Tags'],
	[{ 'Opt In': 'yes', 'Accepts Messages': 'no' }, 'Opt In'],
	[{ Name: 'Anna', Naam: 'Anna Meyer' }, 'Name'],
	[{ plan: 'a', 'Attribute: plan': 'b' }, 'Attribute: plan'],
])('no column comes before another: %j', async (cells, label) => {
	const types = { 'attributes.plan': 'string' };
	const { failed } = await sync([{ phone, ...cells }], automatic({}, types));
	expect(failed[0][0]).toContain(`could both be '${label}', and differ`);
	for (const [heading, value] of Object.entries(cells)) {
		sandbox.reset();
		const { actions } = await sync([{ phone, [heading]: value }], automatic({}, types));
		expect(actions).toEqual(['created']);
	}
});

describe('a bare name beside a part of a name', () => {
	const pairs = [
		['Name', 'Vorname'],
		['Name', 'Nachname'],
		['name', 'Surname'],
		['Name', 'Last Name'],
		['NAME', 'First Name'],
		['Name', 'given_name'],
		['Nom', 'Prénom'],
		['Nombre', 'Apellidos'],
		['Nombre', 'Apellido paterno'],
		['Nome', 'Sobrenome'],
		['Nome', 'Cognome'],
		['Naam', 'Voornaam'],
		['Naam', 'Achternaam'],
		['Nama', 'Nama Belakang'],
		['الاسم', 'اسم العائلة'],
		['नाम', 'उपनाम'],
	];

	test.each(pairs)('%s beside %s changes no name, and the summary says so', async (bare, part) => {
		addContact(sandbox, { phone, name: 'Anna Meyer' });
		const { hint } = await sync([{ phone, [bare]: 'Meyer', [part]: 'Anna' }]);
		expect(writes(sandbox)).toEqual([]);
		expect(hint).toContain(
			`No column is the name: ${bare} may be only a part of it. For whole names, use the heading 'Full Name'.`,
		);
	});

	test.each(pairs)('%s beside %s is the name if it holds that part', async (bare, part) => {
		const { hint } = await sync([
			{ phone, [bare]: 'Anna Meyer', [part]: 'Meyer' },
			{ phone: other, [bare]: 'Meyer, ANNA', [part]: 'Anna' },
			{ phone: '+4915123456781', [bare]: 'Ben', [part]: '' },
		]);
		expect(bodies()).toMatchObject([
			{ name: 'Anna Meyer' },
			{ name: 'Meyer, ANNA' },
			{ name: 'Ben' },
		]);
		expect(hint).not.toContain('No column is the name');
	});

	test('counts in no row if it fails to hold the part in one', async () => {
		const rows = [
			{ phone, Name: 'Anna Meyer', Vorname: 'Anna' },
			{ phone: other, Name: 'Hannah Wolf', Vorname: 'Anna' },
		];
		await sync(rows);
		expect(bodies()).toEqual([{ phone }, { phone: other }]);
		sandbox.reset();
		await sync(rows.map(({ Name, ...row }) => ({ ...row, 'Full Name': Name })));
		expect(bodies()).toMatchObject([{ name: 'Anna Meyer' }, { name: 'Hannah Wolf' }]);
	});

	test('gives way to the whole name', async () => {
		const { hint } = await sync([
			{ phone, Name: 'Meyer', Vorname: 'Anna', 'Full Name': 'Anna Meyer' },
		]);
		expect(bodies()).toEqual([{ phone, name: 'Anna Meyer' }]);
		expect(hint).toContain('Columns ignored: Name, Vorname.');
		expect(hint).not.toContain('No column is the name');
	});
});

describe('a bare Opt In beside another column of that kind', () => {
	const others = [
		'SMS Opt Out',
		'smsOptOut',
		'HasOptedOutOfEmail',
		'Unsubscribed At',
		'unsub_date',
		'Abgemeldet',
		'Abgemeldet am',
		'Désinscrit le',
		'Descadastrado',
		'Email Opt-In',
		'DOUBLE_OPT-IN',
		'Opt Out',
	];

	test.each(others)('is asked: %s', async (heading) => {
		const item = { phone, OPT_IN: 'yes', [heading]: 'no' };
		const { failed } = await sync([item]);
		expect(failed[0][0]).toBe(
			`The columns 'OPT_IN' and ${JSON.stringify(heading)} may contradict each other`,
		);
		expect(sandbox.requests).toEqual([]);
		await sync([{ phone, OPT_IN: 'yes' }]);
		await sync([item], mapped({ phone: other, opt_in: '={{ $json.OPT_IN }}' }));
		expect(bodies()).toEqual([
			{ phone, opt_in: true },
			{ phone: other, opt_in: true },
		]);
	});

	test('is asked once for the list, also where the other is blank, and No is sent', async () => {
		const { actions, hint } = await sync([
			{ phone, 'Opt In': 'yes', 'Unsubscribed At': '' },
			{ phone: other, 'Opt In': 'yes', 'Unsubscribed At': '2026-01-01' },
			{ phone: '+4915123456781', 'Opt In': 'no', 'Unsubscribed At': '' },
			{ phone: '+4915123456782', 'Opt In': '', 'Unsubscribed At': '' },
		]);
		expect(actions).toEqual(['invalid', 'invalid', 'created', 'created']);
		expect(hint).toContain('<br>Items 1, 2: The columns');
	});

	test.each([
		'opt_in_status',
		'Opt In Date',
		'opt-in source',
		'Option',
		'Optimal Time',
		'Adopted',
		'Co-op',
	])('is not asked: %s', async (heading) => {
		const { actions } = await sync([{ phone, 'Opt In': 'yes', [heading]: 'x' }]);
		expect(actions).toEqual(['created']);
	});

	test('that names its channel is not asked for another channel', async () => {
		const { actions } = await sync([{ phone, 'WhatsApp Opt In': 'yes', 'Email Opt In': 'no' }]);
		expect(actions).toEqual(['created']);
	});
});

describe('a column of countries beside numbers without a plus', () => {
	const germany = (options = {}) => automatic({ defaultCountry: 'DE', ...options });

	test.each([
		['CountryCode', 43, '0664 1234567'],
		['Country Code', '+43', '6641234567'],
		['country', 'Austria', '0664 1234567'],
		['COUNTRY', 'AT', '0664 1234567'],
		['Country', 'Österreich', '0664/1234567'],
	])('%s: %j says otherwise of %s than Default Country', async (heading, cell, number) => {
		const item = { Phone: number, [heading]: cell };
		const { failed } = await sync([item], germany());
		const [message, description] = failed[0];
		expect(message).toBe(
			`The column ${JSON.stringify(heading)} says ${JSON.stringify(cell)}, but the phone number ${JSON.stringify(number)} would not be read as one of that country`,
		);
		expect(sandbox.requests).toEqual([]);
		const [expression] = /{{.*}}/.exec(String(description)) ?? [];
		const { actions } = await sync([item], germany({ defaultCountry: `=${expression}` }));
		expect(actions).toEqual(['created']);
		expect(bodies()).toEqual([{ phone: '+436641234567' }]);
	});

	test('counts for columns that are mapped by hand, too', async () => {
		const item = { tel: '0664 1234567', Country: 'AT' };
		const { actions } = await sync(
			[item],
			mapped({ phone: '={{ $json.tel }}' }, { defaultCountry: 'DE' }),
		);
		expect(actions).toEqual(['invalid']);
	});

	test.each([
		['a plus', { Phone: '+43 664 1234567', Country: 'AT' }],
		['00', { Phone: '0043 664 1234567', Country: 'AT' }],
		['the same country', { Phone: '0151 23456789', CountryCode: '49' }],
		['a number that the other country does not have', { Phone: '0151 23456789', Country: 'FR' }],
		['a cell that is no country', { Phone: '0664 1234567', Country: 'EU-Kunde' }],
		['a code of several countries', { Phone: '0664 1234567', Country: 44 }],
		['a blank cell', { Phone: '0664 1234567', Country: '' }],
		['another heading', { Phone: '0664 1234567', Nation: 'AT', Land: 'AT', 'Birth Country': 'AT' }],
	])('is no matter with %s', async (_case, item) => {
		const { failed } = await sync([item], germany());
		expect(JSON.stringify(failed)).not.toContain('The column');
	});

	test('a blank cell has the country that was set', async () => {
		const { failed } = await sync([{ Phone: '0664 1234567', Country: 'AT' }], germany());
		const [expression] = /{{.*}}/.exec(String(failed[0][1])) ?? [];
		await sync(
			[{ Phone: '0151 23456789', Country: '' }],
			germany({ defaultCountry: `=${expression}` }),
		);
		expect(bodies()).toEqual([{ phone }]);
	});
});

describe('a list of somebody else with columns of our names', () => {
	test.each([
		{ 'campaign.name': 'Spring', id: '17', created_at: 'May' },
		{ campaign: { name: 'Spring' }, id: '17', created_at: 'May' },
		{ 'campaign.status': 'ENABLED', 'campaign.name': 'Spring', id: '17' },
		{ campaign: { status: 'PAUSED', id: 3 }, created_at: 'May' },
		{ sync: { at: 'May' }, id: '17' },
		{ result: 'sent', code: 'C7', reason: 'Fair', id: '17' },
		{ result: 'passed', message_key: 'm-1', code: 'C7' },
		{ message_key: 'm-1', reason: 'Fair', id: '17' },
		{ 'sync.at': 'May', result: 'sent', code: 'C7' },
	])('is not taken for an output of ours: %j', async (cells) => {
		const { hint } = await sync([{ phone, ...cells }]);
		expect(hint).toContain(`Columns ignored: ${Object.keys(cells).join(', ')}.`);
	});

	test.each([
		{ 'campaign.status': 'sent', 'campaign.key': 'spring', id: '17', created_at: 'May' },
		{ campaign: { status: 'sent', key: 'spring' }, id: '17', created_at: 'May' },
		{ 'sync.action': 'created', 'sync.item': 1, id: '17', created_at: 'May' },
		{ result: 'sent', message_key: 'spring', id: '17', created_at: 'May' },
		{ result: 'skipped', code: 'optedOut', reason: 'Left.', message_key: 'spring' },
	])('is told from an output of ours: %j', async (cells) => {
		const { hint } = await sync([{ phone, ...cells }]);
		expect(hint).not.toContain('ignored');
	});

	test('keeps its result, code and reason beside the fields of a contact', async () => {
		const cells = { opt_in_status: 'confirmed', result: 'won', code: 'C7', reason: 'Fair' };
		const { hint } = await sync([{ phone, ...cells }]);
		expect(hint).toContain('Columns ignored: result, code, reason.');
	});
});
