import { LoadOptionsContext } from 'n8n-core';
import { Workflow, type INodeListSearchResult } from 'n8n-workflow';

import { WorkspaceCrm } from '../../nodes/WorkspaceCrm/WorkspaceCrm.node';
import type { ListShape } from '../sandbox';
import { additionalData, crmNode, nodeTypes } from './engine';
import { addContact, addContacts, sent, textsIn, useSandbox } from './support';

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

function contextOf(credential = {}) {
	const node = crmNode({ resource: 'contact', operation: 'get' });
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	const additional = additionalData({
		credential: {
			baseUrl: sandbox.url,
			apiKey: sandbox.apiKey,
			authHeader: 'bearer',
			...credential,
		},
	});
	return new LoadOptionsContext(workflow, node, additional, '');
}

async function entries(method: Method, filter?: string) {
	return (await search(method, filter)).results.map(({ name, value }) => [name, value]);
}

describe('the drop-down of contacts', () => {
	test('tells two of the same name apart by their phone', async () => {
		const [first, second] = addContacts(sandbox, 2, { name: 'Nathan Smith' });
		expect(await entries('searchContacts')).toEqual([
			['Nathan Smith · +12124000000', first.id],
			['Nathan Smith · +12124000001', second.id],
		]);
		expect(sent(sandbox)).toEqual([
			{ request: 'GET /v1/contacts', query: { limit: '100', offset: '0' } },
		]);
	});

	test('shows the phone alone of one without a name', async () => {
		const { id } = addContact(sandbox, { name: null });
		expect(await entries('searchContacts')).toEqual([['+4915123456789', id]]);
	});

	test('lets the service search, by name or phone', async () => {
		const { id } = addContact(sandbox, { name: 'Anna' });
		addContact(sandbox, { phone: '+4915123456780', name: 'Björn' });
		expect(await entries('searchContacts', ' ann ')).toEqual([['Anna · +4915123456789', id]]);
		expect(await entries('searchContacts', '+49 151 23456789')).toEqual([
			['Anna · +4915123456789', id],
		]);
		expect(sent(sandbox).map(({ query }) => query?.search)).toEqual(['ann', '+49 151 23456789']);
	});

	test('is filled by a hundred at a time, to the last of 2,000', async () => {
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

	test('finds what is searched for among many, page by page', async () => {
		addContacts(sandbox, 250, { name: 'Nathan' });
		addContacts(sandbox, 250, { name: 'Olga', phone: '+4915123456789' });
		const first = await search('searchContacts', 'nath');
		expect(first.results).toHaveLength(100);
		const last = await search('searchContacts', 'nath', {}, '200');
		expect(last.results).toHaveLength(50);
		expect(last.paginationToken).toBeUndefined();
	});

	test('tells those with the same name and number apart by their id', async () => {
		const same = { name: 'Nathan Smith', phone: '+12124000000' };
		const [first, second] = addContacts(sandbox, 2, same);
		expect(await entries('searchContacts')).toEqual([
			[`Nathan Smith · +12124000000 (${first.id})`, first.id],
			[`Nathan Smith · +12124000000 (${second.id})`, second.id],
		]);
	});
});

const automations = [
	['Welcome series', 'aut_welcome_series'],
	['VIP care', 'aut_vip_care'],
	['Win back', 'aut_win_back'],
	['Newsletter (old)', 'aut_old_newsletter'],
];
const segments = [
	['Confirmed contacts', 'seg_confirmed'],
	['VIP customers', 'seg_vip'],
	['Newsletter readers', 'seg_newsletter'],
];
const templates = [
	['order_shipped', 'tpl_order_shipped'],
	['appointment_reminder', 'tpl_appointment_reminder'],
	['spring_offer', 'tpl_spring_offer'],
	['welcome', 'welcome'],
];

describe.each(['array', 'data', 'named', 'paged'] as ListShape[])(
	'where lists come in the form %j',
	(list) => {
		test.each([
			['searchAutomations', automations],
			['searchSegments', segments],
			['searchTemplates', templates],
		] as Array<[Method, string[][]]>)('%s shows names and holds ids', async (method, expected) => {
			sandbox.setShapes({ list });
			expect(await entries(method)).toEqual(expected);
		});
	},
);

test('subscriptions are shown by their URL', async () => {
	sandbox.store.subscriptions.set('sub_1', {
		id: 'sub_1',
		url: 'https://example.com/events',
		events: ['tag.added'],
		secret: 'signing-secret',
		active: true,
		created_at: '2026-01-01T00:00:00.000Z',
	});
	expect(await entries('searchSubscriptions')).toEqual([['https://example.com/events', 'sub_1']]);
});

test.each([
	['searchAutomations', 'VIP', ['VIP care']],
	['searchAutomations', ' aut_win ', ['Win back']],
	['searchSegments', 'letter', ['Newsletter readers']],
	['searchTemplates', 'offer', ['spring_offer']],
	['searchTemplates', 'nothing like it', []],
] as Array<[Method, string, string[]]>)(
	'%s filtered by %j gives what contains it, in any case',
	async (method, filter, expected) => {
		expect((await entries(method, filter)).map(([name]) => name)).toEqual(expected);
	},
);

test('attributes are offered by the names that contacts have', async () => {
	addContact(sandbox, { attributes: { plan: 'pro', city: 'Berlin' } });
	addContact(sandbox, { phone: '+4915123456780', attributes: { score: 3, plan: null } });
	expect(await entries('searchAttributes')).toEqual([
		['city', 'city'],
		['plan', 'plan'],
		['score', 'score'],
	]);
	expect(await entries('searchAttributes', ' PL ')).toEqual([['plan', 'plan']]);
});

test('tags are offered by their names', async () => {
	addContact(sandbox, { tags: ['vip', 'newsletter'] });
	const expected = [
		['vip', 'vip'],
		['newsletter', 'newsletter'],
	];
	// Filters go by the name, too.
	expect(await entries('searchTags')).toEqual(expected);
	expect(await entries('searchTags', ' NEWS ')).toEqual([['newsletter', 'newsletter']]);
	const options = await loadOptions.getTags.call(contextOf());
	expect(options.map(({ name, value }) => [name, value])).toEqual(expected);
	sandbox.setShapes({ tags: 'strings' });
	expect((await loadOptions.getTags.call(contextOf())).map(({ value }) => value)).toEqual([
		'vip',
		'newsletter',
	]);
	await expect(loadOptions.getTags.call(contextOf({ apiKey: 'wrong' }))).rejects.toMatchObject({
		message: 'The API key was not accepted',
	});
});

describe('a drop-down that cannot be filled says why', () => {
	const methods = Object.keys(listSearch) as Method[];

	test.each(methods)('%s with a wrong key', async (method) => {
		const error: unknown = await search(method, '', { apiKey: 'wrong-key' }).catch(
			(reason: unknown) => reason,
		);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: 'The API key was not accepted',
			description: expect.stringContaining('Open the credential and paste the key again.'),
			httpCode: '401',
		});
		expect(textsIn(error).filter((text) => text.includes('wrong-key'))).toEqual([]);
	});

	test('with a base URL that is refused', async () => {
		await expect(search('searchTemplates', '', { baseUrl: 'http://8.8.8.8' })).rejects.toThrow(
			/^The base URL starts with http:\/\//,
		);
	});

	test('at once when the rate limit asks for more patience than a drop-down has', async () => {
		sandbox.fail({ kind: { status: 429, headers: { 'retry-after': '11' } } });
		await expect(search('searchTemplates')).rejects.toMatchObject({
			message: 'The rate limit of the service is used up',
			description: expect.stringMatching(/^Wait 11 seconds, then run again\./),
		});
		expect(sandbox.requests).toHaveLength(1);
	});
});

