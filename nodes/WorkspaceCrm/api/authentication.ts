import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';
import { readApiKey } from './apiKey';
import { parseUrl, readBaseUrl } from './urls';

/** Options of n8n's HTTP helper, or of the older one that the HTTP Request node uses. */
export interface RequestOptions {
	url?: unknown;
	uri?: unknown;
	baseURL?: unknown;
	headers?: object;
	proxy?: unknown;
	simple?: unknown;
	useStream?: unknown;
}

/** A redirect would take the key along, to whatever host the answer names. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
	sendCredentialsOnCrossOriginRedirect: false,
};

/**
 * Adds the key to a request, and lets it go only to the service: whoever may use the credential may set
 * all options of the HTTP Request node, but must not get hold of the key.
 *
 * @throws InputProblem if the key could reach somebody else, or cannot be sent
 */
export function authenticate<Options extends RequestOptions>(
	{ baseUrl, apiKey, authHeader }: ICredentialDataDecryptedObject,
	options: Options,
) {
	if (options.proxy) {
		throw new InputProblem(
			'The API key is not sent through a proxy that a node names',
			'Remove the option Proxy. The administrator of n8n can set a proxy for all nodes with HTTPS_PROXY.',
		);
	}
	const key = readApiKey(apiKey);
	return {
		...options,
		...NO_REDIRECTS,
		// n8n reads URLs in ways of its own, so it gets only the URL that was checked.
		url: readTarget(options, readBaseUrl(baseUrl)),
		uri: undefined,
		baseURL: undefined,
		// n8n stores an answer that is a stream with its request, and so the key, in the data of manual
		// executions. Only pagination, which sets `simple`, needs the stream.
		useStream: options.simple === false && options.useStream,
		headers: {
			...options.headers,
			...(authHeader === 'xApiKey' ? { 'X-API-Key': key } : { Authorization: `Bearer ${key}` }),
		},
	};
}

/** The URL of a request, if it has the scheme, the host and the path of the base URL. */
function readTarget({ url, uri, baseURL }: RequestOptions, base: string): string {
	const text = String(url ?? uri ?? '');
	// n8n puts a URL that begins with one slash behind the base URL and its path.
	const root = `${String(baseURL ?? base).replace(/\/*$/, '')}/`;
	const target = parseUrl(text) ?? parseUrl(text.replace(/^\/(?!\/)/, ''), root);
	const place = target && `${target.origin}${target.pathname}`;
	if (`${place}/`.startsWith(`${base}/`)) return target?.href ?? '';
	throw new InputProblem(
		`The API key is only sent to ${base}, the base URL in the credential, not to ${place ?? 'this URL'}`,
		'Check the URL of the request.',
	);
}
