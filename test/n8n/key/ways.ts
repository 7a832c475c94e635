import type { INode, INodeParameters } from 'n8n-workflow';

import type { Service } from './service';
import type { Thief } from './thief';

/** The credentials of the ways; all have the same key, and each another base URL or header. */
export type CredentialName = 'bearer' | 'xApiKey' | 'secure' | 'path' | 'impersonated' | 'off';

export interface Place {
	/** Over plain http, as on one's own machine. */
	service: Service;
	/** The same with TLS. */
	secure: Service;
	/** One that lives under a path of its host. */
	shared: Service;
	thief: Thief;
}

/** Marks a URL, so that whoever gets a request knows which way it came. */
export type At = (url: string) => string;

/** Something that is done with HTTP Request, or a node like it, and the credential. */
export interface Way {
	title: string;
	/** What has to come of it: an answer of the service, or an error. */
	expected: 'answered' | RegExp;
	/** By default all that the editor has offered for long, and the newest. */
	versions?: number[];
	node(place: Place, at: At): WayNode;
	/** Whether it gets three items: the service, the thief, and the service again. */
	hasItems?: boolean;
	/** Expressions that a node behind it evaluates. */
	probes?: string[];
}

export type WayNode = Partial<INode> & { parameters: INodeParameters; credential?: CredentialName };

export const REFUSED = {
	proxy: /The API key is not sent through a proxy/,
	unchecked: /The API key is only sent where the certificate is checked/,
	untrusted: /The API key is only sent where n8n itself trusts the certificate/,
	method: /The API key is not sent with the method/,
	header: /The header .+ cannot be set in a request with the API key/,
	place: /The API key is only sent to .+, not to /,
	userName: /The URL of a request with the API key must not contain a user name/,
	unreadable: /The URL of the request cannot be read/,
	/** By n8n, before it asks the credential. */
	byN8n: /^Invalid URL|is not a valid URL|URL must start with|configured to prevent use/,
};

/** The status of a redirect that was not followed. */
export const NOT_FOLLOWED = /\b30[12378]\b/;

export const allVersions = [4.2, 4.3, 4.4, 4.5];

/** What the fields of HTTP Request are called, for a request with our credential. */
export function request(url: string, more: INodeParameters = {}): INodeParameters {
	return {
		method: 'GET',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'workspaceCrmApi',
		options: {},
		...more,
	};
}

function headers(...pairs: Array<[string, string]>): INodeParameters {
	const parameters = pairs.map(([name, value]) => ({ name, value }));
	return { sendHeaders: true, specifyHeaders: 'keypair', headerParameters: { parameters } };
}

const jsonHeaders = (value: object): INodeParameters => ({
	sendHeaders: true,
	specifyHeaders: 'json',
	jsonHeaders: JSON.stringify(value),
});

const jsonBody = (value: object): INodeParameters => ({
	sendBody: true,
	contentType: 'json',
	specifyBody: 'json',
	jsonBody: JSON.stringify(value),
});

/** As n8n's documentation has it: the answer names the next page. */
const nextPage = {
	pagination: {
		paginationMode: 'responseContainsNextURL',
		nextURL: '={{ $response.body.next }}',
		paginationCompleteWhen: 'other',
		completeExpression: '={{ !$response.body.next }}',
		limitPagesFetched: true,
		maxRequests: 3,
	},
};

const asText = (value: unknown) => `={{ ${JSON.stringify(value)} }}`;

