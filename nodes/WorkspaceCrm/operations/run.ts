import type { IExecuteFunctions, INodeExecutionData, NodeError } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError, rethrow } from '../api/crmError';
import { processRuntime, type Runtime } from '../api/runtime';
import type { ItemRequests } from '../api/transport';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import { dropBlanks } from '../domain/json';
import { InputProblem } from '../domain/problem';
import {
	ItemFailure,
	type AnyBulkOperation,
	type AnyItemOperation,
	type AnyOperation,
	type BulkRun,
	type BulkResult,
	type ItemRun,
	type Output,
	type Resource,
} from './define';
import { failedItem, hintAtFailures, severalFailed, toItemError } from './failures';
import { toNodeError } from './nodeErrors';
import { once, workOf } from './once';
import { runAndWait } from './runAndWait';
import { readAhead, readAll } from './readItems';
import { canceledError, withDetailsForModel } from '../n8n/errorOutput';
import { isForAgent } from '../n8n/toolCall';

/**
 * Runs the chosen operation for the input items: the only loop, the only catch and the only place
 * where outputs are linked to their inputs. Outputs come in the order of the inputs.
 *
 * An item that fails goes to the error output when the node is set to continue; the others
 * run, unless the failure concerns all. Otherwise the run stops there. Items whose first
 * request has been sent are let finish, and no other item is begun.
 */
export async function runOperation(
	context: IExecuteFunctions,
	resources: readonly Resource[],
	runtime: Runtime = processRuntime,
): Promise<INodeExecutionData[]> {
	try {
		const operation = chosenOperation(context, resources);
		assertMayRun(context, operation);
		const api = await createApi(context, { effect: operation.effect, runtime });
		if ('executeAndWait' in operation) return await runAndWait(context, operation, api, runtime);
		const outputs =
			'executeAll' in operation
				? await runBulk(context, operation, api, runtime)
				: await runItems(context, operation, api, runtime);
		// What a model reads costs money and attention, and what is blank tells it nothing.
		if (isForAgent(context)) for (const output of outputs) output.json = dropBlanks(output.json);
		return outputs;
	} catch (error) {
		const nodeError = toNodeError(context.getNode(), error);
		if (!context.continueOnFail() || context.getExecutionCancelSignal()?.aborted) throw nodeError;
		// n8n would hand the input to the output of success.
		return failAll(context, nodeError);
	}
}

/** For what concerns the whole node, such as a base URL that cannot be used. */
function failAll(context: IExecuteFunctions, error: NodeError): INodeExecutionData[] {
	const items = context.getInputData();
	hintAtFailures(
		context,
		items.map(() => error),
	);
	return items.map((_, item) => failedItem(context, error, item));
}

async function runItems(
	context: IExecuteFunctions,
	operation: AnyItemOperation,
	api: Api,
	{ clock }: Runtime,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData().map((_, item) => item);
	const outputs: INodeExecutionData[][] = items.map(() => []);
	const lastOfKey = new Map<string, Promise<void>>();
	const paramsOf = readAhead(context, operation.fields);
	const workFor = workOf(context);
	const continues = context.continueOnFail();
	const canceled = context.getExecutionCancelSignal();
	const over = new AbortController();
	const failures: NodeError[] = [];
	const run: ItemRun = {
		clock,
		executionId: context.getExecutionId(),
		timeZone: context.getTimezone(),
	};
	const mayBegin = canceled ? AbortSignal.any([canceled, over.signal]) : over.signal;

	const act = async (item: number, fail: ItemRequests['fail']): Promise<Output> => {
		mayBegin.throwIfAborted();
		const work = workFor(item);
		const params = (work.params ??= await paramsOf(item));
		// Where items run one by one, none begins before this one has ended, and it may make up for a request.
		const failRequest = operation.concurrencyKey ? fail : rethrow;
		const itemApi = api.forItem({ mayBegin, changes: work.changes, fail: failRequest });
		const execute = async () => await operation.execute(itemApi, params, run).catch(fail);
		return await inOrder(lastOfKey, operation.concurrencyKey?.(params), execute);
	};
	const actOrFail = async (item: number): Promise<void> => {
		const fail = (error: unknown): never => {
			if (!continues) over.abort();
			else if (error instanceof CrmError && error.concernsAll) {
				over.abort(error.withMessage(`Not tried, because item ${item + 1} was refused`));
			}
			throw error;
		};
		try {
			const output = await once(workFor(item), async () => await act(item, fail)).catch(fail);
			outputs[item] = [output].flat().map((json) => ({ json, pairedItem: { item } }));
		} catch (error) {
			if (canceled?.aborted) throw canceledError(context, item);
			if (!continues && error === over.signal.reason) return;
			const nodeError = toItemError(context, error, item);
			if (!continues) throw withDetailsForModel(context, nodeError);
			outputs[item] = [failedItem(context, nodeError, item)];
			failures[item] = nodeError;
		}
	};
	// The first goes alone: what it finds wrong with the key, the others need not find out.
	await forEachAtOnce(items.slice(0, 1), 1, actOrFail);
	await forEachAtOnce(items.slice(1), operation.concurrencyKey ? ITEMS_AT_ONCE : 1, actOrFail);
	hintAtFailures(context, Object.values(failures));
	return outputs.flat();
}

