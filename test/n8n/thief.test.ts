import type { INode, INodeParameters } from 'n8n-workflow';

import { pemFile } from '../workflow/connection/servers';
import { outputItems } from './executionData';
import { startTestbed, type Testbed } from './testbed';
import { startThiefServer, type Caught, type ThiefServer } from './thiefServer';

/** A request with our credential. Names in braces stand for addresses, and for the mark of the way. */
interface Way {
	title: string;
	parameters: INodeParameters;
	/** Default: n8n's HTTP Request. */
	type?: string;
	version?: number;
	/** Which base URL the credential has. Default: service. */
	base?: 'service' | 'secure' | 'off';
}

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
const body = { sendBody: true, contentType: 'json', specifyBody: 'json', jsonBody: '{"a":1}' };
const post = { method: 'POST', ...body };
const to = (url: string, options: INodeParameters = {}) => ({ url: `${url}{way}`, options });

const works: Way[] = [
	{ title: 'GET', parameters: to('{service}/crm/v1?') },
	{ title: 'POST over TLS', base: 'secure', parameters: { ...to('{secure}/crm/v1?'), ...post } },
	{ title: 'pagination', parameters: to('{service}/crm/v1?next={service}/crm/v1?', pages) },
	{
		title: 'our own node, where Allowed HTTP Request Domains is None',
		type: 'n8n-nodes-workspace-crm.workspaceCrm',
		version: 1,
		base: 'off',
		parameters: { resource: 'contact', operation: 'getAll', filters: { search: '{way}' } },
	},
];

const otherPlaces: Way[] = [
	...[
		'{thief}/crm/v1',
		'{service}@{thiefHost}/crm/v1',
		'{service}/v1',
		'{service}/crmx/v1',
		'{service}/crm/../v1',
		'{service}/crm/%2e%2E/v1',
	].map((url): Way => ({ title: url, parameters: to(`${url}?`) })),
	{ title: 'no TLS where the base has it', base: 'secure', parameters: to('{plain}/crm/v1?') },
	{ title: 'a next page', parameters: to('{service}/crm/v1?next={thief}/v1?', pages) },
	{ title: 'HTTP Request 2', version: 2, parameters: to('{thief}/crm/v1?') },
	{
		title: 'GraphQL',
		type: 'n8n-nodes-base.graphql',
		version: 1.1,
		parameters: { endpoint: '{thief}/crm/v1?{way}', query: 'query { id }' },
	},
];

const redirects: Way[] = [
	...['302:{thief}', '307:{thief}', '302:'].flatMap((redirect): Way[] => {
		const parameters = to(`{service}/crm/v1?redirect=${redirect}/v1?`, follow);
		return [
			{ title: `GET, ${redirect}/v1`, parameters },
			{ title: `POST, ${redirect}/v1`, parameters: { ...parameters, ...post } },
		];
	}),
	{
		title: 'a next page that is one',
		parameters: to('{service}/crm/v1?next={service}/crm/v1?redirect=302:{thief}/v1?', {
			...pages,
			...follow,
		}),
	},
];

const proxies = (['service', 'secure'] as const).map((base): Way => {
	return { title: base, base, parameters: to(`{${base}}/crm/v1?`, { proxy: '{thief}' }) };
});

const thievish = [...otherPlaces, ...redirects, ...proxies];
const ways = [...works, ...thievish];
const apiKey = crypto.randomUUID();

let bed: Testbed;
let service: ThiefServer;
let thief: ThiefServer;
/** Ids of credentials. */
const credentials: Record<string, string> = {};
/** What the nodes failed with, by their names. */
let errors: Map<string, string | undefined>;

beforeAll(async () => {
	[service, thief] = await Promise.all([startThiefServer(), startThiefServer()]);
	bed = await startTestbed({ env: { NODE_EXTRA_CA_CERTS: pemFile('root') } });
	const { rest } = bed.n8n;
	for (const base of ['service', 'secure', 'off']) {
		credentials[base] = await rest.createCredential(base, 'workspaceCrmApi', {
			baseUrl: `${addresses()[base === 'secure' ? base : 'service']}/crm`,
			apiKey,
			authHeader: 'xApiKey',
			allowedHttpRequestDomains: base === 'off' ? 'none' : 'all',
		});
	}
	const header = { name: 'X-API-Key', value: apiKey };
	credentials.careless = await rest.createCredential('Careless', 'httpHeaderAuth', header);
	errors = await run();
}, 900_000);

afterAll(async () => {
	await Promise.all([bed?.close(), service?.close(), thief?.close()]);
});

