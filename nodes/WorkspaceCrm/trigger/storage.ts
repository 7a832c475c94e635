import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { StoredKeys } from '../domain/seenKeys';

/** What is kept of a subscription that this node has made. */
export interface StoredSubscription {
	id: string;
	secret: string;
	events: string[];
}

/**
 * What n8n keeps for the node between its runs, by webhook URL, so that what was stored for a test
 * or for another address is never taken for the one that was called.
 */
interface Stored {
	subscriptions?: Record<string, StoredSubscription>;
	seen?: Record<string, StoredKeys>;
}

type TriggerContext = IHookFunctions | IWebhookFunctions;

/**
 * @param isOnlyOne whether whatever is stored belongs to the URL, as in a test run, which has its
 * own storage; older versions of n8n do not tell the test URL to a delivery
 */
export function readSubscription(
	context: TriggerContext,
	url: string,
	isOnlyOne = false,
): StoredSubscription | undefined {
	const { subscriptions = {} } = stored(context);
	return subscriptions[url] ?? (isOnlyOne ? Object.values(subscriptions)[0] : undefined);
}

/** Keeps the subscription of a URL, and only that one: an address that was left is forgotten. */
export function storeSubscription(
	context: IHookFunctions,
	url: string,
	subscription: StoredSubscription | undefined,
): void {
	stored(context).subscriptions = subscription && { [url]: subscription };
}

export function readSeen(context: IWebhookFunctions, url: string): StoredKeys | undefined {
	return stored(context).seen?.[url];
}

/** @param needsSave asked when n8n has started the workflow and is about to save what was stored */
export function storeSeen(
	context: IWebhookFunctions,
	url: string,
	seen: StoredKeys,
	needsSave: () => boolean,
): void {
	stored(context).seen = { [url]: seen };
	markAsChanged(context, needsSave);
}

/**
 * Sees to it that n8n saves what a delivery has changed, unless the save of another one holds it.
 *
 * n8n marks changed static data on the object itself. Before it looks at the mark, it makes another
 * workflow for the execution from the same object, which clears it (seen in 2.41, in
 * `establishContextForPersistence`). A copy of the outermost object keeps its own mark; and n8n
 * looks at it just before it saves (`WorkflowStaticDataService`), so that it can be worked out then.
 */
function markAsChanged(context: IWebhookFunctions, isChanged: () => boolean): void {
	const { workflow } = context as { workflow?: { staticData: IDataObject } };
	if (!workflow) return;
	workflow.staticData = Object.defineProperty({ ...workflow.staticData }, '__dataChanged', {
		configurable: true,
		get: isChanged,
		// n8n takes the mark away when it has saved, and the next delivery brings its own.
		set: () => {},
	});
}

function stored(context: TriggerContext): Stored {
	return context.getWorkflowStaticData('node') as IDataObject as Stored;
}