/** Runs an item after all earlier items with the same concurrency key. */
async function inOrder(
	lastOfKey: Map<string, Promise<void>>,
	key: string | undefined,
	act: () => Promise<Output>,
): Promise<Output> {
	if (key === undefined) return await act();
	const doing = (lastOfKey.get(key) ?? Promise.resolve()).then(act);
	const over = () => {};
	lastOfKey.set(key, doing.then(over, over));
	return await doing;
}

async function runBulk(
	context: IExecuteFunctions,
	operation: AnyBulkOperation,
	api: Api,
	{ clock }: Runtime,
): Promise<INodeExecutionData[]> {
	const items = await readAll(context, operation.fields, clock);
	const continues = context.continueOnFail();
	const run: BulkRun = {
		clock,
		continues,
		executionId: context.getExecutionId(),
		timeZone: context.getTimezone(),
		key: context.getExecuteData(),
		warn: (message) => context.logger.warn(message),
	};
	const { outcomes, more, summary } = await operation
		.executeAll(api, items, run)
		.catch((error: unknown) => failureOfAll(context, items.length, error));
	const errors = outcomes.map(({ error }, item) =>
		error === undefined ? undefined : toItemError(context, error, item),
	);
	const failures = errors.filter((error) => error !== undefined);
	const [first] = failures;
	if (first && !continues) {
		if (items.length === 1) throw withDetailsForModel(context, first);
		throw severalFailed(context.getNode(), failures, items.length, summary);
	}
	hintAtFailures(context, failures);
	if (summary) context.addExecutionHints({ message: summary, location: 'outputPane' });
	const outputs = outcomes.map(({ json }, item): INodeExecutionData => {
		const error = errors[item];
		return error ? failedItem(context, error, item, json) : { json, pairedItem: { item } };
	});
	// Where no item has an outcome of its own, what came is about all of them.
	const pairedItem = outcomes.length === 0 ? items.map((_, item) => ({ item })) : undefined;
	return [...outputs, ...more.map((json) => ({ json, ...(pairedItem && { pairedItem }) }))];
}

/** A failure of the whole, such as a list that cannot be read, is the failure of every item. */
function failureOfAll(context: IExecuteFunctions, count: number, error: unknown): BulkResult {
	if (context.getExecutionCancelSignal()?.aborted) throw canceledError(context);
	const { cause, item } = error instanceof ItemFailure ? error : { cause: error, item: undefined };
	if (!context.continueOnFail()) throw toItemError(context, cause, item);
	const outcomes = Array.from({ length: count }, () => ({ json: {}, error: cause }));
	return { outcomes, more: [], summary: '' };
}

/** @throws InputProblem for an AI agent that asks for what agents may not do, by whatever way */
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
