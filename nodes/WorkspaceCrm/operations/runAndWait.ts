import type { IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import type { Runtime } from '../api/runtime';
import type { JsonObject } from '../domain/json';
import { InputProblem } from '../domain/problem';
import { calledWith } from '../n8n/toolCall';
import { toolKind } from '../n8n/waitingExecution';
import type { AnyWaitOperation, BulkItem, Outcome } from './define';
import { once, runKeyOf, workOf } from './once';

/**
 * Runs an operation after which the execution waits. n8n waits once for each run of a node, whatever
 * number of items it has; so several items are refused, in place of asking only the first.
 */
export async function runAndWait(
	context: IExecuteFunctions,
	operation: AnyWaitOperation,
	api: Api,
	items: Array<BulkItem<JsonObject>>,
	runtime: Runtime,
): Promise<Outcome[]> {
	assertCanWait(context, items.length);
	const [item] = items;
	if (!item) return [];
	if (!('params' in item)) throw item.problem;
	await once(workOf(runKeyOf(context))(0), operation.effect, async () => {
		await operation.executeAndWait(api, item.params, { context, runtime });
		return [];
	});
	// n8n drops these: what comes out is the reply, or what was set for the end of the wait.
	return context.getInputData().map(({ json }) => ({ json }));
}

/** @throws InputProblem where n8n would not wait, or would ask for one of several items only */
function assertCanWait(context: IExecuteFunctions, count: number): void {
	if (calledWith(context)) {
		throw new InputProblem(
			'This agent cannot wait for a reply',
			'No message was sent. n8n calls its tools in a way in which nothing can wait. Use the newest version of the AI Agent node.',
		);
	}
	if (count <= 1 || toolKind(context)) return;
	throw new InputProblem(
		`This node got ${count} items, but can wait for one contact at a time`,
		"No message was sent. Put a 'Loop Over Items' node with batch size 1 before this node, to ask one contact after the other. To ask many at once, see the example ask-many.json in the documentation of this node.",
	);
}
