import type { INodeListSearchResult } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import { editorContext } from './editorContext';
import { addContact, addContacts, addSubscription, sent, textsIn, useSandbox } from './support';

const sandbox = useSandbox();
const { listSearch, loadOptions } = new WorkspaceCrm().methods;
type Method = keyof typeof listSearch;

/** Asks for the entries of a drop-down, as the editor does. */
async function search(
	method: Method,
	filter?: string,
	credential = {},
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	return await listSearch[method].call(contextOf(credential), filter, paginationToken);
}

const contextOf = (credential = {}) => editorContext(sandbox, undefined, credential);

async function entries(method: Method, filter?: string) {
	return (await search(method, filter)).results.map(({ name, value }) => [name, value]);
}

describe('the drop-down of contacts', () => {
	test('shows the phone beside the name', async () => {
		const [first, second] = addContacts(sandbox, 2, { name: 'Nathan Smith' });
		first.opt_in_status = 'confirmed';
		const { id } = addContact(sandbox, { name: null });
		expect(await entries('searchContacts')).toEqual([
			['Nathan Smith · +12124000000', first.id],
			['Not confirmed · Nathan Smith · +12124000001', second.id],
			['Not confirmed · +4915123456789', id],
		]);
		expect(sent(sandbox)).toEqual([
			{ request: 'GET /v1/contacts', query: { limit: '100', offset: '0' } },
		]);
	});

	test('searches by name or phone at the service', async () => {
		const { id } = addContact(sandbox, { name: 'Anna' });
		addContact(sandbox, { phone: '+4915123456780', name: 'Björn' });
		expect(await entries('searchContacts', ' ann ')).toEqual([
			['Not confirmed · Anna · +4915123456789', id],
		]);
		expect(await entries('searchContacts', '+49 151 23456789')).toEqual([
			['Not confirmed · Anna · +4915123456789', id],
		]);
		expect(sent(sandbox).map(({ query }) => query?.search)).toEqual([
			'ann',
			'4915123456789',
			'456789',
		]);
	});

	test('finds a number in whichever form the CRM has it, or what contains it', async () => {
		const { id } = addContact(sandbox, { phone: '+551187654321' });
		const named = addContact(sandbox, { name: 'Was +4915111111111' });
		const entriesFor = async (filter: string) =>
			(await entries('searchContacts', filter)).map(([, value]) => value);
		expect(await entriesFor('+55 (11) 98765-4321')).toEqual([id]);
		expect(await entriesFor('+4915111111111')).toEqual([named.id]);
	});

	test.each([
		['+49 (0)151 234', '49151234'],
		['(0151) 23456', '15123456'],
		['15123', '15123'],
		['Anna 2', 'Anna 2'],
		['+49', '+49'],
	])('searches for %j by %j, in numbers that are stored as plain texts', async (typed, search) => {
		addContact(sandbox, { name: 'Anna 2 +49' });
		expect(await entries('searchContacts', typed)).toHaveLength(1);
		expect(sent(sandbox).at(-1)?.query).toMatchObject({ search });
	});

	test('loads a hundred at a time, up to the last of 2,000', async () => {
		const contacts = addContacts(sandbox, 2_000);
		const found: unknown[] = [];
		let paginationToken: unknown;
		do {
			const page = await search('searchContacts', '', {}, paginationToken as string);
			found.push(...page.results.map(({ value }) => value));
			paginationToken = page.paginationToken;
		} while (paginationToken !== undefined);
		expect(found).toEqual(contacts.map(({ id }) => id));
		expect(sandbox.requests).toHaveLength(20);
	});

	test('lists opted-out contacts last on their page, marked as such', async () => {
		const contacts = addContacts(sandbox, 150);
		for (const index of [0, 120]) contacts[index].opt_in_status = 'opted_out';
		contacts[120].name = null;
		const page = await search('searchContacts');
		expect(page.results.map(({ value }) => value)).toEqual(
			[...contacts.slice(1, 100), contacts[0]].map(({ id }) => id),
		);
		expect(page.results.at(-1)?.name).toBe('Opted out · Contact 0 · +12124000000');
		const next = await search('searchContacts', '', {}, page.paginationToken as string);
		expect(next.results).toHaveLength(50);
		expect(next.results.at(-1)).toMatchObject({
			name: 'Opted out · +12124000120',
			value: contacts[120].id,
		});
	});

	test('shows the ID if name and number are the same', async () => {
		const same = { name: 'Nathan Smith', phone: '+12124000000' };
		const [first, second] = addContacts(sandbox, 2, same);
		expect(await entries('searchContacts')).toEqual([
			[`Not confirmed · Nathan Smith · +12124000000 (${first.id})`, first.id],
			[`Not confirmed · Nathan Smith · +12124000000 (${second.id})`, second.id],
		]);
	});
});