const works: Way[] = [
	...(['bearer', 'xApiKey', 'secure', 'path'] as const).map((credential): Way => {
		const titles = {
			bearer: 'GET, with Authorization: Bearer',
			xApiKey: 'GET, with X-API-Key',
			secure: 'GET over TLS',
			path: 'GET, where the base URL has a path',
		};
		return {
			title: titles[credential],
			expected: 'answered',
			node: ({ service, secure, shared }, at) => {
				const { url } = { bearer: service, xApiKey: service, secure, path: shared }[credential];
				return { credential, parameters: request(at(`${url}/v1/workspace`)) };
			},
		};
	}),
	...['POST', 'PUT', 'PATCH', 'DELETE'].map(
		(method): Way => ({
			title: `${method} with a JSON body`,
			expected: 'answered',
			node: ({ service }, at) => ({
				parameters: request(at(`${service.url}/v1/contacts`), {
					method,
					...jsonBody({ name: 'A' }),
				}),
			}),
		}),
	),
	...['form-urlencoded', 'multipart-form-data'].map(
		(contentType): Way => ({
			title: `POST with a body of ${contentType}`,
			expected: 'answered',
			node: ({ service }, at) => ({
				parameters: request(at(`${service.url}/v1/contacts`), {
					method: 'POST',
					sendBody: true,
					contentType,
					bodyParameters: { parameters: [{ name: 'name', value: 'A' }] },
				}),
			}),
		}),
	),
	{
		title: 'POST with a raw body',
		expected: 'answered',
		node: ({ service }, at) => ({
			parameters: request(at(`${service.url}/v1/contacts`), {
				method: 'POST',
				sendBody: true,
				contentType: 'raw',
				rawContentType: 'text/plain',
				body: 'A',
			}),
		}),
	},
	{
		title: 'Query parameters, also lists',
		expected: 'answered',
		node: ({ service }, at) => ({
			parameters: request(at(`${service.url}/v1/contacts`), {
				sendQuery: true,
				specifyQuery: 'json',
				jsonQuery: JSON.stringify({ tag: ['a', 'b'], q: 'ä&b' }),
				options: { queryParameterArrays: 'repeat' },
			}),
		}),
	},
	{
		title: 'Headers of its own, and a key of its own in other letters: ours takes its place',
		expected: 'answered',
		node: ({ service }, at) => ({
			parameters: request(at(`${service.url}/v1/workspace`), {
				...headers(['accept-LANGUAGE', 'de'], ['AUTHORIZATION', 'Basic x'], ['x-Api-key', 'mine']),
				options: { lowercaseHeaders: false },
			}),
		}),
	},
	{
		title: 'Pagination: the answer names the next page',
		expected: 'answered',
		node: ({ service }, at) => ({
			parameters: request(
				at(`${service.url}/v1/contacts?to=${encodeURIComponent(at(`${service.url}/v1/contacts`))}`),
				{ options: { pagination: nextPage } },
			),
		}),
	},
	{
		title: 'Pagination: a parameter in each request',
		expected: 'answered',
		node: ({ service }, at) => ({
			parameters: request(at(`${service.url}/v1/contacts`), {
				options: {
					pagination: {
						pagination: {
							paginationMode: 'updateAParameterInEachRequest',
							parameters: {
								parameters: [{ type: 'qs', name: 'offset', value: '={{ $pageCount * 100 }}' }],
							},
							paginationCompleteWhen: 'receiveSpecificStatusCodes',
							statusCodesWhenComplete: '404',
							limitPagesFetched: true,
							maxRequests: 2,
						},
					},
				},
			}),
		}),
	},
	...['json', 'text', 'file'].map(
		(responseFormat): Way => ({
			title: `The full response, as ${responseFormat}`,
			expected: 'answered',
			node: ({ service }, at) => ({
				parameters: request(at(`${service.url}/v1/workspace`), {
					options: {
						response: { response: { fullResponse: true, responseFormat } },
					},
				}),
			}),
		}),
	),
	{
		title: 'A client certificate',
		expected: 'answered',
		node: ({ secure }, at) => ({
			credential: 'secure',
			parameters: request(at(`${secure.url}/v1/workspace`), { provideSslCertificates: true }),
			credentials: { httpSslAuth: { id: 'clientCertificate', name: '' } },
		}),
	},
];

const proxies: Way[] = (['service', 'secure'] as const).flatMap((target) => {
	const credential = target === 'secure' ? 'secure' : 'bearer';
	const kind = target === 'secure' ? 'with TLS' : 'without TLS';
	const forms: Array<[string, (thief: Thief) => string]> = [
		['an http proxy', ({ http }) => http],
		['an https proxy', ({ https }) => https],
		['a proxy with a user name', ({ http }) => http.replace('//', '//way:me@')],
		[
			'a proxy as an object',
			({ http }) =>
				asText({ protocol: 'http', host: '127.0.0.1', port: Number(new URL(http).port) }),
		],
	];
	return forms.flatMap(([form, proxyOf]): Way[] => [
		{
			title: `Through ${form}, service ${kind}`,
			expected: REFUSED.proxy,
			node: (place, at) => ({
				credential,
				parameters: request(at(`${place[target].url}/v1/workspace`), {
					options: { proxy: proxyOf(place.thief), allowUnauthorizedCerts: true },
				}),
			}),
		},
		{
			title: `Through ${form}, service ${kind}, with pagination`,
			expected: REFUSED.proxy,
			node: (place, at) => ({
				credential,
				parameters: request(at(`${place[target].url}/v1/workspace`), {
					options: {
						proxy: proxyOf(place.thief),
						allowUnauthorizedCerts: true,
						pagination: pageAt(at(`${place[target].url}/v1/contacts`)),
					},
				}),
			}),
		},
	]);
});

