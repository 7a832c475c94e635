import type { INode, INodeParameters } from 'n8n-workflow';

import { startJsonServer, type JsonServer } from '../../tools/n8n/jsonServer';
import { outputItems } from '../../tools/n8n/n8nRestClient';
import { startTestbed, type Testbed } from '../../tools/n8n/testbed';
import { crmNode, node, workflowOf } from '../../tools/n8n/workflows';

/**
 * Our credential in n8n's own nodes: the key reaches the service, and no other server. Which URLs it goes
 * to is tested in `test/unit/crm/authentication.test.ts`.
 */
let bed: Testbed;
let service: JsonServer;
let thief: JsonServer;
/** Ids of credentials. */
const credentials: Record<string, string> = {};
/** The errors of the nodes, by node name. */
const errors = new Map<string, string>();

const follow = {
	redirect: { redirect: { followRedirects: true, maxRedirects: 5 } },
	sendCredentialsOnCrossOriginRedirect: true,
};
const pages = {
	pagination: {
		pagination: {
			paginationMode: 'responseContainsNextURL',
			nextURL: '={{ $response.body.next }}',
			paginationCompleteWhen: 'other',
			completeExpression: '={{ !$response.body.next }}',
			limitPagesFetched: true,
			maxRequests: 3,
		},
	},
};

/** An HTTP Request node. Braces stand for the address of a server. */
const get = (url: string, options: INodeParameters = {}, version = 4.5) =>
	node(url, 'n8n-nodes-base.httpRequest', { url, options }, version);
const post = (url: string, options: INodeParameters): INode => {
	const { parameters, ...rest } = get(url, options);
	const body = { sendBody: true, contentType: 'json', specifyBody: 'json', jsonBody: '{"a":1}' };
	return { ...rest, parameters: { ...parameters, method: 'POST', ...body } };
};

const graphql = { endpoint: '{thief}/crm/v1', query: 'query { id }' };
const search = { resource: 'contact', operation: 'getAll', filters: { search: 'domains' } };
const works: Record<string, INode> = {
	'a request': get('{service}/crm/v1?request'),
	'the next page': get('{service}/crm/v1?next={service}/crm/v1?last', pages),
	'our own node, though Allowed HTTP Request Domains is None': crmNode(search),
};
const refused: Record<string, [node: INode, error: RegExp]> = {
	'another server': [get('{thief}/crm/v1'), /only sent to/],
	'another path of the service': [get('{service}/crm/../v1'), /only sent to/],
	'a next page elsewhere': [get('{service}/crm/v1?next={thief}/v1', pages), /only sent to/],
	'a server that HTTP Request 2 asks': [get('{thief}/crm/v1', {}, 2), /only sent to/],
	'a server that GraphQL asks': [
		node('GraphQL', 'n8n-nodes-base.graphql', graphql, 1.1),
		/only sent to/,
	],
	'a redirect': [get('{service}/crm/v1?redirect={thief}/v1', follow), /\b307\b/],
	'a redirect of a POST': [post('{service}/crm/v1?redirect={thief}/v1', follow), /\b307\b/],
	'a proxy': [get('{service}/crm/v1?proxy', { proxy: '{thief}' }), /not sent through a proxy/],
};

beforeAll(async () => {
	service = await startJsonServer(({ path }) => {
		if (path.endsWith('/workspace')) return { body: { id: 'a' } };
		const query = new URL(path, 'http://any').searchParams;
		const location = query.get('redirect');
		if (location) return { status: 307, headers: { location } };
		return { body: { data: [{ id: 'a' }], next: query.get('next') } };
	});
	thief = await startJsonServer(() => ({ body: {} }));
	bed = await startTestbed();
	for (const allowedHttpRequestDomains of ['all', 'none']) {
		credentials[allowedHttpRequestDomains] = await bed.n8n.rest.createCredential(
			allowedHttpRequestDomains,
			'workspaceCrmApi',
			{
				baseUrl: `${service.url}/crm`,
				apiKey: 'the-key-4f1c',
				authHeader: 'xApiKey',
				allowedHttpRequestDomains,
			},
		);
	}
	const all = [
		...Object.entries(works),
		...Object.entries(refused).map(([name, [each]]) => [name, each] as const),
	];
	const nodes = all.map(([name, each]) => withCredential(name, each));
	const start = node('Start', 'n8n-nodes-base.manualTrigger');
	const main = [nodes.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))];
	const { id } = await bed.n8n.rest.createWorkflow(
		workflowOf([start, ...nodes], { Start: { main } }),
	);
	const { data } = await bed.n8n.rest.runWorkflow(id, 'Start');
	for (const { name } of nodes) {
		const [{ error } = {}] = outputItems(data, name);
		if (error) errors.set(name, JSON.stringify(error));
	}
}, 900_000);
afterAll(async () => await Promise.all([bed?.close(), service?.close(), thief?.close()]));

function withCredential(name: string, { parameters, ...rest }: INode): INode {
	const text = JSON.stringify(parameters)
		.replaceAll('{service}', service.url)
		.replaceAll('{thief}', thief.url);
	const id = credentials[name.startsWith('our own node') ? 'none' : 'all'];
	return {
		...rest,
		id: name,
		name,
		onError: 'continueRegularOutput',
		parameters: {
			...(JSON.parse(text) as INodeParameters),
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'workspaceCrmApi',
		},
		credentials: { workspaceCrmApi: { id, name: 'CRM' } },
	};
}

test.each(Object.keys(works))('the key is sent with %s', (name) => {
	expect(errors.get(name)).toBeUndefined();
});

test.each(Object.entries(refused))('the key is not sent to %s', (name, [, error]) => {
	expect(errors.get(name)).toMatch(error);
});

test('every request reaches the service with the key, and no other server gets one', () => {
	expect(thief.requests).toEqual([]);
	const asked = service.requests.map(({ path }) => path);
	expect(asked.filter((path) => !path.startsWith('/crm/'))).toEqual([]);
	for (const part of ['?request', '?last', 'search=domains', '?redirect=']) {
		expect(asked.join()).toContain(part);
	}
	for (const { headers } of service.requests) expect(headers['x-api-key']).toBe('the-key-4f1c');
});

test("n8n's credential test sends its request below the base URL's path", async () => {
	const { rest } = bed.n8n;
	const id = credentials.all;
	const { data } = await rest.get<{ data: object }>(`/credentials/${id}?includeData=true`);
	const tested = { credentials: { id, name: 'all', type: 'workspaceCrmApi', data } };
	const { status } = await rest.post<{ status: string }>('/credentials/test', tested);
	expect([status, service.requests.at(-1)?.path]).toEqual(['OK', '/crm/v1/workspace']);
});
