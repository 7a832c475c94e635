import * as fc from 'fast-check';
import type { IDataObject, INode } from 'n8n-workflow';

import { countRows } from '../../../../nodes/WorkspaceCrm/resources/contact/sync/summary';
import {
	addContact,
	addContacts,
	patientRuntime,
	sentLines,
	useSandbox,
	writes,
} from '../../support';
import { actionsOf, automatic, mapped, runSync, syncsOf } from './syncNode';

/** What a sync says about its rows. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const dry = { dryRun: true };
const both = [{}, dry];

describe.each(both)('with %j', (options) => {
	test('each row shows whose it is, as typed, and what each field was and becomes', async () => {
		addContact(sandbox, {
			phone,
			name: 'Nathan',
			tags: ['old'],
			attributes: { plan: 'free' },
			opt_in_status: 'none',
		});
		const items = [
			{
				phone: '+49 1512 3456789',
				name: 'Nate',
				tags: 'new',
				plan: 'pro',
				city: 'Bonn',
				opt_in: 'yes',
			},
			{ phone: 'call me', name: 'Anna' },
			{ phone: '+1 212 555 0123', name: 'New', row_number: 7 },
		];
		const parameters = automatic({ tagMode: 'match', otherColumns: 'attributes', ...options });
		const { json } = await runSync(sandbox, items, parameters, {
			onError: 'continueRegularOutput',
		});
		expect(json[0].sync).toMatchObject({
			item: 1,
			phone: '+49 1512 3456789',
			changes: {
				name: { from: 'Nathan', to: 'Nate' },
				'attributes.plan': { from: 'free', to: 'pro' },
				'attributes.city': { from: null, to: 'Bonn' },
				tags: { added: ['new'], removed: ['old'] },
				opt_in: { from: 'none', to: options === dry ? 'Yes' : 'confirmed' },
			},
		});
		expect(json[1].sync).toMatchObject({ action: 'invalid', item: 2, phone: 'call me' });
		if (options === dry) expect(json[1].name).toBe('Anna');
		expect(json[2].sync).toMatchObject({ row: 7, changes: { name: { from: null, to: 'New' } } });
	});

	test('a pending contact is not opted in again, and the output says so', async () => {
		addContact(sandbox, { phone, opt_in_status: 'pending' });
		const { json, hints } = await runSync(sandbox, [{ phone, opt_in: 'yes' }], automatic(options));
		expect(syncsOf(json)).toMatchObject([
			{ action: 'unchanged', note: expect.stringMatching('has not confirmed yet') },
		]);
		expect(hints[0]).toContain('<br>The contact is pending: it has not confirmed yet.');
		expect(writes(sandbox)).toEqual([]);
	});

	test('rows of one contact are named, each with the others', async () => {
		addContact(sandbox, { phone: '+12125550101', name: 'Ben' });
		const items = [
			{ row_number: 2, phone, name: 'Ana Souza', tags: 'a' },
			{ row_number: 3, phone: '+12125550101', name: 'Ben' },
			{ row_number: 4, phone: '+12125550102', name: 'Eva' },
			{ row_number: 30, phone: '0049 1512 3456789', name: 'Ana S.', tags: 'b' },
			{ row_number: 31, phone, name: '' },
			{ row_number: 32, phone: '+1 212 555 0101' },
		];
		const { json, hints } = await runSync(sandbox, items, automatic(options));
		const counts = 'The last value of each field counts, and all tags.';
		const three = 'Rows 2, 30 and 31 are one contact and differ in Name: the last counts.';
		const two = `Same contact: Rows 3 and 32. ${counts}`;
		expect(syncsOf(json).map(({ note }) => note)).toEqual([
			three,
			two,
			undefined,
			three,
			three,
			two,
		]);
		expect(hints[0]).toContain(`<br>${three}<br>Same contact: Rows 3 and 32. ${counts}`);
		expect(json[4]).toMatchObject({ name: 'Ana S.', tags: ['a', 'b'] });
	});

	test('rows of one contact that differ are named with each field', async () => {
		const items = [
			{ row_number: 2, phone, name: 'Ana', locale: 'de', City: 'Bonn', plan: 'a', tags: 'a' },
			{ row_number: 7, phone, name: 'Ana', locale: 'en', City: 'Bern', vip: true, tags: 'b' },
			{ row_number: 8, phone, name: ' Ana ', City: '' },
		];
		const { hints } = await runSync(
			sandbox,
			items,
			automatic({ ...options, otherColumns: 'attributes' }),
		);
		expect(hints[0]).toContain(
			'<br>Rows 2, 7 and 8 are one contact and differ in Locale, Attribute: City: the last counts.',
		);
	});

	test("'Opt In: No' is counted apart from changes", async () => {
		addContact(sandbox, { phone, opt_in_status: 'none' });
		const { hints } = await runSync(sandbox, [{ phone, opt_in: 'no' }], automatic(options));
		expect(hints[0]).toMatch(/1 (?:to send|not opted out after) 'Opt In: No'/);
		expect(hints[0]).not.toContain('update');
	});

	test('says which status a contact has only behind a No that it does not show', async () => {
		const summaryOf = async (opt_in: string) =>
			(await runSync(sandbox, [{ phone, opt_in }], automatic(options))).hints[0];
		const shown =
			options === dry ? '' : `<br>1 contact said No, and the CRM shows 'none' (${phone}).`;
		expect(await summaryOf('no')).toContain(`: No for 1 contact.${shown}<br>`);
		expect(await summaryOf('yes')).not.toContain('said');
	});
});

test('a dry run names the tags that would be created, and those that differ only in case', async () => {
	addContact(sandbox, { phone: '+12125550123', tags: ['VIP'] });
	const { hints } = await runSync(
		sandbox,
		[{ phone, tags: 'vip, brand new, VIP, Brand New' }],
		automatic(dry),
	);
	expect(hints[0]).toContain('Tags that would be created: "vip", "brand new", "Brand New".');
	expect(hints[0]).toContain(
		'Some differ only in case or spelling: "vip" (there is "VIP"), "brand new" (the input also has "Brand New"). Unless you correct them in the input, each is a tag of its own.',
	);
});

test('a dry run of which nothing would be saved does not say how to go on', async () => {
	const endOf = async (...phones: string[]) =>
		(
			await runSync(
				sandbox,
				phones.map((each) => ({ phone: each })),
				automatic(dry),
			)
		).hints.join();
	expect(await endOf('call me', phone)).toContain(
		'stops with an error because of 1 item, after it has saved the others. To go on,',
	);
	expect(await endOf('call me', 'later')).toContain(
		'<br>A run stops with an error because of 2 items.<br>',
	);
});

test('a run reads no list of tags, and says nothing of them', async () => {
	addContact(sandbox, { phone: '+12125550123', tags: ['Newsletter'] });
	const { hints } = await runSync(sandbox, [{ phone, tags: 'newsletter, vip' }], automatic());
	expect(hints[0]).not.toMatch(/tags? that/i);
	expect(sentLines(sandbox)).not.toContain('GET /v1/tags');
});

test.each([
	['cafe', 'Café'],
	['new-customer', 'New Customer'],
])(
	'a tag like another one without accents, blanks and dashes is named: %s',
	async (tags, there) => {
		addContact(sandbox, { phone: '+12125550123', tags: [there] });
		const { hints } = await runSync(sandbox, [{ phone, tags }], automatic(dry));
		expect(hints[0]).toContain(`"${tags}" (there is "${there}")`);
	},
);

test('a pair of tags that differ only in case is named once', async () => {
	const { hints } = await runSync(sandbox, [{ phone, tags: 'News, VIP, vip' }], automatic(dry));
	expect(hints[0]).toContain('spelling: "VIP" (the input also has "vip"). Unless');
});

describe('a dry run', () => {
	const words = ['S', 'talvez', 'S', 'sim'].map((opt_in, index) => ({
		row_number: index + 2,
		phone: `+1212555010${index}`,
		opt_in,
		tags: 'new',
	}));
	const mayStop = /A run stops with an error[^<]*/;

	test('names the rows of a reason with its first value, after what matters more', async () => {
		const { hints } = await runSync(sandbox, words, automatic(dry));
		const lines = hints[0].split('<br>');
		expect(lines.at(-1)).toMatch(
			/^Rows 2, 3, 4, for example: 'Opt In' is "S", which is neither yes nor no\. Enter yes/,
		);
		expect(lines.slice(0, 6)).toEqual([
			'Dry run, nothing was changed: 4 rows.',
			'1 to create',
			'3 invalid',
			'Phone: phone, Tags: tags, Opt In: opt_in (yes: sim).',
			"A run stops with an error because of 3 rows, after it has saved the others. To go on, set 'On Error' in the node's settings to 'Continue (using error output)'.",
			'Tags that would be created: "new". Tags of rows that fail are not listed.',
		]);
	});

	test('lists the tags of a row that is saved without its consent', async () => {
		addContact(sandbox, { phone: '01512 3456789', opt_in_status: 'opted_out' });
		const rows = [{ phone: '+4915123456789', opt_in: 'yes', tags: 'new' }];
		const { hints } = await runSync(sandbox, rows, automatic(dry));
		expect(hints[0]).toContain('1 to save without their consent');
		expect(hints[0]).toContain('Tags that would be created: "new".');
		expect(hints[0]).not.toContain('are not listed');
	});

	test('says how a run ends only if it ends with an error', async () => {
		const stops = await runSync(sandbox, words, automatic({ ...dry, stopAtFirstProblem: true }));
		expect(mayStop.exec(stops.hints[0])?.[0]).toContain('at the first of the rows that fail.');
		const output = { onError: 'continueErrorOutput' } as const;
		const continues = await runSync(sandbox, words, automatic(dry), output);
		expect(continues.hints.join()).not.toMatch(mayStop);
		const fine = await runSync(sandbox, words.slice(3), automatic(dry));
		expect(fine.hints[0]).not.toMatch(mayStop);
	});

	test('does not say what a run takes that sends nothing', async () => {
		const { hints } = await runSync(sandbox, words.slice(0, 2), automatic(dry));
		expect(hints[0]).not.toMatch(/request|saved the others/);
	});

	test('names the row of a reason that no other row has', async () => {
		const items = [...words.slice(3), { row_number: 9, phone: 'a confirmar' }];
		const { hints } = await runSync(sandbox, items, automatic(dry));
		expect(hints[0]).toContain('<br>Row 9: "a confirmar" is not a phone number. ');
	});

	test('says once that a setting is wrong for all rows', async () => {
		const items = [...words.slice(3), { phone: '030 1234567', row_number: 9 }, { name: 'Ben' }];
		const { hints } = await runSync(sandbox, items, automatic({ ...dry, defaultCountry: '+1' }));
		const lines = hints[0].split('<br>').slice(-2);
		expect(lines).toEqual([
			expect.stringMatching(
				/^'Default Country' is "\+1", which several countries share\. Enter the two letters of one: AG,.* US, /,
			),
			expect.stringMatching(/^Item 3: 'Phone' is empty/),
		]);
		// Where it is read from a column, some rows may have another one.
		const columns = { phone: '={{ $json.phone }}' };
		const countries = ['US', 'Atlantis', 'Atlantis'];
		const each = countries.map((country) => ({ phone: '212 555 0123', country }));
		const options = { ...dry, defaultCountry: '={{ $json.country }}' };
		const { hints: some } = await runSync(sandbox, each, mapped(columns, options));
		expect(some[0]).toContain(
			`<br>Items 2, 3: 'Default Country' is "Atlantis", which is not a country. Enter its name`,
		);
	});

	test('names both rows of a contact whose consent is in doubt', async () => {
		const items = [words[3], { ...words[0], phone: words[3]?.phone }] as IDataObject[];
		const { hints } = await runSync(sandbox, items, automatic(dry));
		expect(hints[0]).toContain(
			'<br>Row 5: Rows 2 and 5 are the same contact, and what row 2 says about consent cannot be read. No consent is sent for this contact.',
		);
	});
});

