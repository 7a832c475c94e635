import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'sha256=';

/** What a delivery is checked with; anything of it may be missing. */
interface SignedDelivery {
	/** The exact bytes that were sent. */
	rawBody?: Buffer;
	/** The X-Service-Signature header. */
	signature?: unknown;
	/** The secret of the subscription that the delivery was sent for. */
	secret?: string;
}

type Verified = { body: Buffer } | { refusal: string };

/**
 * Hands over the body of a delivery that the service has signed, or says why it does not.
 *
 * "`sha256=` followed by the hex HMAC-SHA256 of the raw body, keyed with the subscription `secret`",
 * compared in constant time (API reference, delivery). Without a secret nothing is accepted.
 */
export function verifyDelivery({ rawBody, signature, secret }: SignedDelivery): Verified {
	if (!secret) {
		return {
			refusal:
				'no signing secret is stored. Unpublish the workflow, then publish it, to register a new one.',
		};
	}
	if (!Buffer.isBuffer(rawBody)) return { refusal: 'it has no raw body to check.' };
	if (typeof signature !== 'string' || signature === '') {
		return { refusal: 'it has no X-Service-Signature header. Did it come from the service?' };
	}
	if (!signature.startsWith(PREFIX)) {
		return { refusal: 'its X-Service-Signature header does not start with sha256=.' };
	}
	const given = signature.slice(PREFIX.length);
	const expected = createHmac('sha256', secret).update(rawBody).digest();
	if (!/^[0-9a-f]{64}$/i.test(given) || !timingSafeEqual(Buffer.from(given, 'hex'), expected)) {
		return {
			refusal:
				'its signature does not match. The delivery may be forged, something between the service and n8n may have changed its body, or it may belong to another subscription. Unless somebody forges deliveries, unpublish the workflow, then publish it: this registers a new subscription.',
		};
	}
	return { body: rawBody };
}
