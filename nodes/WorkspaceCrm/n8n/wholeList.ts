/** Whether a run of a node gets all items of the workflow. n8n starts a node once for each node that gives it items. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/problem';
import { named } from '../domain/text';
import { runIndexOf } from './runs';

/** @throws InputProblem if the workflow shows that this run may get only a part of the list */
export function assertWholeList(context: IExecuteFunctions, count: number): void {
	const [why, remedy] = partIn(context, count) ?? [];
	if (why === undefined) return;
	throw new InputProblem(
		`Missing contacts can only be listed from the whole list, read in one run, but ${why}`,
		`Nothing was sent. ${remedy}. Or set 'Missing Contacts' under 'Options' to 'Ignore'.`,
	);
}

function partIn(
	context: IExecuteFunctions,
	count: number,
): [why: string, remedy: string] | undefined {
	const own = context.getNode();
	if (own.executeOnce)
		return ["'Execute Once' takes only the first item", "Turn it off in the node's settings"];
	const behind = namesOf(context.getChildNodes(own.name));
	const before = context.getParentNodes(own.name, { includeNodeParameters: true });
	if (before.some(({ name }) => behind.includes(name)))
		return ['this node is in a loop', 'Put it behind the loop, where all items come together'];
	for (const { name, type, disabled, parameters } of [own, ...before]) {
		const isMerge = type === 'n8n-nodes-base.merge' && !disabled;
		const sources = sourcesOf(context, name);
		if (sources.length <= (isMerge ? Number(parameters?.numberInputs ?? 2) : 1)) continue;
		return [
			`'${name}' gets items from several nodes (${named(sources)}), and runs once for each`,
			`Put a Merge in front of '${name}', with an input for each of them`,
		];
	}
	if (count < context.getInputData().length)
		return ['some items have another credential', 'Use a node of its own for each credential'];
	if (runIndexOf(context) === '0') return undefined;
	return [
		'this is not its first run in this execution',
		'An earlier run may have listed contacts that are in this one. Bring all items together before this node',
	];
}

const namesOf = (nodes: ReadonlyArray<{ name: string }>) => nodes.map(({ name }) => name);

/** The nodes that give a node its items: no triggers, of which one starts an execution, and none behind itself. */
function sourcesOf(context: IExecuteFunctions, name: string): string[] {
	const behind = namesOf(context.getChildNodes(name));
	return namesOf(context.getParentNodes(name, { depth: 1 })).filter(
		(each) => !behind.includes(each) && context.getParentNodes(each).length > 0,
	);
}
