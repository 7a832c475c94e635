import type { IDataObject, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

/** n8n's own limit for the IDs of workflows. */
const MAX_WORKFLOW_ID_CHARACTERS = 21;

/**
 * How long the ID of a workflow may be, if this one's is longer. n8n keeps no static data for such
 * workflows, and does not say so (`isWorkflowIdValid` in n8n/utils, seen in 2.41).
 */
export function exceededIdLength(workflowId: string): number | undefined {
	return workflowId.length > MAX_WORKFLOW_ID_CHARACTERS ? MAX_WORKFLOW_ID_CHARACTERS : undefined;
}

/** The key of a node's data in the static data of its workflow (`getStaticData` in n8n-workflow). */
export function staticDataKey(nodeName: string): string {
	return `node:${nodeName}`;
}

/** Changes the static data if something is to be saved, and returns whether it is. */
type SaveCheck = () => boolean;

/**
 * Has n8n save the static data of the workflow after a delivery, if there is something to save.
 *
 * n8n marks changed static data on the object itself (`__dataChanged`), and looks at the mark just
 * before it saves, once it has started the workflow or answered without (`saveStaticData` in
 * n8n/workflows/workflow-static-data.service, seen in 1.85 and 2.41).
 *
 * @param start gets the data that n8n will save, and returns what is called each time n8n looks
 */
export function saveWhenAsked(
	context: IWebhookFunctions,
	start: (staticData: IDataObject) => SaveCheck,
): void {
	const { workflow } = context as { workflow?: { staticData: IDataObject } };
	if (!workflow) return;
	const staticData = { ...workflow.staticData };
	// n8n takes the mark away once it has saved, and the next delivery brings its own.
	const mark = { configurable: true, get: start(staticData), set: () => {} };
	workflow.staticData = Object.defineProperty(staticData, '__dataChanged', mark);
}

/**
 * The static data of the whole workflow, which n8n saves with the data of the node that polls; undefined
 * if it saves that alone, as it does with durable cursors (`getExecutePollFunctions` in
 * n8n/workflows/triggers/trigger-execution-context.factory, seen in 2.41).
 */
export function savedWith(context: IPollFunctions): IDataObject | undefined {
	const { workflow } = context as { workflow?: { staticData: IDataObject } };
	const own = workflow?.staticData[staticDataKey(context.getNode().name)];
	return own === context.getWorkflowStaticData('node') ? workflow?.staticData : undefined;
}