describe('a list without an end', () => {
	// The requests of other tests would count against the limit of the same key.
	const other = useSandbox();
	const searchThere = async (method: Method) =>
		await search(method, '', { baseUrl: other.url, apiKey: other.apiKey });

	/** A thousand new records in each answer, and ever more to come. */
	function endless(total: (served: number) => number) {
		let served = 0;
		const rewrite = () => {
			const data = Array.from({ length: 1_000 }, () => ({ id: `${(served += 1)}`, name: 'x' }));
			return JSON.stringify({ data, total: total(served) });
		};
		other.fail({ times: 10_000, kind: { rewrite } });
	}

	test.each(['searchTags', 'searchTemplates'] as Method[])(
		'ends %s after 10,000 records',
		async (method) => {
			endless((served) => served + 5_000);
			await expect(searchThere(method)).rejects.toMatchObject({
				message: 'The list is too long: it has more than 10000 records',
				description: 'Enter the name or the ID instead of choosing it.',
			});
			expect(other.requests.length).toBeLessThan(40);
		},
	);

	test('that says so at first is not read', async () => {
		endless(() => 10_001);
		await expect(searchThere('searchTags')).rejects.toThrow('it has more than 10000 records');
		expect(other.requests).toHaveLength(1);
	});

	test('of contacts is read a page at a time, as before', async () => {
		endless((served) => served + 5_000);
		expect((await searchThere('searchContacts')).results).toHaveLength(1_000);
		expect(other.requests).toHaveLength(1);
	});
});
