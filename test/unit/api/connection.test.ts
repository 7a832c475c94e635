/** What other versions of n8n may throw. `test/workflow/connection.test.ts` makes the real failures. */
import { readConnectionFailure } from '../../../nodes/WorkspaceCrm/api/connection';

const axios = (more: object) => ({ cause: { isAxiosError: true, ...more } });
const socket = (more: object) => axios({ code: 'ECONNRESET', request: { socket: more } });

describe('a failed request was not sent', () => {
	it.each([
		['n8n refuses it', { cause: { name: 'UserError', message: 'blocked' } }],
		['the credential refuses it', { cause: { name: 'Error', message: 'other host' } }],
		['n8n refuses it for a reason', { cause: { name: 'Error', cause: { message: 'why' } } }],
	])('where %s', (_name, error) => {
		expect(readConnectionFailure(error, false).kind).toBe('notSent');
	});

	it.each([
		['the host name cannot be looked up', { cause: { code: 'ENOTFOUND', syscall: 'getaddrinfo' } }],
		['there is no socket', axios({ code: 'ECONNRESET', request: { socket: null } })],
		['the handshake is not over', socket({ secureConnecting: true, _bytesDispatched: 200 })],
		['nothing was handed to the system', socket({ _bytesDispatched: 0 })],
	])('where %s', (_name, error) => {
		expect(readConnectionFailure(error, false).kind).toBe('unreachable');
	});
});

describe('a failed request may have been sent', () => {
	it.each([
		['nothing is known', {}],
		['the cause is missing', { message: 'The service refused the connection', code: 'ENOTFOUND' }],
		['the request is missing', axios({ code: 'ECONNREFUSED' })],
		['it was ended without a request', axios({ code: 'ERR_CANCELED' })],
		['the socket is unknown', axios({ code: 'ECONNRESET', request: {} })],
		['the socket tells nothing', socket({})],
		['the handshake is over', socket({ secureConnecting: false, _bytesDispatched: 200 })],
		['it was written', socket({ _bytesDispatched: 1 })],
		['n8n uses fetch', { cause: { name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } } }],
		['an error hides a code', { cause: { name: 'Error', cause: { code: 'ECONNRESET' } } }],
		['an error hides a request', { cause: { name: 'Error', ...axios({}) } }],
		['something is wrong in n8n', { cause: { name: 'TypeError', message: 'undefined' } }],
	])('where %s', (_name, error) => {
		expect(readConnectionFailure(error, false).kind).toBe('broken');
		expect(readConnectionFailure(error, true).kind).toBe('timeout');
	});
});
