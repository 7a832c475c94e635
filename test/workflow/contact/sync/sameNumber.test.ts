import type { Contact } from '../../../../tools/sandbox';
import type { ListEnvelope } from '../../../../tools/sandbox/records';
import { detailsOf } from '../../../../tools/engine/runNode';
import { actionsOf, automatic, mapped, runSync, syncsOf } from './syncNode';
import { addContact, addContacts, useSandbox, writes } from '../../support';

/** Which contact a row, an item or a campaign means has the same answer in every operation. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const continues = { onError: 'continueRegularOutput' } as const;

const LONG = '+5511987654321';
const SHORT = '+551187654321';
// Libraries know only one of the forms.
beforeEach(() => sandbox.store.rules.newNumbers.set(SHORT, SHORT));
const contacts = () => [...sandbox.store.contacts.values()];

/** The first answer reports more contacts than a test could add in time. */
const pretendTotal = (total: number) =>
	sandbox.fail({
		match: { method: 'GET' },
		kind: { page: (envelope) => ({ ...envelope, total }) },
	});
/** So many items that they are not looked up without a reason. */
const fillers = (count = 110) =>
	Array.from({ length: count }, (_, index) => ({ phone: `+1312555${1_000 + index}` }));

describe('among many rows that are not looked up', () => {
	test.each([
		['consent', { opt_in: false }, 'noNotTaken'],
		['no consent', { name: 'New' }, 'updated'],
	])('a number with two forms is, with %s', async (_case, fields, action) => {
		const contact = addContact(sandbox, { phone: SHORT, opt_in_status: 'confirmed' });
		pretendTotal(20_000);
		const { json } = await runSync(sandbox, [{ phone: LONG, ...fields }, ...fillers()]);
		expect(json[0]).toMatchObject({ id: contact.id, sync: { action } });
		expect(contacts()).toHaveLength(111);
	});

	test('one with a proof is, and gets the proof once', async () => {
		const contact = addContact(sandbox, { phone: '+4915123456789', name: 'Ana' });
		const rows = [{ phone: contact.phone, name: 'Ana', consent_proof: 'Form' }, ...fillers()];
		pretendTotal(20_000);
		const { json } = await runSync(sandbox, rows);
		expect(actionsOf(json)[0]).toBe('unchanged');
		expect(sandbox.store.consentTrail).toEqual([]);
	});

	test('consent for a number that two contacts have is an error that names both', async () => {
		const both = ['+4915123456789', '4915123456789'].map((phone) =>
			addContact(sandbox, { phone, opt_in_status: 'confirmed' }),
		);
		pretendTotal(20_000);
		const rows = [{ phone: both[0].phone, opt_in: false }, ...fillers()];
		const { json } = await runSync(sandbox, rows, automatic(), continues);
		for (const { id } of both) expect(detailsOf(json[0]).description).toContain(id);
		expect(writes(sandbox)).toHaveLength(110);
	});

	test('a failed look-up fails its row, and nothing is sent for it', async () => {
		pretendTotal(20_000);
		sandbox.fail({ match: { method: 'GET' }, kind: { status: 422 } });
		const rows = [{ phone: '+4915123456789', opt_in: true }, ...fillers()];
		const { json } = await runSync(sandbox, rows, automatic(), continues);
		expect(actionsOf(json).slice(0, 2)).toEqual(['failed', 'created']);
		expect(writes(sandbox)).toHaveLength(110);
	});
});

describe('an opted-out contact whose number has no country code', () => {
	const phone = '+4915123456001';
	const nationals = ['015123456001', '(0151) 2345-6001', '0151 23456001 ext. 7'];
	const optIn = { opt_in: true, consent_proof: 'Form' };

	test.each(nationals)('stored as %s is not opted in by its international one', async (stored) => {
		const contact = addContact(sandbox, { phone: stored, opt_in_status: 'opted_out' });
		sandbox.store.rules.newNumbers.set(phone, stored);
		const { json } = await runSync(sandbox, [{ phone, name: 'New', ...optIn }]);
		expect(contact).toMatchObject({ name: 'New', opt_in_status: 'opted_out' });
		expect(json[0].sync).toMatchObject({ note: expect.stringMatching('not opted in again') });
		expect(sandbox.store.consentTrail).toEqual([]);
	});

	test('does not keep others from being opted in, with one request', async () => {
		addContact(sandbox, { phone: nationals[0], opt_in_status: 'opted_out' });
		await runSync(sandbox, [{ phone: '+4915123456002', ...optIn }]);
		expect(writes(sandbox)).toHaveLength(1);
		expect(contacts()[1].opt_in_status).toBe('confirmed');
	});
});