const automations = [
	['Newsletter (old)', 'aut_old_newsletter'],
	['VIP care', 'aut_vip_care'],
	['Welcome series', 'aut_welcome_series'],
	['Win back', 'aut_win_back'],
];
const segments = [
	['Confirmed contacts', 'seg_confirmed'],
	['Newsletter readers', 'seg_newsletter'],
	['VIP customers', 'seg_vip'],
];
const templates = [
	[
		'appointment_reminder · Hi {{name}}, see you on {{date}} at {{time}}.',
		'tpl_appointment_reminder',
	],
	['order_shipped · Hi {{1}}, your order {{2}} is on its way.', 'tpl_order_shipped'],
	['question · Harbour Coffee asks: {{question}} Please reply yes or no.', 'tpl_question'],
	['reply · Harbour Coffee: {{text}}', 'tpl_reply'],
	['spring_offer · Hallo {{1}}, bis Sonntag gibt es {{2}} % auf alle Sorten.', 'tpl_spring_offer'],
	['welcome · Welcome, {{name}}!', 'welcome'],
];

test.each([
	['searchAutomations', automations],
	['searchSegments', segments],
	['searchTemplates', templates],
] as Array<[Method, string[][]]>)('%s shows names and holds ids', async (method, expected) => {
	for (const list of ['array', 'paged'] as const) {
		sandbox.setShapes({ list });
		expect(await entries(method)).toEqual(expected);
	}
});

test('sorts names as a person expects', async () => {
	const names = ['Offer 10', 'offer 9', 'Öffnungszeiten', 'Offer 2', 'Zebra', 'alpha'];
	sandbox.store.automations.splice(0);
	names.forEach((name, index) =>
		sandbox.store.automations.push({ id: `a${index}`, name, trigger: 'Manual', active: true }),
	);
	// One has another field for its name, one only an ID, and one neither.
	const others = [{ id: 7, title: 'Offer 7' }, { id: 'beta' }, { language: 'en' }];
	sandbox.store.automations.push(...(others as never[]));
	const found = await entries('searchAutomations');
	expect(found.map(([name]) => name)).toEqual([
		'alpha',
		'beta',
		'Offer 2',
		'Offer 7',
		'offer 9',
		'Offer 10',
		'Öffnungszeiten',
		'Zebra',
	]);
	expect(found).toEqual(
		expect.arrayContaining([
			['beta', 'beta'],
			['Offer 7', '7'],
		]),
	);
});

describe('templates', () => {
	const list = (...templates: object[]) =>
		sandbox.store.templates.splice(0, Infinity, ...(templates as never[]));

	test('show the beginning of the longest text, and all of it is searched', async () => {
		const body = `Dear customer, ${'thank you for your order. '.repeat(10)}See you soon!`;
		const url = `https://files.example.com/${'x'.repeat(500)}`;
		list(
			{ id: 'long', name: 'thanks', parts: [{ text: body }, { text: 'Bye now' }], url },
			{ id: 'bare', name: 'bare', body: 'Hello', status: 'approved' },
			{ id: 'same', name: 'Our long spring offer', body: 'Hi {{1}} there' },
			{ id: 'chinese', name: 'zh', body: '您的订单{{1}}已发货', key: 'a'.repeat(40) },
		);
		const shown = 'thanks · Dear customer, thank you for your order. thank you for your…';
		const thanks = [shown, 'long'];
		expect(await entries('searchTemplates')).toEqual([
			['bare', 'bare'],
			['Our long spring offer · Hi {{1}} there', 'same'],
			thanks,
			['zh · 您的订单{{1}}已发货', 'chinese'],
		]);
		expect(await entries('searchTemplates', 'see you SOON')).toEqual([thanks]);
	});

	test('of one name are told apart by the short values in which they differ', async () => {
		const english = { id: '6f1c', name: 'spring', category: 'marketing', body: 'Hi {{1}}, hello' };
		const at = '2026-01-15T10:00:00Z';
		list(
			{ ...english, language: 'en_US', version: 2, at },
			{ ...english, id: '07aa', language: 'de', version: 1, body: 'Hallo {{1}}, guten Tag' },
			{ id: 'autumn', name: 'autumn', language: 'pt_BR', version: 7 },
		);
		expect(await entries('searchTemplates')).toEqual([
			['autumn', 'autumn'],
			['spring · de · 1 · Hallo {{1}}, guten Tag', '07aa'],
			['spring · en_US · 2 · Hi {{1}}, hello', '6f1c'],
		]);
		expect((await entries('searchTemplates', 'de')).map(([, id]) => id)).toEqual(['07aa']);
	});

	test('that differ in nothing short are told apart by their IDs', async () => {
		const same = { name: 'spring', language: 'en', body: 'Hi {{1}}, hello' };
		list({ ...same, id: 'a', at: '2026-01-15T10:00:00Z' }, { ...same, id: 'b' });
		expect(await entries('searchTemplates')).toEqual([
			['spring (a) · Hi {{1}}, hello', 'a'],
			['spring (b) · Hi {{1}}, hello', 'b'],
		]);
	});
});

test('shows subscriptions by their URL', async () => {
	addSubscription(sandbox, { secret: 'signing-secret' });
	expect(await entries('searchSubscriptions')).toEqual([['https://example.com/events', 'sub_1']]);
});

