import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../tools/engine/runNode';
import { addContact, addContacts, sent, useSandbox } from './support';

const sandbox = useSandbox();

const getMany = async (filters: INodeParameters, more: INodeParameters = {}) =>
	await runNode(sandbox, {
		parameters: { resource: 'contact', operation: 'getAll', returnAll: true, filters, ...more },
	});
const idsOf = (rows: Array<{ id?: unknown }>) => rows.map(({ id }) => id);

test('Created After returns contacts created at this time or later', async () => {
	const contacts = addContacts(sandbox, 250);
	const { json } = await getMany({ createdAfter: contacts[120].created_at });
	expect(idsOf(json)).toEqual(idsOf(contacts.slice(120)));
	expect(sandbox.requests).toHaveLength(3);
});

test("a time without a zone is in the workflow's zone", async () => {
	// The engine's default is New York.
	addContact(sandbox, { created_at: '2025-01-01T04:59:59Z' });
	const late = addContact(sandbox, { phone: '+491512345', created_at: '2025-01-01T05:00:00Z' });
	const { json } = await getMany({ createdAfter: '2025-01-01T00:00:00' });
	expect(idsOf(json)).toEqual([late.id]);
});

test('Last Message After skips contacts that wrote before it or never', async () => {
	addContacts(sandbox, 2);
	addContacts(sandbox, 2, { last_inbound_at: '2026-01-01T00:00:00Z' });
	const [recent] = addContacts(sandbox, 1, { last_inbound_at: '2026-01-02T00:00:00.001Z' });
	const { json, hints } = await getMany({ lastMessageAfter: '2026-01-02T00:00:00Z' });
	expect(idsOf(json)).toEqual([recent.id]);
	expect(hints).toEqual([]);
});

test('Last Message Before returns contacts that wrote, but not since', async () => {
	addContacts(sandbox, 2);
	const [old] = addContacts(sandbox, 1, { last_inbound_at: '2026-01-01T23:59:59.999Z' });
	addContacts(sandbox, 1, { last_inbound_at: '2026-01-02T00:00:00Z' });
	const { json } = await getMany({ lastMessageBefore: '2026-01-02T00:00:00Z' });
	expect(idsOf(json)).toEqual([old.id]);
	const between = { lastMessageAfter: '2026-01-01', lastMessageBefore: '2026-01-02T00:00:00Z' };
	expect(idsOf((await getMany(between)).json)).toEqual([old.id]);
});

test("both combine with each other and the service's filters", async () => {
	const times = { created_at: '2026-01-05T00:00:00Z', last_inbound_at: '2026-01-06T00:00:00Z' };
	addContacts(sandbox, 1, times);
	addContacts(sandbox, 1, { ...times, tags: ['vip'], last_inbound_at: null });
	addContacts(sandbox, 1, { ...times, tags: ['vip'], created_at: '2025-01-05T00:00:00Z' });
	const [match] = addContacts(sandbox, 1, { ...times, tags: ['vip'] });
	const since = '2026-01-01T00:00:00Z';
	const { json } = await getMany({ createdAfter: since, lastMessageAfter: since, tag: 'vip' });
	expect(idsOf(json)).toEqual([match.id]);
	expect(sent(sandbox).map(({ query }) => query)).toEqual([
		{ tag: 'vip', limit: '100', offset: '0' },
	]);
});

test.each([
	['one match is on the first page', 1, 1],
	['the last match is on the third page', 150, 3],
	['the list has no more', 1_000, 10],
])(
	'Limit counts matches, and stops reading when it has enough: %s',
	async (_case, limit, pages) => {
		const contacts = addContacts(sandbox, 950);
		const since = { createdAfter: contacts[60].created_at };
		const { json, hints } = await getMany(since, { returnAll: false, limit });
		expect(idsOf(json)).toEqual(idsOf(contacts.slice(60, 60 + limit)));
		expect(sandbox.requests).toHaveLength(pages);
		expect(hints).toEqual([]);
	},
);

test.each([
	['createdAfter', 'Created After'],
	['lastMessageAfter', 'Last Message After'],
	['lastMessageBefore', 'Last Message Before'],
])('%s refuses what is not a date', async (name, label) => {
	for (const text of ['yesterday', '2026-02-31']) {
		const { error } = await getMany({ [name]: text });
		expect(error).toMatchObject({
			message: `'${label}' is ${JSON.stringify(text)}`,
			description:
				'It should be a date and time, such as 2030-01-31T18:00. Check the field, or the expression in it.',
		});
	}
	expect(sandbox.requests).toEqual([]);
});

test.each([
	['created_at', undefined, 'createdAfter'],
	['created_at', 'soon', 'createdAfter'],
	['last_inbound_at', 'soon', 'lastMessageAfter'],
	['last_inbound_at', 'soon', 'lastMessageBefore'],
	['last_inbound_at', null, 'lastMessageBefore'],
])('skips a contact whose %s is %j', async (field, value, filter) => {
	addContact(sandbox, { [field]: value });
	const { json, error } = await getMany({ [filter]: '2026-01-01T00:00:00Z' });
	expect(error).toBeUndefined();
	expect(json).toEqual([]);
});

test('with a limit, the hint says if the list ends too early', async () => {
	addContacts(sandbox, 3);
	sandbox.fail({
		match: { method: 'GET' },
		times: Infinity,
		kind: { page: (envelope) => ({ ...envelope, total: 7 }) },
	});
	const { json, hints } = await getMany({ createdAfter: '2020-01-01' }, { returnAll: false });
	expect(json).toHaveLength(3);
	expect(hints).toEqual([
		'The list is incomplete: the service reports 7 records, but returned only 3.',
	]);
});