test('a run whose tags cannot be listed succeeds', async () => {
	sandbox.fail({ match: { path: '/v1/tags' }, times: 99, kind: { status: 500 } });
	const { json, error } = await runSync(sandbox, [{ phone, tags: 'vip' }], automatic());
	expect(error).toBeUndefined();
	expect(actionsOf(json)).toEqual(['created']);
});

test('a proof alone, which cannot be read back, is not said to be stored differently', async () => {
	const { hints } = await runSync(
		sandbox,
		[{ phone: '+4915123456701', name: 'Anna', consent_proof: 'Form' }],
		automatic(),
	);
	expect(hints[0]).toContain('1 created');
	expect(hints[0]).not.toContain('differently');
});

test.each([
	[{ name: 'N' }],
	[{ name: 'N', locale: 'fr' }],
	[{ tags: 'a, b' }],
	[{ opt_in: 'yes', name: 'N' }],
	[{ opt_in: 'yes', consent_proof: 'Form', tags: 'a', locale: 'fr' }],
])('a dry run says how many requests a run takes: %j', async (fields) => {
	const [known] = addContacts(sandbox, 2);
	const items = [known.phone, phone].map((each) => ({ phone: each, ...fields }) as IDataObject);
	const { hints } = await runSync(sandbox, items, automatic(dry));
	const [, told] = /about (\d+) requests/.exec(hints[0]) ?? [];
	sandbox.requests.length = 0;
	await runSync(sandbox, items);
	expect(Number(told)).toBe(sandbox.requests.length);
});

