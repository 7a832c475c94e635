import type { IExecuteFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';
import { calledWith } from '../n8n/toolCall';
import { toolKind } from '../n8n/waitingExecution';

/**
 * n8n waits once for each run of a node, whatever number of items it has.
 *
 * @throws InputProblem if n8n cannot wait here, or would handle only one of several items
 */
export function assertCanWait(context: IExecuteFunctions, count: number): void {
	if (calledWith(context)) {
		throw new InputProblem(
			'This agent cannot wait for a reply',
			'No message was sent. n8n runs the tools of this agent in a way that cannot wait. Use the newest version of the AI Agent node.',
		);
	}
	if (count <= 1 || toolKind(context)) return;
	throw new InputProblem(
		`This node received ${count} items, but can wait for only one contact at a time`,
		"No message was sent. Put a 'Loop Over Items' node with batch size 1 before this node, to ask one contact after the other. To ask many at once, see the example ask-many.json in the documentation of this node.",
	);
}
