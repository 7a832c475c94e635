import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { tryParseJson } from '../domain/json';
import { keep, readKept } from '../n8n/waitingExecution';
import { seal, unseal } from './seal';

/** The event that a wait is for. */
export type AwaitedEvent = 'message.received' | 'form.submitted';

/** What a delivery is judged by, as it was when the question was asked. */
export interface WaitState {
	waitId: string;
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
