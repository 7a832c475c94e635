import type { IWebhookFunctions } from 'n8n-workflow';

import { readDelivery, type Delivery } from '../api/types';
import { readRawBody } from '../n8n/webhook';
import { verifyDelivery } from './signature';

/** What came, if the service signed it. */
interface SignedDelivery {
	/** The exact bytes. */
	body: Buffer;
	delivery: Delivery;
	/** The X-Service-Delivery header, or else the id of the event; empty if there is neither. */
	deliveryId: string;
}

/** Why a delivery is not taken: the answer, which strangers may read, and what goes into n8n's log. */
interface Refusal {
	status: 400 | 401 | 413;
	message: string;
	reason: string;
	detail?: string;
}

/**
 * Verifies a delivery, then reads it: nothing is parsed before its signature is checked.
 *
 * @param secret of the subscription that the delivery should be for
 */
export async function readSigned(
	context: IWebhookFunctions,
	secret: string | undefined,
): Promise<SignedDelivery | Refusal> {
	const headers = context.getHeaderData();
	const { rawBody, problem } = await readRawBody(context, headers['content-type']);
	if (problem) {
		const reason = 'was refused: its body could not be read';
		const status = problem.status === 413 ? 413 : 400;
		const message = status === 413 ? 'The delivery is too large' : NOT_A_DELIVERY;
		return { status, message, reason, detail: problem.message };
	}
	const verified = verifyDelivery({ rawBody, signature: headers['x-service-signature'], secret });
	if ('refusal' in verified) {
		const message = 'The signature of the delivery was not accepted';
		return { status: 401, message, reason: `was refused: ${verified.refusal}` };
	}
	const { body } = verified;
	const delivery = readDelivery(body.toString('utf8'));
	if (!delivery) {
		const reason = 'is not a JSON object that names an event.';
		return { status: 400, message: NOT_A_DELIVERY, reason };
	}
	const id = headers['x-service-delivery'];
	return { body, delivery, deliveryId: typeof id === 'string' && id ? id : delivery.id };
}

const NOT_A_DELIVERY = 'The delivery is not a JSON object that names an event';