test.each([
	['searchAutomations', 'VIP', ['VIP care']],
	['searchAutomations', ' aut_win ', ['Win back']],
	['searchTemplates', 'ORDER', ['order_shipped · Hi {{1}}, your order {{2}} is on its way.']],
	['searchTemplates', 'nothing like it', []],
] as Array<[Method, string, string[]]>)(
	'%s filtered by %j shows matches in any case',
	async (method, filter, expected) => {
		expect((await entries(method, filter)).map(([name]) => name)).toEqual(expected);
	},
);

test('offers the attribute names of contacts', async () => {
	addContact(sandbox, { attributes: { plan: 'pro', city: 'Berlin' } });
	addContact(sandbox, { phone: '+4915123456780', attributes: { score: 3, plan: null } });
	expect(await entries('searchAttributes')).toEqual([
		['city', 'city'],
		['plan', 'plan'],
		['score', 'score'],
	]);
	expect(await entries('searchAttributes', ' plan ')).toEqual([['plan', 'plan']]);
	// Attributes are made by giving them, so one that no contact has can be chosen, too.
	expect(await entries('searchAttributes', ' PL ')).toEqual([
		['plan', 'plan'],
		['New attribute: PL', 'PL'],
	]);
	expect(await entries('searchAttributes', '=plan')).toEqual([]);
});

test('looks for attributes in the first, some middle and the last contacts', async () => {
	const contacts = addContacts(sandbox, 1_000);
	for (const [index, name] of [
		[0, 'first'],
		[200, 'unseen'],
		[500, 'middle'],
		[999, 'last'],
	] as const) {
		contacts[index].attributes = { [name]: 'x' };
	}
	const names = (await entries('searchAttributes')).map(([name]) => name);
	expect(names).toEqual(['first', 'last', 'middle']);
	expect(sandbox.requests).toHaveLength(3);
});

test('offers tags by name', async () => {
	addContact(sandbox, { tags: ['vip', 'newsletter'] });
	const expected = [
		['newsletter', 'newsletter'],
		['vip', 'vip'],
	];
	// Filters of Get Many use names, too.
	expect(await entries('searchTags')).toEqual(expected);
	for (const filter of [' NEWS ', 'ｎｅｗｓ', 'news\u200b']) {
		expect(await entries('searchTags', filter)).toEqual([['newsletter', 'newsletter']]);
	}
	const options = await loadOptions.getTags.call(contextOf());
	expect(options.map(({ name, value }) => [name, value])).toEqual(expected);
	sandbox.setShapes({ tags: 'strings' });
	expect((await loadOptions.getTags.call(contextOf())).map(({ value }) => value)).toEqual([
		'newsletter',
		'vip',
	]);
	await expect(loadOptions.getTags.call(contextOf({ apiKey: 'wrong' }))).rejects.toMatchObject({
		httpCode: '401',
	});
});

describe('a drop-down that cannot be filled shows the reason', () => {
	test('with a wrong key', async () => {
		for (const method of Object.keys(listSearch) as Method[]) {
			const searching = search(method, '', { apiKey: 'wrong-key' });
			const error: unknown = await searching.catch((reason: unknown) => reason);
			expect(error).toMatchObject({
				name: 'NodeApiError',
				httpCode: '401',
			});
			expect(textsIn(error).filter((text) => text.includes('wrong-key'))).toEqual([]);
		}
	});

	test('at once if the rate limit needs more time than a drop-down has', async () => {
		sandbox.fail({ kind: { status: 429, headers: { 'retry-after': '11' } } });
		await expect(search('searchTemplates')).rejects.toMatchObject({
			message: 'The rate limit of the service is used up',
			description: expect.stringMatching(/^Wait 11 seconds, then run again\./),
		});
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('an endless list', () => {
	// The requests of other tests would count against the limit of the same key.
	const other = useSandbox();
	const searchThere = async (method: Method) =>
		await search(method, '', { baseUrl: other.url, apiKey: other.apiKey });

	/** A thousand new records in each answer, without end. */
	function endless(total: (served: number) => number) {
		let served = 0;
		const rewrite = () => {
			const data = Array.from({ length: 1_000 }, () => ({ id: `${(served += 1)}`, name: 'x' }));
			return JSON.stringify({ data, total: total(served) });
		};
		other.fail({ times: 10_000, kind: { rewrite } });
	}

	test.each(['searchTags', 'searchTemplates'] as Method[])(
		'stops %s after 10,000 records',
		async (method) => {
			endless((served) => served + 5_000);
			await expect(searchThere(method)).rejects.toMatchObject({
				message: 'The list is too long: it has more than 10,000 records',
				description: 'Enter the name or the ID instead of choosing it.',
			});
			expect(other.requests.length).toBeLessThan(40);
		},
	);

	test('is not read if its total says so', async () => {
		endless(() => 10_001);
		await expect(searchThere('searchTags')).rejects.toThrow('it has more than 10,000 records');
		expect(other.requests).toHaveLength(1);
	});
});
