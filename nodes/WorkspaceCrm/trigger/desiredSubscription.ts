import type { IHookFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';
import { exceededIdLength } from '../n8n/staticData';
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

/**
 * @throws InputProblem when n8n would forget the secret that deliveries are checked with
 */
function assertKept(context: IHookFunctions): void {
	const { id = '' } = context.getWorkflow();
	const most = exceededIdLength(id);
	if (context.getMode() === 'manual' || most === undefined) return;
	throw new InputProblem(
		`The ID of this workflow has ${id.length} characters, and n8n stores no data for workflows with more than ${most}`,
		'Copy all nodes into a new workflow, and publish that one. n8n gives it an ID that fits.',
	);
}
