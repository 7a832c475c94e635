import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Api } from '../api/client';
import type { Effect } from '../api/retry';
import type { Runtime } from '../api/runtime';
import type { Clock } from '../n8n/clock';
import type { JsonObject } from '../domain/json';
import type { Field, Params } from './fieldKinds';

/** What an operation gives for one input item: a record, or a list of them. */
export type Output = IDataObject | IDataObject[];

/** One thing the user can do: its texts and its fields. */
interface OperationTexts<F extends readonly Field[]> {
	/** Saved in workflows; never changes. */
	readonly value: string;
	readonly name: string;
	/** Sentence case with the object; becomes the node's name on the canvas. */
	readonly action: string;
	readonly description: string;
	/** What saves the user a mistake while the node is set up. */
	readonly hints?: readonly Hint[];
	readonly fields: F;
	readonly effect: Effect;
	/** False for what an AI agent may never do, however its node is set up; true by default. */
	readonly forAgents?: boolean;
}

interface Hint {
	message: string;
	/** A condition on `$parameter` and `$rawParameter`, as in an expression; without it, always. */
	when?: string;
}

/** Something that is done for each input item by itself. */
export interface ItemOperation<F extends readonly Field[], P = Params<F>>
	extends OperationTexts<F> {
	/**
	 * Items with different keys may run at the same time; items with the same key, such as those of one
	 * contact, run in order. Returns undefined if the order does not matter. Without this function, items
	 * run one by one.
	 */
	concurrencyKey?(params: P): string | undefined;
	/** Whether the execution waits afterwards. What comes out is what n8n gives when the wait is over. */
	readonly waits?: boolean;
	execute(api: Api, params: P, run: ItemRun): Promise<Output>;
}

/** What an operation may know of the run that it is part of. */
export interface Run {
	clock: Clock;
	executionId: string;
	/** Of the workflow, by its IANA name: what dates without a zone of their own are meant in. */
	timeZone: string;
	/** The same object for all tries of this run of the node (Retry On Fail), and for no other. */
	key: object;
	/** Whether the user, or a timeout of n8n's, has stopped the execution. */
	isStopped(): boolean;
	/** Whether failed items are given out, and do not end the run. */
	continues: boolean;
	/** Writes a warning to n8n's log. */
	warn(message: string): void;
	/** For an operation that waits. */
	context: IExecuteFunctions;
	runtime: Runtime;
}

export interface ItemRun extends Run {
	/** Whether an earlier try of the same item (Retry On Fail) may have done it, though it failed. */
	mayBeDone: boolean;
}

/** Something that is done for all input items together. */
export interface BulkOperation<F extends readonly Field[], P = Params<F>>
	extends OperationTexts<F> {
	/** @throws ItemFailure to end the run because of one item; anything else fails all items */
	executeAll(api: Api, items: Array<BulkItem<P>>, run: Run): Promise<BulkResult>;
}

/** What ends the run; without an item, it is about the whole node. */
export class ItemFailure extends Error {
	constructor(
		readonly item: number | undefined,
		readonly cause: unknown,
		/** What else the user should know of the run; empty for nothing. */
		readonly progress = '',
	) {
		super();
	}
}

/** What came of one input item. With an `error`, it counts as failed. */
export interface Outcome {
	json: Output;
	error?: unknown;
}

/** The values of the fields for one input item, or why they cannot be read, and those that can. */
export type BulkItem<P> =
	| { params: P; problem?: undefined }
	| { problem: unknown; readable: Partial<P> };

export interface BulkResult {
	/**
	 * What came of each input item, in their order; undefined if it was not begun. Empty if the run is about
	 * all of them together.
	 */
	outcomes: Array<Outcome | undefined>;
	/** Records that belong to no input item, or to all of them; they come after the others. */
	more?: IDataObject[];
	/** Sums the run up, for the user. */
	summary?: string;
}

export interface Resource {
	readonly value: string;
	readonly name: string;
	readonly operations: readonly AnyOperation[];
}

/** An operation of any fields, as it stands in the registry: its parameters are known by name only. */
export type AnyItemOperation = ItemOperation<readonly Field[], JsonObject>;
export type AnyOperation = AnyItemOperation | BulkOperation<readonly Field[], JsonObject>;

/** Gives `execute` the types that follow from `fields`; changes nothing at run time. */
export function defineOperation<const F extends readonly Field[]>(
	operation: ItemOperation<F>,
): ItemOperation<F> {
	return operation;
}

/** The same for an operation that takes all items together. */
export function defineBulkOperation<const F extends readonly Field[]>(
	operation: BulkOperation<F>,
): BulkOperation<F> {
	return operation;
}
