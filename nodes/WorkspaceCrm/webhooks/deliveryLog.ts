import type { IWebhookFunctions } from 'n8n-workflow';

import { plainText } from '../domain/text';

const MAX_CHARACTERS = 200;

/**
 * Writes a warning about a delivery to n8n's log.
 *
 * @param what our own words; text of the sender goes into `detail`
 */
export function logDelivery(context: IWebhookFunctions, what: string, detail = ''): void {
	const name = plainText(context.getNode().name, MAX_CHARACTERS);
	const said = detail && ` (${plainText(detail, MAX_CHARACTERS)})`;
	context.logger.warn(
		`Workspace CRM: A delivery to the node '${name}' of the workflow ${context.getWorkflow().id} ${what}${said}`,
	);
}