describe.each([
	['where all contacts are read', 0],
	['where they are looked up', 300],
])('a contact whose number has no country code, %s', (_case, more) => {
	const phone = '+4915123456001';
	const stored = '0151 23456001';
	beforeEach(() => addContacts(sandbox, more));

	test.each([{ dryRun: true }, {}])('gets no second one that is opted out: %j', async (options) => {
		const contact = addContact(sandbox, { phone: stored, opt_in_status: 'confirmed' });
		const rows = [{ phone, name: 'Ana', opt_in: 'no' }];
		const { json } = await runSync(sandbox, rows, automatic(options), continues);
		expect(actionsOf(json)).toEqual(['invalid']);
		const text = `${json[0].error} ${detailsOf(json[0]).description} ${syncsOf(json)[0].note}`;
		expect(text).toContain(`The phone number ${phone} may be that of the contact ${contact.id}`);
		expect(text).toContain(stored);
		expect(writes(sandbox)).toEqual([]);
		expect(contacts()).toHaveLength(more + 1);
	});

	test('gets its No once it has its whole number', async () => {
		const contact = addContact(sandbox, { phone: stored, opt_in_status: 'confirmed' });
		const rows = [{ phone, opt_in: 'no' }];
		await runSync(sandbox, rows, automatic(), continues);
		sandbox.store.eraseContact(contact);
		const whole = addContact(sandbox, { phone, opt_in_status: 'confirmed' });
		const { json } = await runSync(sandbox, rows);
		expect(actionsOf(json)).toEqual(['noNotTaken']);
		expect(sandbox.store.consentTrail).toMatchObject([{ contact_id: whole.id, opt_in: false }]);
	});

	test('holds back no other number', async () => {
		addContact(sandbox, { phone: stored, opt_in_status: 'confirmed' });
		const { json } = await runSync(sandbox, [{ phone: '+4915123456002', opt_in: 'no' }]);
		expect(actionsOf(json)).toEqual(['created']);
	});
});

test.each([
	['by phone', ({ phone }: Contact) => ({ phone })],
	['by ID', ({ id }: Contact) => ({ id })],
])('rows of a contact %s that disagree on its consent are an error', async (_case, name) => {
	const contact = addContact(sandbox, { opt_in_status: 'none' });
	const rows = [
		{ ...name(contact), opt_in: true },
		{ phone: '+12125550123' },
		{ ...name(contact), name: 'New' },
		{ ...name(contact), opt_in: false },
	];
	const { json } = await runSync(sandbox, rows, automatic(), continues);
	expect(actionsOf(json)).toEqual(['invalid', 'created', 'invalid', 'invalid']);
	for (const item of [0, 2, 3]) {
		expect(json[item].error).toMatch(
			"Items 1 and 4 are the same contact, and disagree on 'Opt In'",
		);
	}
	expect(contact).toMatchObject({ name: null, opt_in_status: 'none' });
});

describe('a proof that needs a request of its own', () => {
	test.each([
		['by its ID', ({ id }: Contact) => ({ id })],
		['by the other form of its number', () => ({ phone: LONG })],
	])('goes before the other fields, for a contact named %s', async (_case, named) => {
		const contact = addContact(sandbox, { phone: SHORT, name: 'Ana' });
		const row = { ...named(contact), name: 'New', consent_proof: 'Form' };
		sandbox.fail({ match: { method: 'POST' }, times: 9, kind: { status: 422 } });
		await runSync(sandbox, [row], automatic(), continues);
		expect(contact.name).toBe('Ana');
		sandbox.clearFaults();
		const { json } = await runSync(sandbox, [row]);
		expect(syncsOf(json)[0]).toEqual({
			action: 'updated',
			changedFields: ['name', 'consent_proof'],
		});
		expect(sandbox.store.consentTrail).toMatchObject([{ consent_proof: 'Form' }]);
		expect(contact.name).toBe('New');
	});

	test('is sent for a new number that nobody knows yet', async () => {
		const phone = '+4910000000001';
		sandbox.store.rules.newNumbers.set(phone, phone);
		const row = { phone, name: 'New', tags: 'vip', consent_proof: 'Form' };
		const { json } = await runSync(sandbox, [row]);
		expect(actionsOf(json)).toEqual(['created']);
		expect(contacts()).toMatchObject([{ phone, name: 'New', tags: ['vip'] }]);
		expect(sandbox.store.consentTrail).toMatchObject([{ consent_proof: 'Form' }]);
	});
});

