import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { readBaseUrl } from './baseUrl';
import { InputProblem } from '../domain/problem';
import { parseUrl } from './url';

/**
 * What decides who gets to see a request, in the options of n8n's HTTP helper and of the older one
 * that the HTTP Request node uses. The values may come from a workflow, so they may be anything.
 */
export interface RequestOptions {
	url?: unknown;
	uri?: unknown;
	baseURL?: unknown;
	method?: unknown;
	headers?: object;
	proxy?: unknown;
	agentOptions?: object;
	rejectUnauthorized?: unknown;
	simple?: unknown;
	useStream?: unknown;
	skipSslCertificateValidation?: unknown;
}

/** Neither TRACE, whose answer has the key in it, nor CONNECT. */
const METHODS = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/i;

/**
 * Headers that lead a request to another site of the same server, or end it early.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
 */
const STEERING_HEADERS =
	/^(host|connection|proxy-connection|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

const KEY_HEADERS = /^(authorization|x-api-key)$/;

const CLIENT_CERTIFICATE = /^(cert|key|passphrase)$/;

/** Two dots between slashes, encoded any number of times: a proxy may decode them once more. */
const CLIMB = /(\/|%(25)*(2f|5c))(\.|%(25)*2e){2}(\/|;|%(25)*(2f|5c|3b)|$)/i;

/** A redirect would take the key along, to whatever host the answer names. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
	sendCredentialsOnCrossOriginRedirect: false,
};

const AUTHORITY =
	'The administrator of n8n can add a certificate authority with NODE_EXTRA_CA_CERTS.';

/**
 * Adds the key to a request, and lets it go only to the service: those who may use the
 * credential may set all options of the HTTP Request node, but must not get hold of the key.
 *
 * @throws InputProblem when the key could reach somebody else
 */
export function authenticate<Options extends RequestOptions>(
	{ baseUrl, apiKey, authHeader }: ICredentialDataDecryptedObject,
	options: Options,
) {
	refuseDetours(options);
	const url = readTarget(options, readBaseUrl(baseUrl));
	const key = String(apiKey).trim();
	return {
		...options,
		...NO_REDIRECTS,
		// n8n reads URLs in ways of its own, so it gets only the URL that was checked.
		url: url.href,
		uri: undefined,
		baseURL: undefined,
		auth: undefined,
		// n8n stores an answer that is a stream with its request, and so the key, in the data of manual
		// executions. Only pagination, which sets `simple`, needs the stream.
		useStream: options.simple === false && options.useStream,
		headers: {
			...readHeaders(options.headers, url.host),
			...(authHeader === 'xApiKey' ? { 'X-API-Key': key } : { Authorization: `Bearer ${key}` }),
		},
	};
}

function refuseDetours(options: RequestOptions): void {
	const { proxy, method, agentOptions = {} } = options;
	if (proxy) {
		throw new InputProblem(
			'The API key is not sent through a proxy that a node names',
			'Remove the option Proxy. The administrator of n8n can set a proxy for all nodes with HTTPS_PROXY.',
		);
	}
	if (options.rejectUnauthorized === false || options.skipSslCertificateValidation) {
		throw new InputProblem(
			'The API key is only sent where the certificate is checked',
			`Turn off Ignore SSL Issues. ${AUTHORITY}`,
		);
	}
	if (Object.keys(agentOptions).some((name) => !CLIENT_CERTIFICATE.test(name))) {
		throw new InputProblem(
			'The API key is only sent where n8n itself trusts the certificate',
			`In the credential for SSL certificates, leave CA empty. ${AUTHORITY}`,
		);
	}
	if (method && !(typeof method === 'string' && METHODS.test(method))) {
		throw new InputProblem(
			`The API key is not sent with the method ${String(method)}`,
			'Choose GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS.',
		);
	}
}

function readTarget({ url, uri, baseURL }: RequestOptions, base: string): URL {
	const text = url ?? uri;
	const root = String(baseURL ?? base).replace(/\/*$/, '/');
	// n8n puts a URL that begins with one slash behind the base URL, and behind the path in it.
	const target =
		typeof text === 'string'
			? (parseUrl(text) ?? parseUrl(text.replace(/^\/(?!\/)/, ''), root))
			: undefined;
	if (!target) {
		throw new InputProblem(
			'The URL of the request cannot be read',
			`Enter one that begins with ${base}/`,
		);
	}
	const place = `${target.origin}${target.pathname}`;
	const isBelow = `${place}/`.startsWith(`${base}/`);
	if (!isBelow || (base !== target.origin && CLIMB.test(place))) {
		throw new InputProblem(
			`The API key is only sent to ${base}, the base URL in the credential, not to ${place}`,
			'Check the URL of the request.',
		);
	}
	if (target.username || target.password) {
		throw new InputProblem(
			'The URL of a request with the API key must not contain a user name or a password',
			'Remove what stands before the @.',
		);
	}
	return target;
}

function readHeaders(headers: object = {}, host: string): Record<string, unknown> {
	const kept = Object.entries(headers).flatMap(([name, value]: [string, unknown]) => {
		const lowerCase = name.trim().toLowerCase();
		if (KEY_HEADERS.test(lowerCase)) return [];
		if (STEERING_HEADERS.test(lowerCase)) {
			if (lowerCase === 'host' && String(value) === host) return [];
			throw new InputProblem(
				`The header ${name.trim()} cannot be set in a request with the API key`,
				'Remove it. n8n sets it by itself.',
			);
		}
		// Not as an object: n8n's HTTP client takes the fields of a header `common` for headers.
		if (Array.isArray(value)) return [[name, value.map(String)]];
		return [[name, typeof value === 'object' && value ? String(value) : value]];
	});
	return Object.fromEntries(kept) as Record<string, unknown>;
}
