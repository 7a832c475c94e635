import type { IDataObject } from 'n8n-workflow';

import type { ListEnvelope } from '../../../../tools/sandbox/records';
import { addContact, addContacts, sent, useSandbox, writes } from '../../support';
import { detailsOf } from '../../../../tools/engine/runNode';
import { actionsOf, automatic, mapped, runSync } from './syncNode';

/** A cell that is refused holds back its row, but not a readable 'Opt In: No' of a contact that it clearly names. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';
const continues = { onError: 'continueRegularOutput' } as const;
const confirmed = { phone, name: 'Ana', opt_in_status: 'confirmed' } as const;
const no = { phone, 'Opt In': 'No' };
const onlyNo = [{ request: 'POST /v1/contacts', body: { phone, opt_in: false } }];

async function run(items: IDataObject[], options: IDataObject = {}) {
	const parameters = automatic({ otherColumns: 'attributes', ...options });
	const { json, hints } = await runSync(sandbox, items, parameters, continues);
	const said = json.map((each) => String(detailsOf(each).description));
	return { actions: actionsOf(json), said, summary: hints.join(' ') };
}

test.each<[string, IDataObject]>([
	['the error of a sheet as its name', { name: '#N/A' }],
	['a name in a wrong encoding', { name: 'MÃ¼ller' }],
	['an attribute of another kind', { birthday: 46205 }],
	['tags that may be read in two ways', { tags: 'vip, new; old' }],
	['two columns that could be the locale', { locale: 'de', Locale: 'fr' }],
])('it is sent, and said, beside %s', async (_what, cell) => {
	addContact(sandbox, { ...confirmed, attributes: { birthday: '2026-07-02' } });
	const { actions, said, summary } = await run([{ ...no, ...cell }]);
	expect([actions, writes(sandbox)]).toEqual([['invalid'], onlyNo]);
	expect(said[0]).toMatch(/^Only its 'Opt In: No' is sent\. /);
	expect(said[0]).not.toContain('Nothing was sent');
	expect(summary).toContain('1 contact said No and is still confirmed: campaigns reach them (Ana');
	expect(summary).toContain("'Opt In' sent: No for 1 contact.");
});

test.each([
	['n8n cannot evaluate', '={{ $json.phone.trim }}'],
	['would be "Hi undefined"', '={{ "Hi " + $json.nope }}'],
])('it is sent beside a column mapped by hand that %s', async (_what, name) => {
	addContact(sandbox, confirmed);
	const columns = { phone: '={{ $json.phone }}', opt_in: "={{ $json['Opt In'] }}", name };
	const { json } = await runSync(sandbox, [no], mapped(columns), continues);
	expect([actionsOf(json), writes(sandbox)]).toEqual([['invalid'], onlyNo]);
	expect(json[0]?.error).toMatch(/'Name'/);
});

test('it is sent if the service refuses another value', async () => {
	addContact(sandbox, confirmed);
	sandbox.fail({ match: { method: 'PATCH' }, kind: { status: 422, detail: 'bad locale' } });
	const { actions, said, summary } = await run([{ ...no, locale: 'xx' }]);
	expect(actions).toEqual(['failed']);
	expect(sandbox.store.consentTrail).toMatchObject([{ opt_in: false }]);
	expect(said[0]).toContain("Only its 'Opt In: No' is sent.");
	expect(summary).toContain('still confirmed');
});

test('what was saved before the service refused the rest is shown', async () => {
	addContact(sandbox, confirmed);
	sandbox.fail({ match: { method: 'PATCH' }, kind: { status: 422, detail: 'bad locale' } });
	const item = { ...no, tags: 'new', locale: 'xx' };
	const { json } = await runSync(sandbox, [item], automatic(), continues);
	expect(json[0].sync).toMatchObject({ action: 'failed', changes: { tags: { added: ['new'] } } });
	expect(json[0].error).toContain('Only a part of the contact was saved');
	expect(detailsOf(json[0]).description).toMatch(/^Its 'Opt In: No' is sent, too\. /);
});

test('two refused rows of one contact are one No', async () => {
	addContact(sandbox, confirmed);
	const { said, summary } = await run([
		{ ...no, name: '#N/A' },
		{ ...no, name: '#REF!' },
	]);
	expect(writes(sandbox)).toEqual(onlyNo);
	expect(said.every((each) => each.startsWith("Only its 'Opt In: No' is sent."))).toBe(true);
	expect(summary).toContain("'Opt In' sent: No for 1 contact.");
	expect(summary).toContain('1 contact said No and is still confirmed');
});

test('another try says what the first has sent, and does not send it again', async () => {
	const contact = addContact(sandbox, confirmed);
	const happen = () => (contact.opt_in_status = 'opted_out');
	sandbox.fail({ match: { method: 'POST' }, kind: { meanwhile: happen } });
	const { error } = await runSync(sandbox, [{ ...no, name: '#N/A' }], automatic(), {
		settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
	});
	expect(writes(sandbox)).toEqual(onlyNo);
	expect(error?.description).toContain("Only its 'Opt In: No' is sent.");
	expect(error?.description).not.toContain('Nothing was sent');
});

test('a No whose answer is lost is said', async () => {
	addContact(sandbox, confirmed);
	sandbox.fail({ match: { method: 'POST' }, times: 3, kind: { status: 503 } });
	const { said } = await run([{ ...no, name: '#N/A' }]);
	expect(said[0]).toContain("Its 'Opt In: No' failed: The CRM is having problems right now.");
	expect(said[0]).not.toContain('Nothing was sent');
});

test('by the ID of the contact, it is sent, too', async () => {
	const { id } = addContact(sandbox, confirmed);
	await run([{ 'Contact ID': id, 'Opt In': 'No', name: '#N/A' }]);
	expect(writes(sandbox)).toEqual(onlyNo);
});

test('it is sent although another row of the contact, of a long list, was not looked up', async () => {
	const { id } = addContact(sandbox, confirmed);
	const others = addContacts(sandbox, 150);
	const page = (envelope: ListEnvelope) => ({ ...envelope, data: [], total: 20_000 });
	sandbox.fail({ match: { method: 'GET' }, kind: { page } });
	const rows = others.map((each) => ({ phone: each.phone, name: each.name ?? '' }));
	await run([{ phone, name: 'Ana' }, { ...no, name: '#N/A' }, ...rows]);
	expect(sandbox.store.consentTrail).toMatchObject([{ contact_id: id, opt_in: false }]);
});

test('a dry run says it, and sends nothing', async () => {
	addContact(sandbox, confirmed);
	const { actions, summary } = await run([{ ...no, name: '#N/A' }], { dryRun: true });
	expect([actions, writes(sandbox)]).toEqual([['invalid'], []]);
	expect(summary).toContain("'Opt In' to send: No for 1 contact");
});

test('with Stop on First Error, an invalid row still stops the run before anything is sent', async () => {
	addContact(sandbox, confirmed);
	const stops = automatic({ stopAtFirstProblem: true });
	const { error } = await runSync(sandbox, [{ ...no, name: '#N/A' }], stops);
	expect([error !== undefined, sent(sandbox)]).toEqual([true, []]);
});

test.each<[string, IDataObject[]]>([
	['the contact is not clearly named', [{ ...no, phone: '0151', name: '#N/A' }]],
	['two columns could be the phone', [{ ...no, Mobile: '+12125550123', name: '#N/A' }]],
	['another row of the contact says Yes', [{ ...no }, { phone, 'Opt In': 'Yes' }]],
	['the No cannot be read', [{ phone, 'Opt In': 'Nope', name: '#N/A' }]],
	['it says Yes', [{ phone, 'Opt In': 'Yes', name: '#N/A' }]],
	['the CRM does not have the contact', [{ ...no, phone: '+12125550123', name: '#N/A' }]],
])('it is not sent if %s', async (_why, items) => {
	addContact(sandbox, confirmed);
	const { actions } = await run(items);
	expect([actions.every((action) => action === 'invalid'), writes(sandbox)]).toEqual([true, []]);
});

test('a contact that is deleted meanwhile is not created again', async () => {
	addContact(sandbox, confirmed);
	sandbox.fail({ match: { method: 'PATCH' }, kind: { status: 404 } });
	const { actions } = await run([{ ...no, locale: 'de' }]);
	expect(actions).toEqual(['failed']);
	expect(writes(sandbox).filter(({ request }) => request.startsWith('POST'))).toEqual([]);
});

test('the status opted_out beside Opt In: Yes is refused, as one of them is wrong', async () => {
	const item = { phone, opt_in_status: 'opted_out', 'Opt In': 'Yes' };
	const { actions, said } = await run([item]);
	expect([actions, writes(sandbox)]).toEqual([['invalid'], []]);
	expect(said[0]).toContain('Re-Subscribe Opted-Out Contacts');
	const { actions: allowed } = await run([item], { optInOptedOut: true });
	expect(allowed).toEqual(['created']);
});

describe('the status opted_out in another row of a contact than Opt In: Yes', () => {
	const yes = { phone, 'Opt In': 'Yes' };
	const status = { phone, opt_in_status: 'opted_out' };

	test('is refused, too', async () => {
		const { actions, said } = await run([status, yes]);
		expect([actions, writes(sandbox)]).toEqual([['invalid', 'invalid'], []]);
		expect(said[0]).toContain('item 2 says Yes, item 1 says opted_out');
		const { actions: allowed } = await run([status, yes], { optInOptedOut: true });
		expect(allowed).toEqual(['created', 'created']);
	});

	test.each<IDataObject>([{ name: '#N/A' }, { 'Opt In': 'Yes' }])(
		'withholds the consent if that row is refused for %j',
		async (cell) => {
			const { actions } = await run([{ ...status, ...cell }, yes]);
			expect(actions).toEqual(['invalid', 'consentWithheld']);
			expect(sandbox.store.consentTrail).toEqual([]);
		},
	);
});
