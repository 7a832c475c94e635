import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runNode } from '../../../../tools/engine/runNode';
import type { OptInStatus } from '../../../../tools/sandbox';
import { addContact, addContacts, useSandbox } from '../../support';
import { automatic, itemOf, runSync, syncsOf } from './syncNode';

/** After 'Opt In', only the answer says what became of it: the API reference does not. */
const sandbox = useSandbox({ limiter: { kind: 'off' } });
const phone = '+4915123456789';

/** Lets the service take 'Opt In' as it likes: its next answers show this status, or none. */
function answerWith(status: OptInStatus | undefined) {
	const rewrite = (payload: string) =>
		JSON.stringify({ ...(JSON.parse(payload) as object), opt_in_status: status });
	sandbox.fail({ match: { method: 'POST' }, times: 100, kind: { rewrite } });
}

interface Case {
	was: OptInStatus;
	opt_in: 'Yes' | 'No';
	shown: OptInStatus | undefined;
	action: string;
	becomes?: string;
	said?: string;
}
const reached = 'said No and is still confirmed: campaigns reach them';
const allReached = reached.replace('is', 'are');
const cases: Case[] = [
	{ was: 'confirmed', opt_in: 'No', shown: 'confirmed', action: 'noNotTaken', said: reached },
	{ was: 'confirmed', opt_in: 'No', shown: 'opted_out', action: 'updated', becomes: 'opted_out' },
	{
		was: 'confirmed',
		opt_in: 'No',
		shown: 'none',
		action: 'noNotTaken',
		becomes: 'none',
		said: "said No, and the CRM shows 'none'",
	},
	{
		was: 'confirmed',
		opt_in: 'No',
		shown: undefined,
		action: 'noNotTaken',
		becomes: 'unknown',
		said: 'said No, and the CRM does not show the status',
	},
	{
		was: 'pending',
		opt_in: 'No',
		shown: 'pending',
		action: 'noNotTaken',
		said: "said No, and the CRM shows 'pending'",
	},
	{
		was: 'none',
		opt_in: 'No',
		shown: 'confirmed',
		action: 'noNotTaken',
		becomes: 'confirmed',
		said: reached,
	},
	{ was: 'none', opt_in: 'Yes', shown: 'confirmed', action: 'updated', becomes: 'confirmed' },
	{
		was: 'none',
		opt_in: 'Yes',
		shown: 'pending',
		action: 'updated',
		becomes: 'pending',
		said: "said Yes, and the CRM shows 'pending'",
	},
	{
		was: 'none',
		opt_in: 'Yes',
		shown: 'none',
		action: 'unchanged',
		said: "said Yes, and the CRM shows 'none'",
	},
	{
		was: 'none',
		opt_in: 'Yes',
		shown: undefined,
		action: 'updated',
		becomes: 'unknown',
		said: 'said Yes, and the CRM does not show the status',
	},
];

test.each(cases)(
	'$opt_in for a contact that was $was, and is shown as $shown',
	async ({ was, opt_in, shown, action, becomes, said }) => {
		addContact(sandbox, { phone, name: 'Ana', opt_in_status: was });
		answerWith(shown);
		const { json, hints } = await runSync(sandbox, [{ phone, 'Opt In': opt_in }]);
		expect(syncsOf(json)[0]).toEqual({
			action,
			...(becomes && { changedFields: ['opt_in'] }),
			...(said && { note: `The contact ${said}.` }),
		});
		const { changes } = json[0].sync as IDataObject;
		expect(changes).toEqual(becomes && { opt_in: { from: was, to: becomes } });
		expect(json[0].opt_in_status).toBe(shown);
		const lines = hints[0].split('<br>');
		expect(lines).toContain(`'Opt In' sent: ${opt_in} for 1 contact.`);
		expect(lines.includes(`1 contact ${said} (Ana ${phone}).`)).toBe(said !== undefined);
		expect(lines.indexOf(`1 contact ${said} (Ana ${phone}).`) === 0).toBe(said === reached);

		const one = await runNode(sandbox, { parameters: upsert(opt_in) });
		expect(one.json[0].opt_in_note).toBe(said && `The contact ${said}.`);
		expect(one.hints).toEqual(said ? [`1 contact ${said} (Ana ${phone}).`] : []);
	},
);

