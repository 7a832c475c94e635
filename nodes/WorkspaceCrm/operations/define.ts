import type {
	IDataObject,
	IExecuteFunctions,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import type { Api, RequestMemory } from '../crm/client';
import type { Runtime } from '../crm/connection';
import type { JsonObject } from '../domain/plainData';
import type { Field, Params } from './fieldKinds';

/**
 * What an operation does to the service. It decides what another try of the node (Retry On Fail) repeats:
 * - `read`: changes nothing.
 * - `idempotent`: running it twice leaves the same as running it once.
 * - `once`: running it twice does harm, such as a second message.
 */
export type Effect = 'read' | 'idempotent' | 'once';

/** The output of an operation for one input item: a record, or a list of them. */
export type Output = IDataObject | IDataObject[];

/** One thing the user can do: its texts and its fields. */
interface OperationTexts<F extends readonly Field[]> {
	/** Saved in workflows; never changes. */
	readonly value: string;
	readonly name: string;
	/** Sentence case with the object; becomes the node's name on the canvas. */
	readonly action: string;
	readonly description: string;
	/** Shown before a run, to prevent mistakes while the user sets up the node. */
	readonly hints?: ReadonlyArray<{
		message: string;
		/** Whether to show it after a run, too: it explains the output. */
		always?: boolean;
		/** When to show it: an expression on `$parameter` and `$rawParameter`; always if missing. */
		when?: string;
	}>;
	/** What the user fills in: n8n's properties, and five words of ours, which `Field` explains where they stand. */
	readonly fields: F;
	readonly effect: Effect;
	/** What the output of a failed item says, beside the error. n8n adds the fields of the input to it. */
	readonly ifFailed?: (error: unknown) => IDataObject;
	/** False for operations that AI agents may never use; true by default. */
	readonly forAgents?: boolean;
	/** When a model that builds workflows should choose it; n8n shows it when the model searches for nodes. */
	readonly searchHint?: string;
	/** Of the operation after which the execution waits. n8n allows one per node. */
	readonly wait?: Wait;
}

/** How a request to n8n ends the wait of an execution. */
export interface Wait {
	readonly webhooks: IWebhookDescription[];
	/** What the node says while it waits. */
	readonly tooltip: string;
	receive(context: IWebhookFunctions): Promise<IWebhookResponseData>;
}

/** An operation that handles each input item separately. */
export interface ItemOperation<F extends readonly Field[], P = Params<F>>
	extends OperationTexts<F> {
	/** Which input items it handles: each, the default, or only the first. */
	readonly takes?: 'each' | 'first';
	/** Called before any request. @throws InputProblem if it cannot work here, or must not with these items */
	assertCanRun?(context: IExecuteFunctions, items: ReadonlyArray<BulkItem<P>>): void;
	/**
	 * Which items run one after the other: all, the default; none; or those with the same key, such as those
	 * of one contact.
	 */
	readonly order?: 'oneByOne' | 'parallel' | KeyOf<P>['key'];
	execute(api: Api, params: P, run: ItemRun): Promise<Output>;
	/** A hint above the output, about the items that are done. */
	summarize?(done: ReadonlyArray<Partial<BulkItem<P>> & Outcome>): string | undefined;
}

/** As a method, so that operations with any fields fit into the registry. */
interface KeyOf<P> {
	key(params: P): string | undefined;
}

/** A run of the node: n8n's context, what the process knows, and the operation's name. */
export interface Run {
	context: IExecuteFunctions;
	runtime: Runtime;
	name: string;
}

/** What earlier tries of a run (Retry On Fail) did for an item. */
export interface ItemMemory<R = unknown> {
	/** Its result, if no further try may or need do it again. */
	result?: R;
	/** What was done before it failed. */
	partial?: R;
	/** The ID of the contact that was found by phone. After a deletion, nobody finds it again. */
	contactId?: string;
	/** Whether a failed try may have taken effect. */
	mayHaveHappened?: boolean;
	/** The changes that were asked for, of an operation that may be repeated. */
	requests?: RequestMemory;
}

interface ItemRun extends Run {
	/** What earlier tries did for the item. */
	memory: ItemMemory;
}

/** An operation that handles all input items of an account together. */
interface BulkOperation<F extends readonly Field[], P = Params<F>> extends OperationTexts<F> {
	readonly takes: 'all';
	/** @throws ItemFailure to end the run because of one item; anything else fails all items */
	executeAll(api: Api, items: Array<BulkItem<P>>, run: Run): Promise<BulkResult>;
}

/** An error that ends the run because of one item. */
export class ItemFailure extends Error {
	constructor(
		readonly item: number,
		readonly cause: unknown,
	) {
		super();
	}
}

/** The result of one input item. With an `error`, the item failed. */
export interface Outcome {
	json: Output;
	error?: unknown;
}

/** The field values of one input item that can be read, and why others cannot. */
export interface BulkItem<P> {
	/** The index of the item. */
	item: number;
	params: Partial<P>;
	problem?: object;
}

/** All values of an item. @throws its problem */
export function readableParams<P>({ params, problem }: BulkItem<P>): P {
	if (problem !== undefined) throw problem;
	return params as P;
}

/** The options that count for all items: those of the first item whose options can be read. */
export function optionsOf<O>(items: ReadonlyArray<BulkItem<{ options: O }>>): O | undefined {
	return items.find(({ params }) => params.options)?.params.options;
}

export interface BulkResult {
	/**
	 * The result of each given item, in their order; undefined for items that were not started. Empty if the
	 * results belong to all items together.
	 */
	outcomes: Array<Outcome | undefined>;
	/** Records that belong to no single input item; they follow the others. */
	more?: IDataObject[];
	/** A summary of the run for the user. */
	summary?: string;
	/** The title of a run that ends with a failed item; by default, that of the item. */
	failedTitle?: string;
}

export interface Resource {
	readonly value: string;
	readonly name: string;
	readonly operations: readonly AnyOperation[];
}

/** An operation in the registry, where the types of its fields are erased. */
type AnyItemOperation = ItemOperation<readonly Field[], JsonObject>;
export type AnyBulkOperation = BulkOperation<readonly Field[], JsonObject>;
export type AnyOperation = AnyItemOperation | AnyBulkOperation;

/** Infers the parameter types of `execute` from `fields`; does nothing at run time. */
export function defineOperation<const F extends readonly Field[]>(
	operation: ItemOperation<F>,
): ItemOperation<F> {
	return operation;
}

/** The same for bulk operations. */
export function defineBulkOperation<const F extends readonly Field[]>(
	operation: BulkOperation<F>,
): BulkOperation<F> {
	return operation;
}
