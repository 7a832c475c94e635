import type { IHookFunctions } from 'n8n-workflow';

import { isPublicHttpsUrl } from '../api/publicUrl';
import { InputProblem } from '../domain/problem';
import { exceededIdLength } from '../n8n/staticData';
import { toTriggerError } from '../operations/nodeErrors';
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

/** @throws InputProblem when the service could not reach the URL that n8n takes deliveries at */
function assertReachable(url: string): void {
	if (isPublicHttpsUrl(url)) return;
	throw new InputProblem(
		"The CRM can't send events to this n8n: its address cannot be reached from the internet",
		`Ask whoever runs n8n to set the environment variables N8N_WEBHOOK_URL and WEBHOOK_URL to its public https address, and to restart n8n. Now its webhook URL is ${url}. To try things out on your own machine, use a tunnel.`,
	);
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