/** Pagination whose first page already has a URL of the node's own. */
function pageAt(url: string) {
	return { pagination: { ...nextPage.pagination, nextURL: `={{ ${JSON.stringify(url)} }}` } };
}

const certificates: Way[] = [
	{
		title: 'Somebody in the place of the service, with an unknown certificate',
		expected: /certificate|SSL/i,
		node: ({ thief }, at) => ({
			credential: 'impersonated',
			parameters: request(at(`${thief.https}/v1/workspace`)),
		}),
	},
	...[false, true].flatMap((hasPages): Way[] => {
		const more = hasPages ? ', with pagination' : '';
		const pages = (url: string) => (hasPages ? { pagination: pageAt(url) } : {});
		return [
			{
				title: `The same, and Ignore SSL Issues${more}`,
				expected: REFUSED.unchecked,
				node: ({ thief }, at) => {
					const url = at(`${thief.https}/v1/workspace`);
					const options = { allowUnauthorizedCerts: true, ...pages(url) };
					return { credential: 'impersonated', parameters: request(url, { options }) };
				},
			},
			{
				title: `The same, and an authority of one's own${more}`,
				expected: REFUSED.untrusted,
				node: ({ thief }, at) => {
					const url = at(`${thief.https}/v1/workspace`);
					return {
						credential: 'impersonated',
						parameters: request(url, { provideSslCertificates: true, options: pages(url) }),
						credentials: { httpSslAuth: { id: 'authority', name: '' } },
					};
				},
			},
		];
	}),
	{
		title: 'Ignore SSL Issues, with the service itself',
		expected: REFUSED.unchecked,
		node: ({ secure }, at) => ({
			credential: 'secure',
			parameters: request(at(`${secure.url}/v1/workspace`), {
				options: { allowUnauthorizedCerts: true },
			}),
		}),
	},
];

const follow: INodeParameters = {
	redirect: { redirect: { followRedirects: true, maxRedirects: 5 } },
	sendCredentialsOnCrossOriginRedirect: true,
};

function redirect(
	title: string,
	status: number,
	to: (place: Place) => string,
	more: INodeParameters,
	credential: 'bearer' | 'xApiKey' | 'secure' = 'bearer',
): Way {
	return {
		title,
		expected: NOT_FOLLOWED,
		node: (place, at) => {
			const { url } = credential === 'secure' ? place.secure : place.service;
			const target = encodeURIComponent(at(to(place)));
			return {
				credential,
				parameters: request(at(`${url}/v1/redirect?status=${status}&to=${target}`), more),
			};
		},
	};
}

const awayByRedirect = (place: Place, at: At) =>
	`${place.service.url}/v1/r?status=302&to=${encodeURIComponent(at(away(place)))}`;
const away = ({ thief }: Place) => `${thief.http}/v1/workspace`;
const home = ({ service }: Place) => `${service.url}/v1/workspace`;

const redirects: Way[] = [
	...[301, 302, 303, 307, 308].flatMap((status) =>
		['GET', 'POST'].flatMap((method) => {
			const more = { method, options: follow, ...(method === 'POST' && jsonBody({ a: 1 })) };
			return [
				redirect(`${method}, ${status} to the thief`, status, away, more),
				redirect(`${method}, ${status} to the service itself`, status, home, more),
			];
		}),
	),
	redirect('302 to the thief, with X-API-Key', 302, away, { options: follow }, 'xApiKey'),
	redirect('302 to the thief, options as they are', 302, away, {}),
	redirect('302 to the thief, options as they are, X-API-Key', 302, away, {}, 'xApiKey'),
	redirect('302 to the thief, Follow Redirects off', 302, away, {
		options: { redirect: { redirect: { followRedirects: false } } },
	}),
	redirect('302 to the thief, only Max Redirects set', 302, away, {
		options: { redirect: { redirect: { maxRedirects: 3 } } },
	}),
	redirect('302 to the thief, Send Credentials on', 302, away, {
		options: { sendCredentialsOnCrossOriginRedirect: true },
	}),
	redirect('302 from TLS to the thief without', 302, away, { options: follow }, 'secure'),
	redirect('302 to the thief, each with a page', 302, away, {
		options: { ...follow, pagination: nextPage },
	}),
	{
		title: 'The next page is a redirect to the thief',
		expected: NOT_FOLLOWED,
		node: (place, at) => ({
			parameters: request(at(`${place.service.url}/v1/contacts`), {
				options: {
					...follow,
					pagination: pageAt(at(awayByRedirect(place, at))),
				},
			}),
		}),
	},
	{
		title: '302 to the thief, Never Error and the full response',
		expected: 'answered',
		node: (place, at) => ({
			parameters: request(at(awayByRedirect(place, at)), {
				options: {
					...follow,
					response: { response: { neverError: true, fullResponse: true } },
				},
			}),
		}),
	},
];

