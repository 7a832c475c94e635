import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { tryParseJson } from '../domain/json';
import { keep, readKept, resumeUrl } from '../n8n/waitingExecution';

/** The event that a wait is for. */
export type AwaitedEvent = 'message.received' | 'form.submitted';

/** What a delivery is judged by, as it was when the question was asked. */
export interface WaitState {
	subscriptionId: string;
	/** Signs the deliveries of the subscription. */
	secret: string;
	event: AwaitedEvent;
	contactId: string;
	/** When the question was sent, at the earliest, by the service's clock; unknown if it tells no time. */
	askedAtMs?: number;
	approvalWords: string[];
	simplify: boolean;
	/** Whether what comes out goes to an agent that waits for an approval. */
	isApproval: boolean;
}

/**
 * Keeps the state with the execution, sealed. Parameters would not do: when a delivery comes, n8n
 * works out their expressions anew, and they may give another contact.
 */
export function keepState(context: IExecuteFunctions, state: WaitState): void {
	keep(context, seal(context, JSON.stringify(state)));
}

/** The state of the wait that the execution is in; undefined if there is none that can be read. */
export function readState(context: IWebhookFunctions): WaitState | undefined {
	const kept = readKept(context);
	const text = kept === undefined ? undefined : unseal(context, kept);
	return text === undefined ? undefined : (tryParseJson(text) as WaitState | undefined);
}

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
