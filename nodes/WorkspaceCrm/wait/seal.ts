import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { resumeUrl } from '../n8n/waitingExecution';

type Context = IExecuteFunctions | IWebhookFunctions;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text that is kept with the execution, where everybody who may look at the execution sees
 * it. Only the same node in the same execution of the same n8n can read it.
 */
export function seal(context: Context, text: string): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(ALGORITHM, sealKey(context), iv);
	const sealed = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64');
}

/** The text that was sealed; undefined if it was sealed elsewhere, or changed. */
export function unseal(context: Context, sealed: string): string | undefined {
	const bytes = Buffer.from(sealed, 'base64');
	const [iv, tag, text] = [
		bytes.subarray(0, IV_BYTES),
		bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES),
		bytes.subarray(IV_BYTES + TAG_BYTES),
	];
	try {
		const decipher = createDecipheriv(ALGORITHM, sealKey(context), iv, {
			authTagLength: TAG_BYTES,
		});
		decipher.setAuthTag(tag);
		return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}

/**
 * A key that never leaves n8n: from the signature of a URL that is never sent anywhere. n8n signs with
 * a secret of its own, which all its processes share, over the ids of the execution and the node.
 */
function sealKey(context: Context): Buffer {
	const url = new URL(resumeUrl(context, { purpose: 'seal' }));
	return createHash('sha256')
		.update(`seal:${url.searchParams.get('signature')}`)
		.digest();
}