test.each([
	[{}, 'sent'],
	[dry, 'to send'],
])('the summary counts to whom consent is sent: %j', async (options, words) => {
	addContact(sandbox, { phone, opt_in_status: 'confirmed' });
	const items = [
		{ phone, opt_in: 'no' },
		{ phone: '+12125550123', opt_in: 'yes' },
		{ phone: '+12125550124', opt_in: 'ja' },
		{ phone: '+12125550125', name: 'Ben' },
	];
	const { hints } = await runSync(sandbox, items, automatic(options));
	expect(hints[0]).toContain(`'Opt In' ${words}: Yes for 2 contacts, No for 1 contact.`);
});

test.each([
	['Opt In', { opt_in: 'maybe' }, 'Anna'],
	['an attribute', { paid: 'maybe' }, 'Anna'],
	['JSON', { attributes: '{' }, 'Anna'],
	['the phone number', { phone: 'call me' }, 'Anna'],
	['the name', { name: '#REF!' }, ''],
])('a dry run shows whose row it is if %s cannot be read', async (_, cell, name) => {
	const items = [{ phone, name: 'Anna', ...cell }];
	const types = { 'attributes.paid': 'boolean' };
	const { json } = await runSync(sandbox, items, automatic(dry, types));
	expect(json).toMatchObject([{ sync: { action: 'invalid' }, name }]);
});