const nextPages: Way[] = [
	{
		title: 'The next page is at the thief',
		expected: REFUSED.place,
		node: (place, at) => ({
			parameters: request(
				at(`${place.service.url}/v1/contacts?to=${encodeURIComponent(at(away(place)))}`),
				{ options: { pagination: nextPage } },
			),
		}),
	},
	...(
		[
			['the thief', (place) => away(place)],
			['the thief with TLS', ({ thief }) => `${thief.https}/v1`],
			['the thief, behind a user name', ({ service, thief }) => userNamed(service.url, thief.http)],
			['the thief, with capital letters', (place) => away(place).replace('http', 'HTTP')],
			['the thief, without slashes', (place) => away(place).replace('//', '')],
			['the thief, with backslashes', (place) => away(place).replace('//', '\\\\')],
			['the thief, with a line break', (place) => away(place).replace('tp:', 't\np:')],
			['the thief, after a blank', (place) => ` ${away(place)}`],
		] as Array<[string, (place: Place) => string]>
	).map(
		([title, target]): Way => ({
			title: `Pagination whose URL is ${title}`,
			expected: REFUSED.place,
			node: (place, at) => ({
				parameters: request(at(`${place.service.url}/v1/contacts`), {
					options: { pagination: pageAt(at(target(place))) },
				}),
			}),
		}),
	),
	{
		title: 'Pagination whose URL is a list with the thief',
		expected: REFUSED.unreadable,
		node: (place, at) => ({
			parameters: request(at(`${place.service.url}/v1/contacts`), {
				options: {
					pagination: {
						pagination: { ...nextPage.pagination, nextURL: asText([at(away(place))]) },
					},
				},
			}),
		}),
	},
	{
		title: 'Pagination whose URL has no scheme',
		expected: REFUSED.byN8n,
		node: (place, at) => ({
			parameters: request(at(`${place.service.url}/v1/contacts`), {
				options: { pagination: pageAt(at(away(place).replace('http:', ''))) },
			}),
		}),
	},
	...(['Host', 'host ', 'Transfer-Encoding'] as const).map(
		(name): Way => ({
			title: `Pagination that sets the header ${JSON.stringify(name)}`,
			expected: REFUSED.header,
			node: ({ service, thief }, at) => ({
				parameters: request(at(`${service.url}/v1/contacts`), {
					options: {
						pagination: {
							pagination: {
								...nextPage.pagination,
								paginationMode: 'updateAParameterInEachRequest',
								parameters: {
									parameters: [{ type: 'headers', name, value: new URL(thief.http).host }],
								},
							},
						},
					},
				}),
			}),
		}),
	),
];

function userNamed(name: string, url: string): string {
	return url.replace('//', `//${new URL(name).host}@`);
}

