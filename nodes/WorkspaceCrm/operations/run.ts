import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeApiError,
} from 'n8n-workflow';

import { createApi } from '../api/api';
import { CrmError } from '../api/errors';
import { processRuntime, type Runtime } from '../api/runtime';
import { InputProblem } from '../domain/problem';
import type { AnyOperation, Resource } from './define';
import { toNodeError } from './errors';
import { onceForItem, processDoneItems, type DoneItems } from './once';
import { readParams } from './params';

/**
 * Runs the chosen operation once for each input item, in order: the only loop, the only catch and
 * the only place where outputs are linked to their inputs.
 *
 * An item that fails goes to the error output when the node is set to continue; the others are done
 * all the same. Otherwise the run stops there, and nothing after it has been started.
 */
export async function runOperation(
	context: IExecuteFunctions,
	resources: readonly Resource[],
	runtime: Runtime = processRuntime,
	done: DoneItems = processDoneItems,
): Promise<INodeExecutionData[]> {
	const operation = chosenOperation(context, resources);
	const api = await openApi(context, runtime);
	const outputs: INodeExecutionData[] = [];
	let refusal: CrmError | undefined;

	for (let item = 0; item < context.getInputData().length; item += 1) {
		try {
			// A key that was refused once is refused for every item; asking again only takes time.
			if (refusal) throw refusal;
			const params = readParams(context, operation.fields, item);
			const act = async () => await operation.execute(api, params as never);
			const output = operation.atMostOnce
				? await onceForItem(context, done, runtime.clock, item, params, act)
				: await act();
			for (const json of [output].flat()) outputs.push({ json, pairedItem: { item } });
		} catch (error) {
			if (context.getExecutionCancelSignal()?.aborted) throw stopped(context, item);
			if (error instanceof CrmError && error.status === 401) refusal = error;
			const nodeError = toNodeError(context.getNode(), error, item);
			if (!context.continueOnFail()) throw nodeError;
			outputs.push(failedItem(context, nodeError, item));
		}
	}
	return outputs;
}

/** By the word "canceled" in it, n8n tells a run that was stopped from one that failed. */
function stopped(context: IExecuteFunctions, itemIndex: number): NodeOperationError {
	return new NodeOperationError(context.getNode(), 'The execution was canceled', { itemIndex });
}

async function openApi(context: IExecuteFunctions, runtime: Runtime) {
	try {
		return await createApi(context, runtime);
	} catch (error) {
		// Nothing in the input can mend a credential, so this stops the run whatever it is set to.
		throw toNodeError(context.getNode(), error);
	}
}

function chosenOperation(context: IExecuteFunctions, resources: readonly Resource[]): AnyOperation {
	const resourceValue = context.getNodeParameter('resource', 0);
	const operationValue = context.getNodeParameter('operation', 0);
	const resource = resources.find(({ value }) => value === resourceValue);
	const operation = resource?.operations.find(({ value }) => value === operationValue);
	if (operation) return operation;
	throw toNodeError(
		context.getNode(),
		new InputProblem(
			`This version of the node has no operation '${operationValue}' for '${resourceValue}'`,
			'Open the node and choose the resource and the operation again.',
		),
	);
}

function failedItem(context: IExecuteFunctions, error: Error, item: number): INodeExecutionData {
	const status = Number((error as NodeApiError).httpCode);
	const json: IDataObject = { error: error.message };
	if (status > 0) json.statusCode = status;
	const description = (error as NodeApiError).description;
	if (description) json.description = description;

	const output: INodeExecutionData = { json, pairedItem: { item } };
	if (context.getNode().onError === 'continueErrorOutput') {
		// n8n sends an item to the error output when it has an `error`, but then replaces its JSON by
		// the message alone, unless the copy that it makes on the way has lost the property.
		Object.defineProperty(output, 'error', { value: error, writable: true, configurable: true });
	}
	return output;
}
