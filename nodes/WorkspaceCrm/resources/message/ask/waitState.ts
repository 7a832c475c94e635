import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { storeText, readStoredText, resumeUrl } from '../../../n8n/waitingExecution';

/** The event that ends a wait. */
export type AwaitedEvent = 'message.received' | 'form.submitted';

/** The data to judge a delivery by, fixed when the question was asked. */
export interface WaitState {
	subscriptionId: string;
	/** The ID of the workspace that the subscription belongs to. */
	workspace: string;
	/** Signs the deliveries of the subscription. */
	secret: string;
	event: AwaitedEvent;
	contactId: string;
	/**
	 * The latest time when the question can have been sent, by the service's clock; undefined if the
	 * service sends no times.
	 */
	askedAtMs?: number;
	approvalWords: string[];
	simplify: boolean;
	/** Whether the output goes to an agent that waits for an approval. */
	isApproval: boolean;
}

/**
 * Stores the encrypted state with the execution. Parameters would not do: n8n evaluates their
 * expressions again for each delivery, and the contact may differ.
 */
export function keepState(context: IExecuteFunctions, state: WaitState): void {
	storeText(context, seal(context, JSON.stringify(state)));
}

/**
 * Reads the state of the current wait.
 *
 * @throws if it is missing or cannot be decrypted
 */
export function readState(context: IWebhookFunctions): WaitState {
	const text = unseal(context, readStoredText(context));
	if (text === undefined) throw new Error('The stored signing secret cannot be read');
	return JSON.parse(text) as WaitState;
}

type WaitContext = IExecuteFunctions | IWebhookFunctions;

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text to store with the execution, which others may open. Only the same node in the same
 * execution of the same n8n can decrypt it.
 */
export function seal(context: WaitContext, text: string): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(ALGORITHM, sealKey(context), iv);
	const sealed = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64');
}

/** Decrypts a sealed text; undefined if it was sealed elsewhere, or changed. */
export function unseal(context: WaitContext, sealed: string): string | undefined {
	const bytes = Buffer.from(sealed, 'base64');
	const iv = bytes.subarray(0, IV_BYTES);
	const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
	const text = bytes.subarray(IV_BYTES + TAG_BYTES);
	try {
		const options = { authTagLength: TAG_BYTES };
		const decipher = createDecipheriv(ALGORITHM, sealKey(context), iv, options).setAuthTag(tag);
		return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}

/**
 * Derives a key that never leaves n8n, from the signature of a URL that is never sent. n8n signs the IDs
 * of execution and node with a secret that all its processes share.
 */
function sealKey(context: WaitContext): Buffer {
	const url = new URL(resumeUrl(context, { purpose: 'seal' }));
	const secret = `seal:${url.searchParams.get('signature')}`;
	return createHash('sha256').update(secret).digest();
}