test.each(works)('the service gets a request with the key: $title', (way) => {
	expect(errors.get(nameOf(way))).toBeUndefined();
	expect(service.caught.some((caught) => hasKeyOf(caught, way))).toBe(true);
	expect(isStolen(way)).toBe(false);
});

test.each([
	...otherPlaces.map((way) => ({ what: 'another place', error: /only sent to/, way })),
	...redirects.map((way) => ({ what: 'a redirect', error: /\b30[27]\b/, way })),
	...proxies.map((way) => ({ what: 'a proxy', error: /not sent through a proxy/, way })),
])('the thief gets no key by $what: $way.title', ({ way, error }) => {
	expect(errors.get(nameOf(way))).toMatch(error);
	// n8n's own Header Auth loses it, so the thief is a good one.
	expect([isStolen(way), isStolen(way, true)]).toEqual([false, true]);
});

test("n8n's test of the credential asks below the path of the base URL", async () => {
	const { rest } = bed.n8n;
	const id = credentials.service;
	const { data } = await rest.get<{ data: object }>(`/credentials/${id}?includeData=true`);
	const tested = { credentials: { id, name: 'service', type: 'workspaceCrmApi', data } };
	const { status } = await rest.post<{ status: string }>('/credentials/test', tested);
	expect([status, service.caught.at(-1)?.url]).toEqual(['OK', '/crm/v1/workspace']);
});

const addresses = (): Record<string, string> => ({
	service: `http://127.0.0.1:${service.port}`,
	plain: `http://localhost:${service.port}`,
	secure: `https://localhost:${service.port}`,
	thief: `http://127.0.0.1:${thief.port}`,
	thiefHost: `127.0.0.1:${thief.port}`,
});

/** The name of a node. In the URL of its requests, it tells whoever gets one where that comes from. */
const nameOf = (way: Way, isCareless = false) =>
	`${isCareless ? 'careless' : 'ours'}-${ways.indexOf(way)}.`;

const hasKeyOf = ({ text }: Caught, way: Way, isCareless?: boolean) =>
	text.includes(apiKey) && text.includes(nameOf(way, isCareless));

/** Whether the thief got the key, others at the host of the service, or whoever listens where TLS is due. */
function isStolen(way: Way, isCareless?: boolean): boolean {
	const isAstray = ({ url, isSecure }: Caught) =>
		!url.startsWith('/crm/') || (way.base === 'secure' && !isSecure);
	return [...thief.caught, ...service.caught.filter(isAstray)].some((caught) =>
		hasKeyOf(caught, way, isCareless),
	);
}

function toNode(way: Way, isCareless = false): INode {
	const { base = 'service', type = 'n8n-nodes-base.httpRequest', version = 4.5 } = way;
	const name = nameOf(way, isCareless);
	const filled = Object.entries({ ...addresses(), way: name }).reduce(
		(text, [place, value]) => text.replaceAll(`{${place}}`, value),
		JSON.stringify(way.parameters),
	);
	const generic = type.endsWith('graphql') ? 'headerAuth' : 'genericCredentialType';
	const authentication = isCareless
		? { authentication: generic, genericAuthType: 'httpHeaderAuth' }
		: { authentication: 'predefinedCredentialType', nodeCredentialType: 'workspaceCrmApi' };
	const id = credentials[isCareless ? 'careless' : base];
	return {
		id: name,
		name,
		type,
		typeVersion: version,
		position: [200, 0],
		onError: 'continueRegularOutput',
		parameters: { ...(JSON.parse(filled) as INodeParameters), ...authentication },
		credentials: { [isCareless ? 'httpHeaderAuth' : 'workspaceCrmApi']: { id, name: id } },
	};
}

/** Runs all ways in one execution, the thievish ones with n8n's Header Auth as well. */
async function run(): Promise<typeof errors> {
	const nodes = [...ways.map((way) => toNode(way)), ...thievish.map((way) => toNode(way, true))];
	const type = 'n8n-nodes-base.manualTrigger';
	const start = { id: 'start', name: 'Start', type, typeVersion: 1, parameters: {} };
	const main = [nodes.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }))];
	const { rest } = bed.n8n;
	const { id } = await rest.createWorkflow({
		name: 'Ways',
		nodes: [{ ...start, position: [0, 0] }, ...nodes],
		connections: { Start: { main } },
		settings: { executionOrder: 'v1' },
	});
	const { data } = await rest.runWorkflow(id, 'Start');
	return new Map(
		nodes.map(({ name }) => [name, JSON.stringify(outputItems(data, name)[0]?.error)]),
	);
}
