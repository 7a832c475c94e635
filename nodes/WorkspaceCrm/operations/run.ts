import type { IExecuteFunctions, INodeExecutionData, NodeError } from 'n8n-workflow';

import { processRuntime } from '../n8n/connect';
import type { Runtime } from '../crm/connection';
import { dropNothings } from '../domain/plainData';
import { InputProblem } from '../domain/inputProblem';
import { connectItems } from './accounts';
import type { AnyOperation, Resource } from './define';
import { keepFailed } from './engine';
import { failedItem, hintAtFailures, toItemError, toRunError } from './nodeErrors';
import { runAccounts, type RunResult } from './runAccounts';
import { isForAgent, withDetailsForModel } from '../n8n/agents';
import { canceledError } from '../n8n/runs';

/**
 * Runs the chosen operation for the input items: the only place of a run where errors become n8n's and where
 * outputs are linked to their inputs. Outputs come in the order of the inputs. After a wait, see `receiveReply`.
 *
 * If the node is set to continue, a failed item goes to the error output. Otherwise its error ends the
 * run.
 */
export async function runOperation(
	context: IExecuteFunctions,
	resources: readonly Resource[],
	runtime: Runtime = processRuntime,
): Promise<INodeExecutionData[]> {
	let operation: AnyOperation | undefined;
	try {
		operation = chosenOperation(context, resources);
		assertMayRun(context, operation);
		const all = [...context.getInputData().keys()];
		const items = operation.takes === 'first' ? all.slice(0, 1) : all;
		const accounts = await connectItems(context, runtime, items);
		const run = { context, runtime, name: operation.name };
		return toOutputs(context, operation, await runAccounts(operation, accounts, run));
	} catch (error) {
		keepFailed(context);
		if (context.getExecutionCancelSignal()?.aborted) throw canceledError(context);
		if (!context.continueOnFail()) throw withDetailsForModel(context, toItemError(context, error));
		// An error of the whole node fails every item: otherwise n8n passes the input to the success output.
		const outcomes = context.getInputData().map(() => ({ json: {}, error }));
		return toOutputs(context, operation, { outcomes });
	}
}

/** @throws NodeError for the first failed item, unless the node is set to continue */
function toOutputs(
	context: IExecuteFunctions,
	operation: AnyOperation | undefined,
	result: RunResult,
): INodeExecutionData[] {
	const { outcomes, more = [], summary } = result;
	const failed = outcomes.findIndex((outcome) => outcome?.error !== undefined);
	if (failed >= 0 && !context.continueOnFail()) throw toRunError(context, result, failed);
	const outputs: INodeExecutionData[] = [];
	const failures: NodeError[] = [];
	for (const [item, outcome] of outcomes.entries()) {
		if (!outcome) continue;
		const { json, error } = outcome;
		const records = [json].flat();
		// The files of an item stay with it, as in n8n's own nodes that edit items.
		const { binary } = context.getInputData()[item] ?? {};
		const ofItem = { pairedItem: { item }, ...(binary && !Array.isArray(json) && { binary }) };
		if (error === undefined) {
			for (const record of records) outputs.push({ json: record, ...ofItem });
			continue;
		}
		const failure = toItemError(context, error, item);
		failures.push(failure);
		const known = { ...operation?.ifFailed?.(error), ...records[0] };
		outputs.push(failedItem(context, failure, item, known));
	}
	// n8n also repeats a run that continues, if its first item failed.
	if (failures.length > 0) keepFailed(context);
	hintAtFailures(context, failures, result.failedTitle !== undefined);
	if (summary) context.addExecutionHints({ message: summary, location: 'outputPane' });
	for (const { json, items } of more) {
		outputs.push({ json, ...(items && { pairedItem: items.map((item) => ({ item })) }) });
	}
	// Blank fields only cost a model tokens.
	if (isForAgent(context)) for (const output of outputs) output.json = dropNothings(output.json);
	return outputs;
}

/** @throws InputProblem if an AI agent chose an operation that agents may not use */
function assertMayRun(context: IExecuteFunctions, { name, forAgents = true }: AnyOperation): void {
	if (forAgents || !isForAgent(context)) return;
	throw new InputProblem(
		`AI agents may not use '${name}'`,
		'Nothing was done. Let the agent use another operation, or put this node into the workflow itself.',
	);
}

function chosenOperation(context: IExecuteFunctions, resources: readonly Resource[]): AnyOperation {
	const resourceValue = context.getNodeParameter('resource', 0, '');
	const operationValue = context.getNodeParameter('operation', 0, '');
	const resource = resources.find(({ value }) => value === resourceValue);
	const operation = resource?.operations.find(({ value }) => value === operationValue);
	if (operation) return operation;
	throw new InputProblem(
		`This version of the node has no operation '${operationValue}' for '${resourceValue}'`,
		'Open the node and choose the resource and the operation again.',
	);
}