describe.each([{ dryRun: true }, {}])('in a run with the options %j', (options) => {
	test('consent for a contact without a phone is refused, and nothing is sent', async () => {
		const { id } = addContact(sandbox, { phone: '' });
		const rows = [{ id, name: 'New', opt_in: true }];
		const { json } = await runSync(sandbox, rows, automatic(options), continues);
		expect(actionsOf(json)).toEqual(['invalid']);
		expect(json[0].error ?? syncsOf(json)[0].note).toMatch(
			`The contact ${id} has no phone number, so its consent cannot be changed`,
		);
		expect(writes(sandbox)).toEqual([]);
	});

	test('extra tags that no request can name stay, and the output says so', async () => {
		const { phone } = addContact(sandbox, { tags: ['.', 'old', '..'] });
		const match = automatic({ ...options, tagMode: 'match' });
		const { json } = await runSync(sandbox, [{ phone, tags: 'new' }], match);
		expect(json[0].tags).toEqual(['.', '..', 'new']);
		expect(syncsOf(json)[0]).toMatchObject({
			changedFields: ['tags'],
			note: expect.stringMatching('The tag "." stays.*The tag ".." stays'),
		});
	});

	test('a contact named by ID is saved, without consent if another one has its number', async () => {
		const [contact, other] = [SHORT, LONG].map((phone, index) =>
			addContact(sandbox, { phone, opt_in_status: index === 0 ? 'none' : 'opted_out' }),
		);
		const rows = [{ id: contact.id, name: 'New', opt_in: true }];
		const { json } = await runSync(sandbox, rows, automatic(options), continues);
		expect(actionsOf(json)).toEqual(['consentWithheld']);
		const text = `${json[0].error}. ${detailsOf(json[0]).description} ${syncsOf(json)[0].note}`;
		expect(text).toContain(`2 contacts have the phone number ${SHORT}`);
		expect(text).toContain('Its other fields are saved by its ID.');
		expect(contact.name).toBe(options.dryRun ? null : 'New');
		expect([contact, other].map((each) => each.opt_in_status)).toEqual(['none', 'opted_out']);
	});

	test('blank rows are skipped and counted, and hide no missing contact', async () => {
		const { phone } = addContact(sandbox, { phone: '+12125550123' });
		const blank = { phone: '', name: ' ', row_number: 3 };
		const rows = [{ phone: '+4915123456780' }, blank, blank];
		const { json, error, hints } = await runSync(
			sandbox,
			rows,
			automatic({ ...options, missing: 'output' }),
		);
		expect(error).toBeUndefined();
		expect(actionsOf(json).slice(1)).toEqual(['skipped', 'skipped', 'missing']);
		expect(json[3].phone).toBe(phone);
		expect(hints[0]).toMatch('3 items');
		expect(hints[0]).toMatch('2 skipped (blank)');
	});

	test('are not skipped if all are blank, as the columns are wrong then', async () => {
		const parameters = mapped({ phone: '={{ $json.telefon }}' }, options);
		const { json } = await runSync(sandbox, [{ phone: '1' }, {}], parameters, continues);
		expect(actionsOf(json)).toEqual(['invalid', 'invalid']);
	});
});

test('the list of opted-out contacts shows who opted out, even without the field', async () => {
	const [out, other] = addContacts(sandbox, 2, { opt_in_status: 'opted_out' });
	other.opt_in_status = 'none';
	const page = (envelope: ListEnvelope) => ({
		...envelope,
		data: envelope.data.map((contact) => ({ ...(contact as Contact), opt_in_status: undefined })),
	});
	sandbox.fail({ match: { method: 'GET' }, times: 9, kind: { page } });
	const rows = [out, other].map(({ phone }) => ({ phone, opt_in: true, consent_proof: 'Form' }));
	const { json } = await runSync(sandbox, rows);
	expect([out, other].map((each) => each.opt_in_status)).toEqual(['opted_out', 'confirmed']);
	expect(syncsOf(json)[0].note).toMatch('not opted in again');
});
