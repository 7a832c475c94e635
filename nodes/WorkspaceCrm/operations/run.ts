import type { IExecuteFunctions, INodeExecutionData, NodeError } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { processRuntime, type Runtime } from '../api/runtime';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import { dropBlanks, type JsonObject } from '../domain/json';
import { InputProblem } from '../domain/problem';
import {
	ItemFailure,
	type AnyBulkOperation,
	type AnyItemOperation,
	type AnyOperation,
	type BulkItem,
	type BulkRun,
	type BulkResult,
	type Output,
	type Resource,
	type Run,
} from './define';
import { failedItem, hintAtFailures, severalFailed, toItemError } from './failures';
import { toNodeError } from './nodeErrors';
import { once, runKeyOf, workOf } from './once';
import { runAndWait } from './runAndWait';
import { readAll } from './readItems';
import type { Clock } from '../n8n/clock';
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
	const items = await readAll(context, operation.fields, clock);
	const continues = context.continueOnFail();
	const stop = context.getExecutionCancelSignal();
	const workFor = workOf(context);
	const outputs: Output[] = [];
	const failures: NodeError[] = [];
	/** Why no other item is begun. */
	let over: CrmError | NodeError | undefined;
	const fail = (item: number, error: unknown) => {
		const failure = (failures[item] = toItemError(context, error, item));
		if (!continues) over ??= failure;
		else if (error instanceof CrmError && error.concernsAll) {
			over ??= error.withMessage(`Not tried, because item ${item + 1} was refused`);
		}
	};
	const runItem = async (item: number, params: JsonObject): Promise<void> => {
		if (over && !continues) return;
		try {
			if (over) throw over;
			const run = { ...runOf(context, clock), mayBeDone: workFor(item).mayBeDone };
			outputs[item] = await once(
				workFor(item),
				operation.effect,
				async () => await operation.execute(api, params, run),
			);
		} catch (error) {
			if (stop?.aborted) throw canceledError(context, item);
			fail(item, error);
		}
	};
	const groups = groupByKey(operation, items, fail);
	// The first goes alone: what it finds wrong with the key, the others need not find out.
	const first = groups[0]?.shift();
	if (first) await runItem(...first);
	await forEachAtOnce(groups, ITEMS_AT_ONCE, async (group) => {
		for (const [item, params] of group) await runItem(item, params);
	});
	return toOutputs(context, outputs, failures);
}

/** The items that can be read, by index and with their values, in groups that may run at the same time. */
function groupByKey(
	{ concurrencyKey }: AnyItemOperation,
	items: Array<BulkItem<JsonObject>>,
	fail: (item: number, problem: unknown) => void,
): Array<Array<[item: number, params: JsonObject]>> {
	const groups = new Map<unknown, Array<[number, JsonObject]>>();
	for (const [item, each] of items.entries()) {
		try {
			if (!('params' in each)) throw each.problem;
			const key = concurrencyKey ? (concurrencyKey(each.params) ?? item) : 'one by one';
			const group = groups.get(key) ?? [];
			group.push([item, each.params]);
			groups.set(key, group);
		} catch (problem) {
			fail(item, problem);
		}
	}
	return [...groups.values()];
}

/** @throws the first failure, unless failed items are given out */
function toOutputs(
	context: IExecuteFunctions,
	outputs: Output[],
	failures: NodeError[],
): INodeExecutionData[] {
	const [first] = Object.values(failures);
	if (first && !context.continueOnFail()) throw withDetailsForModel(context, first);
	hintAtFailures(context, Object.values(failures));
	return context.getInputData().flatMap((_, item) => {
		const failure = failures[item];
		if (failure) return [failedItem(context, failure, item)];
		return [outputs[item] ?? []].flat().map((json) => ({ json, pairedItem: { item } }));
	});
}

function runOf(context: IExecuteFunctions, clock: Clock): Run {
	return {
		clock,
		executionId: context.getExecutionId(),
		timeZone: context.getTimezone(),
		key: runKeyOf(context),
		isStopped: () => context.getExecutionCancelSignal()?.aborted ?? false,
		warn: (message) => context.logger.warn(message),
	};
}

async function runBulk(
	context: IExecuteFunctions,
	operation: AnyBulkOperation,
	api: Api,
	{ clock }: Runtime,
): Promise<INodeExecutionData[]> {
	const items = await readAll(context, operation.fields, clock);
	const continues = context.continueOnFail();
	const run: BulkRun = { ...runOf(context, clock), continues };
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