function upsert(optIn: string, number = phone): INodeParameters {
	const additionalFields = { optIn };
	return { resource: 'contact', operation: 'upsert', phone: number, additionalFields };
}

describe('who said No and is still confirmed', () => {
	const confirmed = () => addContacts(sandbox, 4, { opt_in_status: 'confirmed' });

	test('is named in the first line of the summary, and counts in no "updated"', async () => {
		const contacts = confirmed();
		const items = contacts.map(({ phone: number }, index) => {
			return { phone: number, name: `New ${index}`, 'Opt In': 'Nein' };
		});
		const { json, hints } = await runSync(sandbox, [...items, { phone, name: 'Eva' }]);
		const [first, second] = hints[0].split('<br>');
		expect(first).toBe(
			`4 contacts ${allReached} (${contacts.map((each, index) => `New ${index} ${each.phone}`).join(', ')}).`,
		);
		expect(second).toBe("5 items: 1 created, 4 not opted out after 'Opt In: No'.");
		expect(json[0].sync).toMatchObject({
			action: 'noNotTaken',
			changedFields: ['name'],
		});
	});

	test('is named with the number, as others have the same name', async () => {
		const contacts = addContacts(sandbox, 3, { opt_in_status: 'confirmed', name: 'Müller' });
		const items = contacts.map(({ phone: number }) => ({ phone: number, 'Opt In': 'No' }));
		const [line] = (await runSync(sandbox, items)).hints[0].split('<br>');
		const names = contacts.map((each) => `Müller ${each.phone}`).join(', ');
		expect(line).toBe(`3 contacts ${allReached} (${names}).`);
	});

	test('is named in the error of a run that fails because of others', async () => {
		const [contact] = confirmed();
		const items = [{ phone: contact.phone, 'Opt In': 'No' }, { phone: 'call me' }];
		const { error } = await runSync(sandbox, items);
		expect(error?.message).toBe('1 of 2 items was not synced, 1 contact is saved');
		expect(error?.description).toMatch(/^1 contact said No and is still confirmed: /);
	});

	test('is not foretold by a dry run, which says whom No is sent to', async () => {
		const items = confirmed().map(({ phone: number }) => ({ phone: number, 'Opt In': 'No' }));
		const { json, hints } = await runSync(sandbox, items, automatic({ dryRun: true }));
		expect(hints[0]).toContain("<br>4 to send 'Opt In: No'<br>");
		expect(hints[0]).toContain("'Opt In' to send: No for 4 contacts.");
		expect(hints[0]).not.toContain('said No');
		expect(syncsOf(json)[0]).toMatchObject({ action: 'wouldSendNo', changedFields: ['opt_in'] });
		expect(syncsOf(json)[0]).not.toHaveProperty('note');
	});

	test('is named once in the hint of Create or Update, for all items', async () => {
		const [one, other] = confirmed();
		const { json, hints } = await runNode(sandbox, {
			parameters: upsert('={{ $json.wants }}', '={{ $json.phone }}'),
			items: [
				{ phone: one.phone, wants: 'no' },
				{ phone: 'call me', wants: 'no' },
				{ phone: other.phone, wants: 'no' },
				{ phone, wants: 'yes' },
				{ phone, wants: '' },
			],
			onError: 'continueRegularOutput',
		});
		expect(hints[1] ?? hints[0]).toBe(
			`2 contacts ${allReached} (Contact 0 ${one.phone}, Contact 1 ${other.phone}).`,
		);
		expect(json.map(({ opt_in_note }) => opt_in_note)).toEqual([
			`The contact ${reached}.`,
			undefined,
			`The contact ${reached}.`,
			undefined,
			undefined,
		]);
	});
});

test('the note of Create or Update is no column for Sync', async () => {
	const contact = addContact(sandbox, { phone, opt_in_status: 'confirmed' });
	const { json } = await runNode(sandbox, { parameters: upsert('no') });
	const others = automatic({ otherColumns: 'attributes' });
	const synced = await runSync(sandbox, [...json, ...addContacts(sandbox, 2).map(itemOf)], others);
	expect(syncsOf(synced.json)[0]).toEqual({ action: 'unchanged' });
	expect(contact.attributes).toEqual({});
});
