import { InputProblem, quoted } from '../domain/inputProblem';
import { withoutEnd } from '../domain/text';
import { isOnOwnNetwork } from './hosts';

/** Longer than any host. URL parsers sort its combining marks, which takes time by the square of their number. */
const MAX_HOST_CHARACTERS = 4_096;

/**
 * Parses a URL; undefined if the text is not one. Not by `URL.canParse`, which in Node 20 and 22 refuses
 * names like `bücher.example` once it has been called some thousand times.
 *
 * @see https://github.com/AikidoSec/firewall-node/pull/1086
 */
export function parseUrl(text: string, base?: string): URL | undefined {
	if ([text, base].some(hasLongHost)) return undefined;
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** Also if what may be the host is another part. */
function hasLongHost(url = ''): boolean {
	const [start = ''] = /^[^/\\?#]*[/\\]*[^/\\?#]*/.exec(url) ?? [];
	return start.length > MAX_HOST_CHARACTERS;
}

/** Whether the service can deliver to a URL: "Public https endpoint" (API reference, webhook subscription). */
export function isPublicHttpsUrl(text: string): boolean {
	const url = parseUrl(text);
	return url?.protocol === 'https:' && !isOnOwnNetwork(url);
}

/** Whether an expression had no value: JavaScript writes these words then. */
export function isWithoutValue(text: string): boolean {
	return ['undefined', 'null', 'nan', '[object object]'].includes(text.toLowerCase());
}

/** What to do if a field of the credential has no value. */
export const NO_CREDENTIAL_VALUE =
	'If the field in the credential holds an expression, each item needs a value for it. Triggers and lists in the editor have no item, so for them the field needs a fixed value.';

const EXAMPLE = 'In the credential, enter the address of the service, e.g. https://crm.example.com';

/**
 * Reads the base URL that the user typed, without `/v1` and trailing slashes.
 *
 * @throws InputProblem if it is not an http(s) URL, or plain http to a host outside of our network
 */
export function readBaseUrl(text: unknown): string {
	const typed = typeof text === 'string' ? text.trim() : '';
	if (typed === '' || isWithoutValue(typed)) {
		throw new InputProblem('The base URL is empty', `${EXAMPLE}. ${NO_CREDENTIAL_VALUE}`);
	}

	const url = parseUrl(typed);
	if (url?.hostname.split('.').some(isWithoutValue)) {
		throw new InputProblem(
			`The base URL is ${quoted(typed)}: a part of it is missing`,
			NO_CREDENTIAL_VALUE,
		);
	}
	if (!url || !/^https?:$/.test(url.protocol)) {
		throw new InputProblem('The base URL is not a web address', withScheme(typed) ?? EXAMPLE);
	}
	if (url.username || url.password || url.search || url.hash) {
		throw new InputProblem(
			'The base URL must not contain a user name, a question mark or a #',
			EXAMPLE,
		);
	}
	if (url.protocol === 'http:' && !isOnOwnNetwork(url)) {
		throw new InputProblem(
			'The base URL starts with http://, so the API key would be sent over the internet unencrypted',
			'In the credential, use https://. Plain http is accepted only for addresses on this machine or its own network.',
		);
	}
	const path = withoutEnd(url.pathname, '/');
	return url.origin + (path.endsWith('/v1') ? withoutEnd(path.slice(0, -'v1'.length), '/') : path);
}

/** Whether a value can be a segment of a path. URL parsers resolve dots even if they are encoded. */
export function isSegment(value: string): boolean {
	return !['', '.', '..'].includes(value) && value.isWellFormed();
}

/** The remedy for an address that only lacks its scheme. */
function withScheme(typed: string): string | undefined {
	const url = /^[\w.-]+(:\d+)?(\/|$)/.test(typed) ? parseUrl(`https://${typed}`) : undefined;
	const scheme = url && isOnOwnNetwork(url) ? 'http://' : 'https://';
	return url && `In the credential, put ${scheme} in front: ${scheme}${typed}`;
}

/**
 * Encodes a value as one segment of a path.
 *
 * @throws InputProblem for a value that cannot be a segment: empty, `.`, `..`, or broken Unicode
 */
export function pathSegment(value: string): string {
	if (!isSegment(value)) {
		throw new InputProblem(
			`${quoted(value)} cannot be used as an ID or a name`,
			'Check the field, or the expression in it.',
		);
	}
	return encodeURIComponent(value);
}