test.each(["$json['Möchte Infos']", '$input.item.json.ok'])(
	'the error of an Opt In that %s gives shows how to turn its words',
	async (code) => {
		const items = [{ phone, ok: 'maybe', 'Möchte Infos': 'maybe' }];
		const values = { phone: '={{ $json.phone }}', opt_in: `={{ ${code} }}` };
		const { json } = await runSync(sandbox, items, mapped(values, dry));
		expect(json[0].sync).toMatchObject({
			note: expect.stringContaining(
				`use the expression {{ (${code}) == "maybe" ? "no" : ${code} }}.`,
			),
		});
	},
);

test('a blank row of a sheet is blank although a column has a fixed value', async () => {
	const value = { phone: '={{ $json.tel }}', name: '={{ $json.name }}', source: 'Fair' };
	const items = [
		{ tel: phone, name: 'Anna' },
		{ tel: '', name: ' ' },
		{ tel: '', name: 'Ben' },
	];
	const { json, error } = await runSync(sandbox, items, mapped(value, dry));
	expect(error).toBeUndefined();
	expect(actionsOf(json)).toEqual(['wouldCreate', 'skipped', 'invalid']);
	// If all are blank, the columns are wrong.
	const { json: none } = await runSync(sandbox, [{ tel: '' }, { tel: '' }], mapped(value, dry));
	expect(actionsOf(none)).toEqual(['invalid', 'invalid']);
});

