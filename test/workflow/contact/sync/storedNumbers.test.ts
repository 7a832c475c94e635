import { detailsOf } from '../../../../tools/engine/runNode';
import type { Contact } from '../../../../tools/sandbox';
import { contacts, sandbox, STORED } from '../../storedNumberWorlds';
import { addContact, addContacts, writes } from '../../support';
import { continues, optIn } from './storedNumbers';
import { actionsOf, automatic, runSync, syncsOf } from './syncNode';

describe('a service that stores numbers as they were given, and compares them as numbers', () => {
	beforeEach(() => (sandbox.store.rules.phones = 'byNumber'));

	test.each(STORED)('does not opt in %s by %s', async (phone, given) => {
		const contact = addContact(sandbox, { phone, opt_in_status: 'opted_out' });
		const { json } = await runSync(sandbox, [{ phone: given, ...optIn }], automatic(), continues);
		expect(contacts().map((each) => each.opt_in_status)).toEqual(['opted_out']);
		expect(syncsOf(json)[0].note).toContain('not opted in again');
		expect(contact.opt_in_status).toBe('opted_out');
	});

	test.each(STORED)('does not list %s as missing beside %s', async (phone, given) => {
		addContact(sandbox, { phone });
		addContact(sandbox, { phone: '+12125550123' });
		const rows = [{ phone: given }, { phone: '+12125550124' }];
		const options = automatic({ dryRun: true, missing: 'output' });
		const { json } = await runSync(sandbox, rows, options);
		expect(actionsOf(json)).toEqual(['unchanged', 'wouldCreate', 'missing']);
	});

	test.each(STORED.filter(([phone]) => /\d{6}$/.test(phone)))(
		'compares %s with the only row, which has %s',
		async (phone, given) => {
			const { id } = addContact(sandbox, { phone, name: 'Anna' });
			const actionOf = async (name: string) => {
				const rows = [{ phone: given, name }];
				const { json } = await runSync(sandbox, rows, automatic({ dryRun: true }));
				return [json[0].id, ...actionsOf(json)];
			};
			expect(await actionOf('Anna')).toEqual([id, 'unchanged']);
			expect(await actionOf('Ben')).toEqual([id, 'wouldUpdate']);
		},
	);
});

describe('an opted-out contact whose number cannot be compared', () => {
	const phone = '+4915123456701';

	test.each([
		['0151 23456701', 'with the number "0151 23456701"'],
		['15123456701', 'with the number "15123456701"'],
		['0151 23456701 ext. 7', 'with the number "0151 23456701 ext. 7"'],
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

	test.each(['', 'unknown', 'n/a', '-', '12', 'room 5'])(
		'and is %j keeps nobody from being opted in',
		async (stored) => {
			addContact(sandbox, { phone: stored, opt_in_status: 'opted_out' });
			addContact(sandbox, { phone });
			const rows = [phone, '+12125550123'].map((each) => ({ phone: each, ...optIn }));
			const { json } = await runSync(sandbox, rows, automatic(), continues);
			expect(actionsOf(json)).toEqual(['updated', 'created']);
			expect(sandbox.store.consentTrail).toMatchObject([{ opt_in: true }, { opt_in: true }]);
		},
	);

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

describe('an ID in capitals', () => {
	test.each([1, 150])('is found by a sync of %d rows', async (count) => {
		const all = addContacts(sandbox, count);
		const rows = all.map(({ id }) => ({ id: id.toUpperCase(), name: 'New' }));
		const { json } = await runSync(sandbox, rows);
		expect(new Set(actionsOf(json))).toEqual(new Set(['updated']));
	});
});
