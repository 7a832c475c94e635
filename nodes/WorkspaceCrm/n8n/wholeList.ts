/** Whether a run of a node gets all items of the workflow. n8n starts a node once for each node that gives it items. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { InputProblem } from '../domain/inputProblem';
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
	const before = context.getParentNodes(own.name, { includeNodeParameters: true });
	const nodes = [own, ...before];
	const isInLoop = loopOf(context, own.name).length > 0;
	const [inLoop] = isInLoop ? [own] : nodes.flatMap(({ name }) => leftLoops(context, name));
	if (inLoop)
		return [
			`'${inLoop.name}' is in a loop`,
			"Put this node at the output 'done' of a Loop Over Items, or read all pages in one node, such as by the option 'Pagination' of HTTP Request",
		];
	for (const { name, type, disabled, parameters } of nodes) {
		const sources = sourcesOf(context, name);
		const isMerge = type === 'n8n-nodes-base.merge' && !disabled;
		const isBack = isLoopOverItems({ type, disabled }) && loopOf(context, name).length > 0;
		const most = isMerge ? Number(parameters?.numberInputs ?? 2) : isBack ? 2 : 1;
		if (sources.length <= most) continue;
		return [
			`'${name}' gets items from several nodes (${named(sources.map((each) => each.name))}), and runs once for each`,
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

function isLoopOverItems({
	type,
	disabled = false,
}: {
	type: string;
	disabled?: boolean;
}): boolean {
	return type === 'n8n-nodes-base.splitInBatches' && !disabled;
}

/** The names of the other nodes of the loops that a node is in. */
function loopOf(context: IExecuteFunctions, name: string): string[] {
	const behind = new Set(context.getChildNodes(name).map((each) => each.name));
	const before = context.getParentNodes(name).map((each) => each.name);
	return before.filter((each) => behind.has(each));
}

/** The nodes that give a node the items of a loop before it ends. Only a Loop Over Items keeps all of them. */
function leftLoops(context: IExecuteFunctions, name: string) {
	const loop = loopOf(context, name);
	const isLeft = (source: string) => !loop.includes(source) && loopOf(context, source).length > 0;
	return sourcesOf(context, name).filter((each) => !isLoopOverItems(each) && isLeft(each.name));
}

/** The nodes that give a node its items: no triggers, of which one starts an execution. */
function sourcesOf(context: IExecuteFunctions, name: string) {
	const sources = context.getParentNodes(name, { depth: 1 });
	return sources.filter((each) => context.getParentNodes(each.name).length > 0);
}
