import { runNode } from '../../tools/engine/runNode';
import { addContact, addContacts, sentLines, useSandbox } from './support';

const sandbox = useSandbox();

async function check(run: Partial<Parameters<typeof runNode>[1]> = {}) {
	const parameters = { resource: 'workspace', operation: 'checkApi' };
	return await runNode(sandbox, { parameters, ...run });
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

test('a service that follows the reference: ten reads, all understood', async () => {
	addContacts(sandbox, 120, { tags: ['vip'], opt_in_status: 'confirmed' });
	const { json, hints, error, output } = await check({ items: [{}, {}, {}] });
	expect(error).toBeUndefined();
	expect(output[9].pairedItem).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	expect(json.map(({ endpoint }) => endpoint)).toEqual(LINES);
	const whatToDo = 'Nothing to do.';
	expect(json.slice(0, 9)).toEqual(
		LINES.slice(0, 9).map((endpoint) => ({ endpoint, understood: true, whatToDo })),
	);
	expect(json[9].whatToDo).toMatch(/^The list is empty/);
	expect(hints).toEqual([
		'All 10 answers are understood. Empty, so not checked: GET /v1/subscriptions. Sending and enrolling were not tested: send a message to yourself.',
	]);
	expect(sandbox.requests).toHaveLength(10);
	expect(sentLines(sandbox).every((line) => line.startsWith('GET '))).toBe(true);
});

test('an empty workspace: the report names what could not be checked', async () => {
	sandbox.store.segments = [];
	const { json, hints } = await check();
	expect(json[2]).toEqual({
		endpoint: 'GET /v1/contacts/{id}',
		whatToDo: 'Not checked, because there is no record to read.',
	});
	expect(hints[0]).toContain(
		'Empty, so not checked: GET /v1/contacts, GET /v1/contacts/{id}, GET /v1/tags, GET /v1/segments, GET /v1/segments/{id}/contacts, GET /v1/subscriptions.',
	);
});

test('the report names answers that are not lists, and records that lack fields', async () => {
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
		status: 200,
		understood: false,
		notFound: ['a list'],
		fields: ['vip', 'newsletter'],
	});
	expect(String(json[3].whatToDo)).toContain('No setting fixes this');
	expect(json[4]).toMatchObject({
		understood: false,
		notFound: ['an ID or a name'],
		fields: ['language'],
	});
	expect(hints[0]).toContain("See 'whatToDo' of: GET /v1/tags, GET /v1/templates.");
});

test('an endpoint that the key cannot read does not hide the others', async () => {
	sandbox.fail({ match: { path: '/v1/subscriptions' }, kind: { status: 403 } });
	const { json, error } = await check();
	expect(error).toBeUndefined();
	expect(json.at(-1)).toMatchObject({
		status: 403,
		understood: false,
		problem: 'The service refused the request with status 403',
	});
	expect(json).toHaveLength(10);
});

test('a wrong base URL is an error that says so', async () => {
	const { error } = await check({ credential: { baseUrl: `${sandbox.url}/wrong` } });
	expect(error?.description).toContain('check the base URL in the credential');
});

test('with an error output, a check that finds nothing is a failed item', async () => {
	sandbox.revokeKey();
	const { json, failed } = await check({ onError: 'continueErrorOutput' });
	expect(json).toEqual([]);
	expect(failed).toMatchObject([{ errorDetails: { statusCode: 401 } }]);
});

test('a key that is refused ends the check', async () => {
	sandbox.fail({ match: { path: '/v1/tags' }, kind: { status: 401 } });
	const { json, error } = await check();
	expect([json, error?.httpCode]).toEqual([[], '401']);
	expect(sandbox.requests).toHaveLength(3);
});

test('the report names pages without a total', async () => {
	addContact(sandbox);
	const withoutTotal = (body: string) => JSON.stringify({ data: JSON.parse(body).data as unknown });
	sandbox.fail({ match: { path: '/v1/contacts' }, kind: { rewrite: withoutTotal } });
	const { json } = await check();
	expect(json[1]).toMatchObject({ understood: false, notFound: ['total'] });
});