test.each([
	[dry, "the 'note' of the item"],
	[{}, 'the error of the item'],
])('the summary names most reasons, each in a line, and where the others are', async (...row) => {
	const [options, where] = row;
	const items = ['a', 'b', 'c'].map((each) => ({ phone: each })) as IDataObject[];
	items.push({ phone: '12' }, { phone: '+12125550123', opt_in: 'perhaps' }, { name: 'nobody' });
	items.push({ phone, name: '#REF!' }, { phone: '2026-01-02' }, { phone: '+49 30 1234567 ext. 5' });
	const output = { onError: 'continueErrorOutput' } as const;
	const { hints } = await runSync(sandbox, items, automatic(options), output);
	const summary = hints.at(-1)?.split('<br>') ?? [];
	const lines = summary.filter((line) => /^(?:Items? |\d+ items:)|other/.test(line)).slice(-6);
	expect(lines).toEqual([
		expect.stringMatching(
			/^Items 1, 2, 3, for example: "a" is not a phone number\. Enter the number/,
		),
		...[1, 2, 3, 4].map(() => expect.stringMatching(/^Item \d: /) as string),
		`2 other reasons: see ${where}.`,
	]);
});

describe('with Retry On Fail', () => {
	const settings: Partial<INode> = { retryOnFail: true, maxTries: 2, waitBetweenTries: 5 };
	const run = async (items: IDataObject[]) =>
		await runSync(sandbox, items, automatic(), { settings, runtime: patientRuntime().runtime });

	test('what the first try did is what the run did', async () => {
		const [known] = addContacts(sandbox, 1);
		sandbox.fail({ match: { method: 'POST' }, skip: 1, kind: { status: 422 } });
		const { json, error } = await run([
			{ phone: known.phone, name: 'New' },
			{ phone, name: 'Anna' },
			{ phone: '+12125550123', name: 'Ben' },
		]);
		expect(error).toBeUndefined();
		expect(actionsOf(json)).toEqual(['updated', 'created', 'created']);
		expect(json[0].sync).toMatchObject({ changes: { name: { from: 'Contact 0', to: 'New' } } });
		expect(writes(sandbox)).toHaveLength(4);
	});

	test.each<[string, { method: string }]>([
		['its locale', { method: 'PATCH' }],
		['its name, in another form of its number', { method: 'POST' }],
	])('a contact is created, though %s needed a second try', async (_what, match) => {
		const skip = Number(match.method === 'POST');
		sandbox.fail({ match, skip, kind: { status: 422 } });
		const number = skip ? '+5511987654321' : phone;
		const { json } = await run([
			{ phone: number, name: 'Anna', locale: 'fr', consent_proof: 'Form' },
		]);
		expect(json[0]).toMatchObject({
			sync: { action: 'created', changes: { name: { from: null, to: 'Anna' } } },
			name: 'Anna',
			locale: 'fr',
		});
	});

	test.each(['POST', 'PATCH'])('a lost %s is not reported as unchanged', async (method) => {
		if (method === 'PATCH') addContact(sandbox, { phone, name: 'Old' });
		const kind = { drop: 'afterEffect' } as const;
		sandbox.fail({ match: { method }, times: 3, kind });
		const { json } = await run([{ phone, name: 'Anna' }]);
		expect(syncsOf(json)).toEqual([{ action: 'saved' }]);
	});
});

