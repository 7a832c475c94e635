import type { IWebhookFunctions } from 'n8n-workflow';

import { plainText } from '../domain/text';

const MAX_CHARACTERS = 200;

/**
 * Writes into n8n's log what became of a delivery.
 *
 * @param what without anything that the sender wrote, which goes into the detail
 */
export function logDelivery(context: IWebhookFunctions, what: string, detail = ''): void {
	const name = plainText(context.getNode().name, MAX_CHARACTERS);
	const said = detail && ` (${plainText(detail, MAX_CHARACTERS)})`;
	context.logger.warn(
		`Workspace CRM: A delivery to the node '${name}' of the workflow ${context.getWorkflow().id} ${what}${said}`,
	);
}
