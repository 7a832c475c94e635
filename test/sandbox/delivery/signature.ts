import { createHmac } from 'node:crypto';

/** The value of X-Service-Signature for a raw body and a subscription's secret. */
export const signatureOf = (rawBody: string | Buffer, secret: string) =>
	`sha256=${createHmac('sha256', secret).update(rawBody).digest('hex')}`;