test('a row that failed shows what was changed before', async () => {
	addContact(sandbox, { phone, name: 'Old', tags: ['old'] });
	sandbox.fail({ match: { method: 'DELETE' }, kind: { status: 422 } });
	const { failed } = await runSync(
		sandbox,
		[{ phone, name: 'New', tags: 'new' }],
		automatic({ tagMode: 'match' }),
		{ onError: 'continueErrorOutput' },
	);
	expect(failed[0].sync).toMatchObject({
		action: 'failed',
		changes: { name: { from: 'Old', to: 'New' }, tags: { added: ['new'] } },
	});
});

test('what an answer does not show is not reported as known', async () => {
	const { id } = addContact(sandbox, { phone, name: 'Old', tags: ['vip'] });
	const body = JSON.stringify({ id, created: false });
	sandbox.fail({ match: { method: 'PATCH' }, kind: { status: 200, body, afterEffect: true } });
	const { json } = await runSync(sandbox, [{ phone, name: 'New' }]);
	expect(syncsOf(json)).toEqual([{ action: 'updated', changedFields: ['name'] }]);
	expect(json[0]).not.toMatchObject({ name: 'Old' });
});

test('the counts of a summary add up to the rows, for any results', () => {
	const action = fc.constantFrom(
		...([
			'created',
			'updated',
			'noNotTaken',
			'saved',
			'unchanged',
			'skipped',
			'notStarted',
		] as const),
	);
	const result = fc.oneof(
		action.map((each) => ({ action: each })),
		fc.constant({ action: 'invalid' as const, error: new Error('x') }),
		fc.constant({ action: 'failed' as const, error: new Error('x') }),
	);
	const rows = fc
		.array(result, { maxLength: 20 })
		.chain((results) =>
			fc
				.array(fc.nat(Math.max(0, results.length - 1)), { maxLength: 40 })
				.map((indexes) =>
					results.length > 0 ? indexes.flatMap((index) => results[index] ?? []) : [],
				),
		);
	fc.assert(
		fc.property(rows, (results) => {
			const counted = [...countRows(results).values()].reduce((sum, count) => sum + count, 0);
			expect(counted).toBe(results.length);
		}),
	);
});

test('what the answer does not show is not in the output, and does not count as stored differently', async () => {
	const contact = addContact(sandbox, { phone, opt_in_status: 'none', tags: ['old'] });
	const answer = JSON.stringify({ id: contact.id, phone, created: false });
	const kind = { status: 200, body: answer, afterEffect: true };
	sandbox.fail({ match: { method: 'POST' }, kind });
	const { json, hints } = await runSync(sandbox, [{ phone, opt_in: 'yes' }]);
	expect(json[0]).toMatchObject({ phone, tags: ['old'], sync: { action: 'updated' } });
	expect(json[0]).not.toHaveProperty('opt_in_status');
	expect(hints[0]).not.toContain('differently');
});

test.each([true, false])(
	'only own attributes of a contact are its old values, in a dry run: %s',
	async (dryRun) => {
		addContact(sandbox, { phone });
		const names = Object.getOwnPropertyNames(Object.prototype);
		const attributes = Object.fromEntries(names.map((name) => [name, 'x']));
		const { json } = await runSync(sandbox, [{ phone, attributes }], automatic({ dryRun }));
		const { changes } = json[0].sync as { changes: IDataObject };
		expect(changes).toEqual(
			Object.fromEntries(names.map((name) => [`attributes.${name}`, { from: null, to: 'x' }])),
		);
	},
);
