import { InputProblem } from '../domain/inputProblem';
import { withoutEnd } from '../domain/text';
import { isWithoutValue, NO_CREDENTIAL_VALUE, parseUrl, readBaseUrl } from './urls';

/** The fields of the user's credential, decrypted. */
export type CredentialFields = Readonly<Record<string, unknown>>;

/** The characters that an HTTP header can hold. n8n silently drops all others and sends the rest of the key. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The API key that the user pasted.
 *
 * @throws InputProblem if it is empty, or contains characters that a header cannot hold
 */
export function readApiKey(value: unknown): string {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	// As in the header of an example.
	const key = text.replace(/^Bearer\s+/i, '');
	if (key === '' || isWithoutValue(key)) {
		throw new InputProblem(
			'The API key is empty',
			`Open the credential and enter the key. ${NO_CREDENTIAL_VALUE}`,
		);
	}
	if (SENDABLE.test(key)) return key;
	throw new InputProblem(
		'The API key contains a character that cannot be sent',
		'Open the credential and paste the key again. A hidden character may have been copied with it.',
	);
}

/** Shorter keys are not hidden: replacing "key" everywhere would garble names and messages. */
const MIN_HIDDEN_CHARACTERS = 8;

/** Returns a function that replaces the key in a text, also where it is JSON-escaped or percent-encoded. */
export function keyHider(key: string): (text: string) => string {
	if (key.length < MIN_HIDDEN_CHARACTERS) return (text) => text;
	const inAddress = encodeURIComponent(key);
	const lower = inAddress.replace(/%../g, (code) => code.toLowerCase());
	const forms = new Set([key, JSON.stringify(key).slice(1, -1), inAddress, lower]);
	return (text) => [...forms].reduce((rest, form) => rest.replaceAll(form, '(the API key)'), text);
}

/** Options of n8n's HTTP helper, or of the older one that the HTTP Request node uses. */
export interface RequestOptions {
	url?: unknown;
	uri?: unknown;
	baseURL?: unknown;
	headers?: object;
	proxy?: unknown;
	rejectUnauthorized?: unknown;
	skipSslCertificateValidation?: unknown;
	agentOptions?: object;
	simple?: unknown;
	useStream?: unknown;
}

/** A redirect would send the key to whatever host the answer names. */
const NO_REDIRECTS = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
	maxRedirects: 0,
	sendCredentialsOnCrossOriginRedirect: false,
};

/**
 * Adds the key to a request, and sends it only to the service. Users of the credential can set all
 * options of the HTTP Request node, but must not obtain the key.
 *
 * @throws InputProblem if the key could reach another host, or contains characters that a header cannot
 * hold
 */
export function authenticate<Options extends RequestOptions>(
	{ baseUrl, apiKey, authHeader }: CredentialFields,
	options: Options,
) {
	assertNoDetour(options);
	const key = readApiKey(apiKey);
	return {
		...options,
		...NO_REDIRECTS,
		// n8n combines URLs by rules of its own, so it gets only the checked URL.
		url: readTarget(options, readBaseUrl(baseUrl)),
		uri: undefined,
		baseURL: undefined,
		// For a streamed answer, n8n stores the request, and so the key, in the data of manual executions.
		// Only pagination, which sets `simple`, needs the stream.
		useStream: options.simple === false && options.useStream,
		headers: {
			...options.headers,
			...(authHeader === 'xApiKey' ? { 'X-API-Key': key } : { Authorization: `Bearer ${key}` }),
		},
	};
}

/**
 * A proxy, an unchecked certificate or another host name can lead the key to another site, although the
 * URL is that of the service.
 *
 * @throws InputProblem if an option does so
 */
function assertNoDetour(options: RequestOptions): void {
	const { proxy, headers = {}, agentOptions = {} } = options;
	if (proxy) {
		throw new InputProblem(
			'The API key is not sent through a proxy that a node names',
			'Remove the option Proxy. The administrator of n8n can set a proxy for all nodes with HTTPS_PROXY.',
		);
	}
	if (Object.keys(headers).some((name) => name.trim().toLowerCase() === 'host')) {
		throw new InputProblem(
			"The API key is not sent with a header 'Host'",
			'Remove the header from the request. It could lead the key to another site of the same server.',
		);
	}
	const isUnchecked =
		options.rejectUnauthorized === false || Boolean(options.skipSslCertificateValidation);
	if (isUnchecked || 'ca' in agentOptions || 'rejectUnauthorized' in agentOptions) {
		throw new InputProblem(
			'The API key is only sent where n8n itself trusts the certificate',
			'Turn off Ignore SSL Issues, and leave CA empty in the credential for SSL certificates. The administrator of n8n can add a certificate authority with NODE_EXTRA_CA_CERTS.',
		);
	}
}

/**
 * Returns the URL of a request.
 *
 * @throws InputProblem unless it has the scheme, host and path of the base URL
 */
function readTarget({ url, uri, baseURL }: RequestOptions, base: string): string {
	const text = String(url ?? uri ?? '');
	// n8n appends a URL that begins with one slash to the base URL and its path.
	const root = `${withoutEnd(String(baseURL ?? base), '/')}/`;
	const relative = text.startsWith('/') && !text.startsWith('//') ? text.slice(1) : text;
	const target = parseUrl(text) ?? parseUrl(relative, root);
	const place = target && `${target.origin}${target.pathname}`;
	if (`${place}/`.startsWith(`${base}/`)) return target?.href ?? '';
	throw new InputProblem(
		`The API key is only sent to ${base}, the base URL in the credential, not to ${place ?? 'this URL'}`,
		'Check the URL of the request.',
	);
}
