import type { IDataObject, IPollFunctions } from 'n8n-workflow';

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
