import type { IHookFunctions } from 'n8n-workflow';

import { assertKept } from '../n8n/staticData';
import { toTriggerError } from '../operations/nodeErrors';
import { assertReachable } from '../webhooks/reachable';
import { readFilter } from './parameters';

/**
 * The URL that the service should send events to, and which events.
 *
 * @throws NodeError when deliveries could not get here, or not be checked
 */
export function readDesiredSubscription(context: IHookFunctions): {
	url: string;
	events: string[];
} {
	try {
		assertKept(context);
		const url = context.getNodeWebhookUrl('default') ?? '';
		assertReachable(url);
		return { url, events: readFilter(context).events };
	} catch (error) {
		throw toTriggerError(context.getNode(), error);
	}
}
