import * as fc from 'fast-check';

import { verifyDelivery } from '../../../nodes/WorkspaceCrm/webhooks/signature';
import { signatureOf } from '../../sandbox/delivery/signature';
import { body, secret } from './signedBodies';

test('every genuine delivery is accepted, and its body handed over', () => {
	fc.assert(
		fc.property(secret, body, fc.boolean(), (key, rawBody, isUpper) => {
			const hex = signatureOf(rawBody, key).slice('sha256='.length);
			const signature = `sha256=${isUpper ? hex.toUpperCase() : hex}`;
			expect(verifyDelivery({ rawBody, signature, secret: key })).toEqual({
				body: rawBody,
			});
		}),
		{ numRuns: 5_000 },
	);
});

test.each([1, 1_000, 1_000_000, 16 * 1024 * 1024])('of any size: %i bytes', (bytes) => {
	const rawBody = Buffer.alloc(bytes, 'ü');
	const signature = signatureOf(rawBody, 'secret');
	expect(verifyDelivery({ rawBody, signature, secret: 'secret' })).toHaveProperty('body');
});

const rawBody = Buffer.from('{"event":"tag.added"}');
const genuine = { rawBody, signature: signatureOf(rawBody, 'secret'), secret: 'secret' };
const hex = genuine.signature.slice('sha256='.length);

test.each([
	['is missing', undefined, 'has no X-Service-Signature header'],
	['is empty', '', 'has no X-Service-Signature header'],
	['is no text', [genuine.signature], 'has no X-Service-Signature header'],
	['has no prefix', hex, 'does not start with sha256='],
	['has another prefix', `sha1=${hex}`, 'does not start with sha256='],
	['has the prefix in other letters', `SHA256=${hex}`, 'does not start with sha256='],
	['has something before the prefix', ` ${genuine.signature}`, 'does not start with sha256='],
	['has nothing but the prefix', 'sha256=', 'does not match'],
	['is that of another body', signatureOf(Buffer.from('{}'), 'secret'), 'does not match'],
	['is made with another secret', signatureOf(rawBody, 'other'), 'does not match'],
	['lacks a digit', genuine.signature.slice(0, -1), 'does not match'],
	['lacks two digits', genuine.signature.slice(0, -2), 'does not match'],
	['has a digit too many', `${genuine.signature}0`, 'does not match'],
	['has two digits too many at the beginning', `sha256=00${hex}`, 'does not match'],
	['goes on after the digits', `${genuine.signature}, sha256=00`, 'does not match'],
	['is in Base64', `sha256=${Buffer.from(hex, 'hex').toString('base64')}`, 'does not match'],
])('a delivery whose signature %s is refused, with the reason', (_case, signature, reason) => {
	expect(verifyDelivery(genuine)).toEqual({ body: rawBody });
	const refused = verifyDelivery({ ...genuine, signature });
	expect(refused).toEqual({ refusal: expect.stringContaining(reason) as string });
});

test.each([undefined, '{"event":"tag.added"}', { event: 'tag.added' }])(
	'a delivery without the bytes that were sent is refused: %j',
	(body) => {
		expect(verifyDelivery({ ...genuine, rawBody: body as Buffer | undefined })).toEqual({
			refusal: 'it has no raw body to check.',
		});
	},
);

test('a delivery for which there is no secret is refused for that', () => {
	expect(verifyDelivery({ ...genuine, secret: undefined })).toEqual({
		refusal: expect.stringContaining('no signing secret is stored') as string,
	});
});

test('without a secret nothing is accepted, whatever the signature', () => {
	const rawBody = Buffer.from('{}');
	for (const none of [undefined, '']) {
		for (const signature of [
			signatureOf(rawBody, 'undefined'),
			signatureOf(rawBody, 'null'),
			'sha256=',
		]) {
			expect(verifyDelivery({ rawBody, signature, secret: none })).toHaveProperty('refusal');
		}
	}
});

test('no refusal tells the secret or the right signature', () => {
	fc.assert(
		fc.property(fc.string({ minLength: 16 }), fc.string(), (key, signature) => {
			const rawBody = Buffer.from('{}');
			const verified = verifyDelivery({ rawBody, signature, secret: key });
			expect(JSON.stringify(verified)).not.toContain(key);
			expect(JSON.stringify(verified)).not.toContain(signatureOf(rawBody, key).slice(7));
		}),
	);
});
