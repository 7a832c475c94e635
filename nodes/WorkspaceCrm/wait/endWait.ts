import type { IWebhookFunctions } from 'n8n-workflow';

import type { Runtime } from '../api/runtime';
import { plainText } from '../domain/text';
import { deleteLeftovers } from '../webhooks/createSubscription';

/** The IDs of subscriptions whose wait is answered, until they are deleted. Shared by all workflows. */
export const processAnswered = new Set<string>();

/** The pauses before each try to delete a subscription: an hour in all. */
const PAUSES_MIN = [0, 1, 4, 10, 15, 30];

/**
 * Deletes the subscription of a wait that is answered, in the background. Until then, it is remembered as
 * answered: it must not stop anybody from asking the contact again.
 */
export async function endWait(
	context: IWebhookFunctions,
	runtime: Runtime,
	id: string,
	answered: Set<string>,
): Promise<void> {
	answered.add(id);
	for (const minutes of PAUSES_MIN) {
		if (minutes > 0) await runtime.clock.sleep(minutes * 60_000);
		try {
			await deleteLeftovers(context, runtime, { id });
			return void answered.delete(id);
		} catch (error) {
			const isLast = minutes === PAUSES_MIN.at(-1);
			if (minutes === 0 || isLast) warn(context, id, error as Error, isLast ? STAYS : TRIES_AGAIN);
		}
	}
}

function warn(context: IWebhookFunctions, id: string, { message }: Error, what: string): void {
	const which = `The webhook subscription ${plainText(id, 100)} of the answered execution ${context.getExecutionId()}`;
	const reason = plainText(message, 300);
	context.logger.warn(`Workspace CRM: ${which} could not be deleted (${reason}). ${what}`);
}

const TRIES_AGAIN = 'n8n tries again for an hour.';

const STAYS =
	'Once n8n is restarted, it prevents asking this contact again until the time of its wait is over. Delete it with Subscription > Delete in the Workspace CRM node.';
