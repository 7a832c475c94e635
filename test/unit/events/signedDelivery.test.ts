import * as fc from 'fast-check';

import { readDelivery, type Delivery } from '../../../nodes/WorkspaceCrm/crm/records';
import type { JsonObject } from '../../../nodes/WorkspaceCrm/domain/plainData';
import { signatureProblem, toOutput } from '../../../nodes/WorkspaceCrm/events/signedDelivery';
import { signatureOf } from '../../../tools/sandbox';
import { anyCharacter } from '../../support/anyCharacter';

const secret = fc.string({ minLength: 1, maxLength: 80, unit: anyCharacter });

/** JSON of any kind, or any bytes. */
const body = fc.oneof(
	fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text)),
	fc.string({ unit: anyCharacter }).map((text) => Buffer.from(JSON.stringify({ event: text }))),
	fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

test('accepts every genuine delivery', () => {
	fc.assert(
		fc.property(secret, body, fc.boolean(), (key, rawBody, isUpper) => {
			const signature = signatureOf(rawBody, key);
			const hex = signature.slice('sha256='.length);
			const given = isUpper ? `sha256=${hex.toUpperCase()}` : signature;
			expect(signatureProblem(rawBody, given, [key])).toBeUndefined();
			expect(signatureProblem(rawBody, given, [`${key}x`, key])).toBeUndefined();
		}),
		{ numRuns: 1_000 },
	);
});

interface Signed {
	rawBody: Buffer;
	signature: string;
	secret: string;
}

/** What may happen to a delivery on its way, at a place from 0 to 1. */
const alterations: Array<(signed: Signed, place: number, byte: number) => Partial<Signed>> = [
	({ rawBody }, place, byte) => {
		const changed = Buffer.from(rawBody);
		changed[Math.floor(place * rawBody.length)] ^= byte;
		return { rawBody: changed };
	},
	({ rawBody }, _, byte) => ({ rawBody: Buffer.concat([rawBody, Buffer.from([byte])]) }),
	({ rawBody }) => ({ rawBody: rawBody.subarray(0, -1) }),
	({ signature }, place, byte) => {
		const at = 7 + Math.floor(place * 64);
		const digit = (parseInt(signature[at], 16) + 1 + (byte % 15)) % 16;
		return { signature: signature.slice(0, at) + digit.toString(16) + signature.slice(at + 1) };
	},
	({ signature }, place, byte) => {
		const at = Math.floor(place * 71);
		const other = 'ghijkxyz -+=\u0000'[byte % 13];
		return { signature: signature.slice(0, at) + other + signature.slice(at + 1) };
	},
	({ signature }, place) => ({ signature: signature.slice(0, Math.floor(place * 71)) }),
	({ signature }, _, byte) => ({ signature: signature + byte.toString(16) }),
	(signed, _, byte) => ({ secret: `${signed.secret}${byte}` }),
];

test('refuses every altered delivery, without the secret or the right signature in the reason', () => {
	const alteration = fc.tuple(
		fc.constantFrom(...alterations),
		fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
		fc.integer({ min: 1, max: 255 }),
	);
	const long = secret.filter((key) => key.length > 15);
	fc.assert(
		fc.property(long, body, alteration, (key, rawBody, [alter, place, byte]) => {
			const genuine = { rawBody, signature: signatureOf(rawBody, key), secret: key };
			const altered = { ...genuine, ...alter(genuine, place, byte) };
			fc.pre(
				altered.signature !== genuine.signature ||
					altered.rawBody !== rawBody ||
					altered.secret !== key,
			);
			const secrets = [altered.secret, `${key}x`];
			const said = signatureProblem(altered.rawBody, altered.signature, secrets) ?? '';
			expect(said).not.toBe('');
			expect([said.includes(key), said.includes(genuine.signature.slice(7))]).toEqual([
				false,
				false,
			]);
		}),
		{ numRuns: 1_500 },
	);
});

const rawBody = Buffer.from('{"event":"tag.added"}');
const genuine = { rawBody, signature: signatureOf(rawBody, 'secret'), secrets: ['secret'] };
const hex = genuine.signature.slice('sha256='.length);

test.each<[object, string]>([
	[{ signature: undefined }, 'has no X-Service-Signature header'],
	[{ signature: [genuine.signature] }, 'has no X-Service-Signature header'],
	[{ signature: hex }, 'does not match'],
	[{ signature: ` ${genuine.signature}` }, 'does not match'],
	[{ signature: `${genuine.signature}, sha256=00` }, 'does not match'],
	[{ signature: `sha256=${Buffer.from(hex, 'hex').toString('base64')}` }, 'does not match'],
	[{ secrets: [] }, 'no signing secret is stored'],
	[{ secrets: [], signature: signatureOf(rawBody, '') }, 'no signing secret is stored'],
	// Anybody can sign with an empty secret.
	[{ secrets: [''], signature: signatureOf(rawBody, '') }, 'no signing secret is stored'],
	[{ secrets: ['', 'secret'], signature: signatureOf(rawBody, '') }, 'does not match'],
])('refuses a delivery with %j, with the reason', (change, reason) => {
	const given = { ...genuine, ...change };
	expect(signatureProblem(given.rawBody, given.signature, given.secrets)).toContain(reason);
});

const OWN = ['event', 'event_id', 'delivery_id', 'created_at'];
const key = fc.oneof(
	fc.constantFrom('id', 'data', 'contact', 'tag', ...OWN),
	fc.string({ maxLength: 4 }).filter((name) => name !== '__proto__'),
);
const payload = fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), {
	maxKeys: 5,
	noNullPrototype: true,
});
const data = fc.oneof(payload, fc.constantFrom<unknown>(null, 'text', 5, [], [{ contact: {} }]));
const envelope = fc
	.tuple(fc.string({ minLength: 1 }), payload, data)
	.map(
		([event, others, parts]) =>
			JSON.parse(JSON.stringify({ ...others, event, data: parts })) as JsonObject,
	);

const deliveryOf = (given: JsonObject) =>
	readDelivery(Buffer.from(JSON.stringify(given))) as Delivery;

/** `workflow/triggerDelivery` tests the output of usual events. */
test('the output has everything from an event, and its own fields, whatever the event holds', () => {
	fc.assert(
		fc.property(envelope, fc.string(), (given, deliveryId) => {
			const delivery = deliveryOf(given);
			expect(delivery).toMatchObject({ event: given.event, envelope: given });
			expect(toOutput(delivery, deliveryId, false)).toEqual({ ...given, delivery_id: deliveryId });

			const output = toOutput(delivery, deliveryId, true);
			const { id, event, created_at, data: parts } = given;
			const own = [event, id, deliveryId, created_at];
			expect(OWN.map((name) => output[name])).toEqual(own);
			const rest = Object.fromEntries(
				Object.entries(output).filter(([name]) => !OWN.includes(name)),
			);
			const isObject = typeof parts === 'object' && parts !== null && !Array.isArray(parts);
			// In one piece if a part has the name of one of our own fields.
			const isFlat = isObject && !Object.keys(parts).some((name) => OWN.includes(name));
			expect(rest).toEqual(isFlat ? parts : { data: parts });
		}),
		{ numRuns: 500 },
	);
});