const steering: Way[] = [
	...(
		[
			['Host', headers(['Host', 'thief.example'])],
			['Host, in lower case', headers(['host', 'thief.example'])],
			['Host, with a blank', headers(['Host ', 'thief.example'])],
			['Host, twice', headers(['Host', '{own}'], ['HOST', 'thief.example'])],
			['Host, as JSON', jsonHeaders({ hOsT: ['thief.example'] })],
			['Transfer-Encoding', headers(['Transfer-Encoding', 'chunked'])],
			['Connection', headers(['Connection', 'authorization'])],
			['Upgrade', headers(['Upgrade', 'h2c'], ['HTTP2-Settings', 'AAMAAABkAAQAAP__'])],
			['TE', headers(['TE', 'trailers'])],
		] as Array<[string, INodeParameters]>
	).flatMap(([title, set]) =>
		[true, false].map(
			(lowercaseHeaders): Way => ({
				title: `The header ${title}${lowercaseHeaders ? '' : ', letters as they are'}`,
				expected: REFUSED.header,
				node: ({ service }, at) => ({
					parameters: request(at(`${service.url}/v1/workspace`), {
						...(JSON.parse(
							JSON.stringify(set).replace('{own}', new URL(service.url).host),
						) as INodeParameters),
						options: { lowercaseHeaders },
					}),
				}),
			}),
		),
	),
	...['common', 'get'].map(
		(name): Way => ({
			title: `The header ${name} with the header Host in it`,
			expected: 'answered',
			node: ({ service }, at) => ({
				parameters: request(
					at(`${service.url}/v1/workspace`),
					jsonHeaders({ [name]: { Host: 'thief.example' } }),
				),
			}),
		}),
	),
	...['TRACE', 'CONNECT', 'COPY'].map(
		(method): Way => ({
			title: `The method ${method}`,
			expected: REFUSED.method,
			node: ({ service }, at) => ({
				parameters: request(at(`${service.url}/v1/workspace`), { method: asText(method) }),
			}),
		}),
	),
];

const urls: Way[] = (
	[
		['the thief', 'bearer', (place) => away(place), REFUSED.place],
		['the thief, with X-API-Key', 'xApiKey', (place) => away(place), REFUSED.place],
		['the thief with TLS', 'secure', ({ thief }) => `${thief.https}/v1`, REFUSED.place],
		[
			'another scheme',
			'secure',
			({ secure }) => secure.url.replace('https', 'http'),
			REFUSED.place,
		],
		['another port', 'bearer', ({ service }) => service.url.replace(/\d+$/, '9'), REFUSED.place],
		[
			'another name of the same host',
			'bearer',
			({ service }) => service.url.replace('127.0.0.1', 'localhost'),
			REFUSED.place,
		],
		[
			'a dot behind the host',
			'secure',
			({ secure }) => secure.url.replace('t:', 't.:'),
			REFUSED.place,
		],
		[
			'the thief, behind a user name',
			'bearer',
			({ service, thief }) => userNamed(service.url, thief.http),
			REFUSED.place,
		],
		[
			'the service, behind a user name',
			'bearer',
			({ service, thief }) => userNamed(thief.http, service.url),
			REFUSED.userName,
		],
		[
			'the thief, before a backslash',
			'bearer',
			({ service, thief }) => `${thief.http}\\@${new URL(service.url).host}`,
			REFUSED.place,
		],
		[
			'the service, before a backslash',
			'bearer',
			({ service, thief }) => `${service.url}\\@${new URL(thief.http).host}`,
			'answered',
		],
		[
			'the thief, in other digits',
			'bearer',
			({ thief }) => thief.http.replace('127.0.0.1', '１２７。0.0.1'),
			REFUSED.place,
		],
		[
			'the thief, as a number',
			'bearer',
			({ thief }) => thief.http.replace('127.0.0.1', '2130706433'),
			REFUSED.place,
		],
		[
			'the thief, with a tab',
			'bearer',
			({ thief }) => thief.http.replace('127.', '127\t.'),
			REFUSED.place,
		],
		['a file', 'bearer', () => 'file:///etc/passwd', REFUSED.byN8n],
		['no scheme', 'bearer', (place) => away(place).replace('http:', ''), REFUSED.byN8n],
		...[
			...['/../v1', '/%2e%2E/v1', '/..%2fv1', '/..%5Cv1', '/x%2f..%2f..%2fv1', '/%252e%252e/v1'],
			...['/..;/v1', '\\..\\v1', 'x/v1'],
		].map((climb) => [
			`beside the path of the base URL: \`${climb}\``,
			'path',
			({ shared }: Place) => `${shared.url}${climb}`,
			REFUSED.place,
		]),
	] as Array<[string, CredentialName, (place: Place) => string, Way['expected']]>
).map(
	([title, credential, target, expected]): Way => ({
		title: `The URL is ${title}`,
		expected,
		node: (place, at) => ({ credential, parameters: request(at(target(place))) }),
	}),
);

