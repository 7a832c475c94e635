import * as fc from 'fast-check';

import { verifyDelivery } from '../../../nodes/WorkspaceCrm/webhooks/signature';
import { signatureOf } from '../../sandbox/delivery/signature';
import { body, secret } from './signedBodies';

/** One change to a genuine delivery that leaves it different from what was signed. */
type Delivery = { rawBody: Buffer; signature: string; secret: string };
const at = (size: number, place: number) => Math.min(Math.floor(place * size), size - 1);
const alterations: Record<string, (delivery: Delivery, place: number, byte: number) => Delivery> = {
	'a byte of the body': (delivery, place, byte) => {
		const rawBody = Buffer.from(delivery.rawBody);
		rawBody[at(rawBody.length, place)] ^= byte;
		return { ...delivery, rawBody };
	},
	'a byte more': (delivery, place, byte) => {
		const cut = at(delivery.rawBody.length, place);
		const { rawBody } = delivery;
		const parts = [rawBody.subarray(0, cut), Buffer.from([byte]), rawBody.subarray(cut)];
		return { ...delivery, rawBody: Buffer.concat(parts) };
	},
	'a byte less': (delivery, place) => {
		const cut = at(delivery.rawBody.length, place);
		const { rawBody } = delivery;
		return {
			...delivery,
			rawBody: Buffer.concat([rawBody.subarray(0, cut), rawBody.subarray(cut + 1)]),
		};
	},
	'a digit of the signature': (delivery, place, byte) => {
		const digits = [...delivery.signature];
		const index = 7 + at(64, place);
		const digit = (parseInt(digits[index], 16) + 1 + (byte % 15)) % 16;
		digits[index] = digit.toString(16);
		return { ...delivery, signature: digits.join('') };
	},
	'another character in the signature': (delivery, place, byte) => {
		const characters = [...delivery.signature];
		characters[at(71, place)] = 'ghijkxyz -+=\u0000'[byte % 13];
		return { ...delivery, signature: characters.join('') };
	},
	'a shorter signature': (delivery, place) => ({
		...delivery,
		signature: delivery.signature.slice(0, at(71, place)),
	}),
	'a longer signature': (delivery, _, byte) => ({
		...delivery,
		signature: delivery.signature + byte.toString(16),
	}),
	'the prefix in other letters': (delivery) => ({
		...delivery,
		signature: delivery.signature.replace('sha256', 'SHA256'),
	}),
	'another secret': (delivery, _, byte) => ({ ...delivery, secret: `${delivery.secret}${byte}` }),
};

const alteration = fc.tuple(
	fc.constantFrom(...Object.keys(alterations)),
	fc.double({ min: 0, max: 1, noNaN: true }),
	fc.integer({ min: 1, max: 255 }),
);

test('of 100,000 altered deliveries none is accepted', () => {
	let tried = 0;
	fc.assert(
		fc.property(
			secret,
			body.filter(({ length }) => length > 0),
			fc.array(alteration, { minLength: 11, maxLength: 11 }),
			(key, rawBody, alterationsOfIt) => {
				const genuine = { rawBody, signature: signatureOf(rawBody, key), secret: key };
				for (const [kind, place, byte] of alterationsOfIt) {
					const altered = alterations[kind](genuine, place, byte);
					// A byte more or less in a run of the same bytes may give the same body again.
					if (altered.rawBody.equals(rawBody) && /^a byte/.test(kind)) continue;
					if (altered.signature === genuine.signature && /signature/.test(kind)) continue;
					tried += 1;
					const verdict = Object.keys(verifyDelivery(altered)).join();
					// A hundred thousand times, jest's own comparison takes seconds.
					if (verdict !== 'refusal') expect(verdict).toBe('refusal');
				}
			},
		),
		{ numRuns: 10_000 },
	);
	expect(tried).toBeGreaterThanOrEqual(100_000);
}, 120_000);
