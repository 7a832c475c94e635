/** What other versions of n8n may throw. `test/workflow/connection.test.ts` makes the real failures. */
import { readBodyFailure, readConnectionFailure } from '../../../nodes/WorkspaceCrm/api/connection';

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
		['the address cannot be reached', { cause: { code: 'ENETUNREACH', syscall: 'connect' } }],
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
		['the request is missing, and it read', axios({ code: 'ECONNRESET', syscall: 'read' })],
		['there is neither a request nor a code', axios({})],
		['an error has a code', { cause: { name: 'Error', code: 'ERR_INVALID_CHAR' } }],
		['it was ended without a request', axios({ code: 'ERR_CANCELED' })],
		['the socket is unknown', axios({ code: 'ECONNRESET', request: {} })],
		['the socket tells nothing', socket({})],
		['the handshake is over', socket({ secureConnecting: false, _bytesDispatched: 200 })],
		['it was written', socket({ _bytesDispatched: 1 })],
		[
			'it was written, and then another connection failed',
			axios({ code: 'ECONNREFUSED', syscall: 'connect', request: { socket: {} } }),
		],
		['n8n uses fetch', { cause: { name: 'TypeError', cause: { code: 'UND_ERR_SOCKET' } } }],
		['an error hides a code', { cause: { name: 'Error', cause: { code: 'ECONNRESET' } } }],
		['an error hides a request', { cause: { name: 'Error', ...axios({}) } }],
		['something is wrong in n8n', { cause: { name: 'TypeError', message: 'undefined' } }],
	])('where %s', (_name, error) => {
		expect(readConnectionFailure(error, false).kind).toBe('broken');
		expect(readConnectionFailure(error, true).kind).toBe('timeout');
	});
});

describe('a failed request that took too long', () => {
	it.each(['ECONNABORTED', 'ETIMEDOUT'])('says so by its code as well: %s', (code) => {
		const written = axios({ code, request: { socket: { _bytesDispatched: 1 } } });
		expect(readConnectionFailure(written, false).kind).toBe('timeout');
	});

	it.each([
		['ETIMEDOUT', false],
		['ECONNABORTED', false],
		['ERR_CANCELED', true],
	])('had no connection where nothing was written: %s', (code, isOver) => {
		const unwritten = axios({ code, request: { socket: { _bytesDispatched: 0 } } });
		expect(readConnectionFailure(unwritten, isOver)).toEqual({
			kind: 'unreachable',
			reason: 'no connection within a minute',
		});
	});
});

test('a body that breaks off came after the request, whatever the error is', () => {
	for (const error of [
		{ code: 'ECONNREFUSED', syscall: 'connect' },
		{ code: 'ECONNRESET', request: { socket: null } },
		{ name: 'UserError', message: 'blocked' },
		{},
	]) {
		expect(readBodyFailure(error, false).kind).toBe('broken');
		expect(readBodyFailure(error, true).kind).toBe('timeout');
	}
	expect(readBodyFailure({ code: 'Z_DATA_ERROR' }, false)).toEqual({
		kind: 'broken',
		reason: 'the answer could not be decompressed (Z_DATA_ERROR)',
	});
});

describe('the reason of a failure', () => {
	const reasonOf = (cause: object) => {
		const failure = readConnectionFailure({ cause: { isAxiosError: true, ...cause } }, false);
		return 'reason' in failure ? failure.reason : undefined;
	};
	const words = {
		closed: 'the connection was closed',
		unpacked: 'the answer could not be decompressed',
		issuer: 'the certificate has an incomplete chain or an unknown issuer',
		network: 'this address cannot be reached from the network of n8n',
		plain: 'the server speaks http, not https, or the port is wrong',
		suit: 'TLS version, cipher or client certificate do not suit the server',
		noHttp: 'the server does not speak http, or not at this port',
	};

	it.each([
		['ENOTFOUND', 'the host name was not found'],
		['EAI_AGAIN', 'the name server did not answer'],
		['ECONNREFUSED', 'the connection was refused'],
		['ENETUNREACH', words.network],
		['EHOSTUNREACH', words.network],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host name'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', words.issuer],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', words.issuer],
		['EPROTO', words.suit],
		['ERR_SSL_NO_PROTOCOLS_AVAILABLE', words.suit],
		['HPE_INVALID_CONSTANT', words.noHttp],
		['HPE_HEADER_OVERFLOW', 'the answer has too many headers'],
		['Z_DATA_ERROR', words.unpacked],
		['ERR__ERROR_FORMAT_PADDING_1', words.unpacked],
		['ERR_BROTLI_DECODE', words.unpacked],
		['ECONNRESET', words.closed],
		['EPIPE', words.closed],
		['ERR_BAD_RESPONSE', words.closed],
	])('by the code %s is: %s', (code, expected) => {
		expect(reasonOf({ code, message: 'as Node says' })).toBe(`${expected} (${code})`);
	});

	it.each([
		['EPROTO', 'write EPROTO: wrong version number', words.plain],
		['EPROTO', 'write EPROTO: packet length too long', words.plain],
		['EPROTO', 'write EPROTO: handshake failure', words.suit],
		['ECONNRESET', 'read Z_ or ERR_BROTLI', words.closed],
		['EODD', 'something odd', 'something odd'],
	])('by the code %s and the text %j is: %s', (code, message, expected) => {
		expect(reasonOf({ code, message })).toBe(`${expected} (${code})`);
	});

	it('is the text where there is no code, and no text where there is none', () => {
		expect(reasonOf({ message: 'something odd' })).toBe('something odd');
		expect(reasonOf({ message: 'read ECONNRESET' })).toBe(words.closed);
		expect(reasonOf({})).toBe('');
		expect(readConnectionFailure({}, false)).toEqual({ kind: 'broken', reason: '' });
	});
});