const batches: Way[] = [
	{},
	{ batching: { batch: { batchSize: 1, batchInterval: 1 } } },
	{ response: { response: { fullResponse: true, neverError: true } } },
].map((options, index) => ({
	title: `The second of three items is the thief's${['', ', one by one', ', full response'][index]}`,
	expected: REFUSED.place,
	hasItems: true,
	node: (_place, at) => ({ parameters: request(at('={{ $json.url }}/v1/workspace'), { options }) }),
}));

const switchedOff: Way[] = [
	{
		title: 'HTTP Request',
		expected: REFUSED.byN8n,
		node: (place, at) => ({ credential: 'off', parameters: request(at(home(place))) }),
	},
	{
		title: 'GraphQL',
		expected: REFUSED.byN8n,
		versions: [1.1],
		node: (place, at) => ({ ...graphQl(at(home(place))), credential: 'off' }),
	},
];

/** Ways of HTTP Request, by what they try. */
export const httpRequestWays: Record<string, Way[]> = {
	'Custom API Call': works,
	Proxies: proxies,
	Certificates: certificates,
	Redirects: redirects,
	Pagination: nextPages,
	'Headers and methods': steering,
	URLs: urls,
	Batches: batches,
	'Allowed HTTP Request Domains: None': switchedOff,
};

function older(url: string, more: INodeParameters = {}): INodeParameters {
	return {
		requestMethod: 'GET',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'workspaceCrmApi',
		options: {},
		...more,
	};
}

/** HTTP Request 2, which older workflows have. */
export const olderWays: Way[] = (
	[
		['GET', home, {}, 'answered'],
		['POST', home, { requestMethod: 'POST' }, 'answered'],
		['The URL is the thief', away, {}, REFUSED.place],
		[
			'Through a proxy',
			home,
			({ thief }: Place) => ({ options: { proxy: thief.http } }),
			REFUSED.proxy,
		],
		['Ignore SSL Issues', home, { allowUnauthorizedCerts: true }, REFUSED.unchecked],
		[
			'A header Host',
			home,
			{ headerParametersUi: { parameter: [{ name: 'Host', value: 'thief.example' }] } },
			REFUSED.header,
		],
		...['GET', 'POST'].map((requestMethod) => [
			`${requestMethod}, 302 to the thief`,
			awayByRedirect,
			{ requestMethod, options: { followRedirect: true, followAllRedirects: true } },
			NOT_FOLLOWED,
		]),
	] as Array<
		[
			string,
			(place: Place, at: At) => string,
			INodeParameters | ((place: Place) => INodeParameters),
			Way['expected'],
		]
	>
).map(([title, url, more, expected]) => ({
	title,
	expected,
	versions: [2],
	node: (place, at) => ({
		parameters: older(at(url(place, at)), typeof more === 'function' ? more(place) : more),
	}),
}));

/** GraphQL, which n8n lets use any credential too. */
export const graphQlWays: Way[] = (
	[
		['POST', home, {}, 'answered'],
		['GET', home, { requestMethod: 'GET' }, 'answered'],
		['The URL is the thief', away, {}, REFUSED.place],
		['Ignore SSL Issues', home, { allowUnauthorizedCerts: true }, REFUSED.unchecked],
		[
			'A header Host',
			home,
			{ headerParametersUi: { parameter: [{ name: 'Host', value: 'thief.example' }] } },
			REFUSED.header,
		],
		['GET, 302 to the thief', awayByRedirect, { requestMethod: 'GET' }, 'answered'],
	] as Array<[string, (place: Place, at: At) => string, INodeParameters, Way['expected']]>
).map(([title, url, more, expected]) => ({
	title,
	expected,
	versions: [1.1],
	node: (place, at) => graphQl(at(url(place, at)), more),
}));

/** Our own node, with the credential that HTTP Request may not use. */
export const ownWays: Way[] = [
	{
		title: 'Add Tags, with Allowed HTTP Request Domains: None',
		expected: 'answered',
		versions: [1],
		node: (_place, at) => ({
			type: 'n8n-nodes-workspace-crm.workspaceCrm',
			credential: 'off',
			parameters: {
				resource: 'tag',
				operation: 'add',
				contactId: { __rl: true, mode: 'id', value: '3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b' },
				tags: at('tag'),
			},
		}),
	},
];

function graphQl(endpoint: string, more: INodeParameters = {}): WayNode {
	return {
		type: 'n8n-nodes-base.graphql',
		parameters: {
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'workspaceCrmApi',
			requestMethod: 'POST',
			endpoint,
			query: 'query { id }',
			...more,
		},
	};
}
