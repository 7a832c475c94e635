import { isPrivateHost } from './host';
import { InputProblem } from '../domain/problem';
import { parseUrl } from './url';

const EXAMPLE = 'In the credential, enter the address of the service, e.g. https://crm.example.com';

/**
 * The service address that the user typed, without `/v1` and without a slash at the end.
 *
 * @throws InputProblem when it is no web address, or when a key sent there could be read on the way
 */
export function readBaseUrl(text: unknown): string {
	const typed = typeof text === 'string' ? text.trim() : '';
	if (typed === '') throw new InputProblem('The base URL is empty', EXAMPLE);

	const url = parseUrl(typed);
	if (!url || !/^https?:$/.test(url.protocol)) {
		throw new InputProblem('The base URL is not a web address', EXAMPLE);
	}
	if (url.username || url.password || url.search || url.hash) {
		throw new InputProblem(
			'The base URL must not contain a user name, a question mark or a #',
			EXAMPLE,
		);
	}
	if (url.protocol === 'http:' && !isPrivateHost(url.hostname)) {
		throw new InputProblem(
			'The base URL starts with http://, so the API key would be sent over the internet unencrypted',
			'In the credential, use https://. Plain http is accepted only for addresses on this machine or its own network.',
		);
	}
	return `${url.origin}${url.pathname.replace(/\/+(v1\/*)?$/, '')}`;
}
