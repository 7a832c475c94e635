import { runNode } from './runNode';
import { addContact, addContacts, patientRuntime, sentLines, useSandbox } from './support';

const sandbox = useSandbox();

async function check(more: Partial<Parameters<typeof runNode>[1]> & { output?: string } = {}) {
	const { output, ...run } = more;
	return await runNode(sandbox, {
		parameters: { resource: 'workspace', operation: 'checkApi', ...(output && { output }) },
		...run,
	});
}

const LINES = [
	'GET /v1/workspace',
	'GET /v1/contacts',
	'GET /v1/contacts/{id}',
	'GET /v1/tags',
	'GET /v1/templates',
	'GET /v1/automations',
	'GET /v1/segments',
	'GET /v1/segments/{id}/contacts',
	'GET /v1/events',
	'GET /v1/subscriptions',
];

test('a service as the reference has it: ten reads, all understood', async () => {
	addContacts(sandbox, 120, { tags: ['vip'], opt_in_status: 'confirmed' });
	const { json, hints, error, output } = await check({ items: [{}, {}, {}] });
	expect(error).toBeUndefined();
	expect(output[9].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	expect(json.map(({ endpoint }) => endpoint)).toEqual(LINES);
	expect(json.every(({ understood, status }) => understood === true && status === 200)).toBe(true);
	expect(json[1]).toMatchObject({
		records: 100,
		total: 120,
		notFound: [],
		whatToDo: 'Nothing to do.',
	});
	expect(hints).toEqual([
		'All 10 answers are understood. Empty, so their records could not be checked: GET /v1/subscriptions. Sending and enrolling were not tried: send one message to yourself.',
	]);
	expect(sandbox.requests).toHaveLength(10);
	expect(sentLines(sandbox).every((line) => line.startsWith('GET '))).toBe(true);
});

test('an empty workspace: what could not be checked is said', async () => {
	sandbox.store.segments = [];
	const { json, hints } = await check();
	expect(json[2]).toEqual({
		endpoint: 'GET /v1/contacts/{id}',
		notFound: [],
		whatToDo: 'Not checked. There is no record to try.',
	});
	expect(hints[0]).toContain('Not checked: GET /v1/contacts/{id}, GET /v1/segments/{id}/contacts.');
});

test('the report has names and kinds, and nothing of the workspace', async () => {
	addContact(sandbox, {
		name: 'Zoë the Secret',
		attributes: { shoe_size: 44 },
		tags: ['secret-tag'],
	});
	const { json } = await check({ output: 'report' });
	expect(json).toHaveLength(1);
	const report = String(json[0].report);
	expect(report).toContain('| GET /v1/tags | 200 | yes | 1 |  |');
	expect(report).toContain('"opt_in_status": "text"');
	expect(report).not.toMatch(/secret|49151|shoe|order_shipped|Harbour|127\.0\.0\.1|sandbox-key/i);
});

test('an answer that is no list, and records without what is needed, are said', async () => {
	addContact(sandbox);
	sandbox.fail({
		match: { path: '/v1/tags' },
		kind: { status: 200, body: '{"vip": 3, "newsletter": 5}' },
	});
	sandbox.fail({
		match: { path: '/v1/templates' },
		kind: { status: 200, body: '[{"language": "en"}, {"language": "de"}]' },
	});
	const { json, hints } = await check();
	expect(json[3]).toMatchObject({
		understood: false,
		notFound: ['a list'],
		form: { '(2 names, masked)': 'number' },
	});
	expect(String(json[3].whatToDo)).toContain('no setting fixes that');
	expect(json[4]).toMatchObject({
		understood: false,
		notFound: ['an ID or a name', 'the text or the variables'],
		form: [{ language: 'text' }],
	});
	expect(hints[0]).toContain("Look at 'whatToDo' of: GET /v1/tags, GET /v1/templates.");
});

test('an endpoint that the key may not read does not hide the others', async () => {
	sandbox.fail({ match: { path: '/v1/subscriptions' }, kind: { status: 403 } });
	const { json, error } = await check();
	expect(error).toBeUndefined();
	expect(json.at(-1)).toMatchObject({
		status: 403,
		understood: false,
		problem: 'The API key may not read this',
	});
	expect(json).toHaveLength(10);
});

describe('a check that finds nothing says why', () => {
	const last = (description: unknown) => String(description);

	test('a key without rights', async () => {
		sandbox.fail({ times: 20, kind: { status: 403 } });
		const { error } = await check();
		expect(error?.message).toBe('The API key is not allowed to do this');
		expect(last(error?.description)).toContain('Creating a key requires the Admin role');
	});

	test('a wrong base URL', async () => {
		const { error } = await check({ credential: { baseUrl: `${sandbox.url}/wrong` } });
		expect(error?.message).toBe('The service has nothing at this address');
		expect(last(error?.description)).toContain('Check the base URL in the credential');
	});
});

test('a key that is revoked in the middle ends the check, with what was found', async () => {
	addContact(sandbox);
	sandbox.fail({ match: { path: '/v1/segments' }, kind: { status: 401 } });
	const { json, hints } = await check();
	expect(json).toHaveLength(10);
	expect(json[6]).toMatchObject({ status: 401, problem: expect.any(String) });
	expect(String(json[7].whatToDo)).toContain('Not checked.');
	expect(sandbox.requests).toHaveLength(7);
	expect(hints[0]).toContain('All 6 answers are understood. Failed: GET /v1/segments.');
});

test('what the service says of a record is in no output', async () => {
	addContact(sandbox);
	for (const status of [400, 404, 422, 500, 500, 500]) {
		const detail = { said: 'Anna Secret (+4915123456789) was not found', tag: 'vip-anna' };
		const path = status === 404 ? '/v1/tags' : status === 500 ? '/v1/segments' : '/v1/templates';
		const body = JSON.stringify({ detail: JSON.stringify(detail) });
		sandbox.fail({ match: { path }, kind: { status, body } });
	}
	sandbox.fail({ match: { path: '/v1/events' }, kind: { status: 200, body: '<html>' } });
	const { runtime } = patientRuntime();
	const { json } = await check({ runtime });
	expect(JSON.stringify(json)).not.toMatch(/Anna|vip|49151|127\.0\.0\.1/);
	expect(json[8]).toMatchObject({ status: 200, problem: 'The answer is no JSON' });
});

test('a list that is not whole, and values of other types, are said', async () => {
	const contact = {
		id: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b',
		phone: '+49',
		attributes: [],
		tags: [{}],
	};
	const answer = { data: [{ ...contact, opt_in_status: 'none' }], total: 1 };
	sandbox.fail({
		match: { path: '/v1/contacts' },
		kind: { status: 200, body: JSON.stringify(answer) },
	});
	const tags = { tags: [{ name: 'vip' }], has_more: true };
	sandbox.fail({ match: { path: '/v1/tags' }, kind: { status: 200, body: JSON.stringify(tags) } });
	const { json } = await check();
	expect(json[1].notFound).toEqual(['attributes (an object)', 'tags (a list of names)']);
	expect(json[3].notFound).toEqual(['all records']);
});

test('an id that no path can have is not asked for', async () => {
	const body = JSON.stringify([{ id: '..', name: 'Odd' }]);
	sandbox.fail({ match: { path: '/v1/segments' }, kind: { status: 200, body } });
	const { json, error } = await check();
	expect(error).toBeUndefined();
	expect(String(json[7].whatToDo)).toMatch(/^Not checked\./);
});

test('with an error output, a check that finds nothing is a failed item', async () => {
	sandbox.revokeKey();
	const { json, failed } = await check({ onError: 'continueErrorOutput' });
	expect(json).toEqual([]);
	expect(failed).toMatchObject([{ statusCode: 401 }]);
});
