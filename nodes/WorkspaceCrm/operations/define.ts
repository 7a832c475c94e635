import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Api, Effect } from '../api/client';
import type { Clock } from '../n8n/clock';
import type { JsonObject } from '../domain/json';

/** A field of an operation: n8n's own description of it, and how its value is read. */
export type Field = Readonly<Omit<INodeProperties, 'displayOptions' | 'options'>> & {
	/** Shown only while another field of the same operation has one of these values. */
	readonly showWhen?: Readonly<Record<string, ReadonlyArray<string | boolean>>>;
	readonly options?: readonly unknown[];
	/** `names`: comma-separated text or an array. `any`: whatever the user gave, not looked at. */
	readonly accepts?: 'names' | 'any';
	/**
	 * What becomes of the field if its expression gives nothing. `guards`, the default: it narrows what
	 * is done or guards it, so that is an error. `filters`: it is an error too, but the model of an AI
	 * agent may leave it empty. `adds`: without a value, nothing is sent. A collection says it for the
	 * fields in it that do not say it themselves.
	 */
	readonly role?: 'guards' | 'filters' | 'adds';
	/** Whether the value of the first item counts for all. A collection says it in the same way. */
	readonly perRun?: boolean;
};

/** A record that the user chose in a resource locator; `mode` says how. */
export interface Reference {
	mode: string;
	value: string;
}

/** What is mapped to the columns of a resource mapper. */
export interface MappedColumns {
	/** Whether the values are the item's own fields, by their own names, and not by columns' ids. */
	isAutomatic: boolean;
	values: JsonObject;
	/** The columns that the editor knew when the workflow was saved. */
	schema: ReadonlyArray<{ id: string; type?: string }>;
}

type ValueOf<F> = F extends { accepts: 'names' }
	? string[]
	: F extends { accepts: 'any' }
		? unknown
		: F extends { type: 'resourceMapper' }
			? MappedColumns
			: F extends { type: 'resourceLocator' }
				? Reference
				: F extends { type: 'boolean' }
					? boolean
					: F extends { type: 'number' }
						? number
						: F extends { type: 'options'; options: ReadonlyArray<{ value: infer V }> }
							? V
							: F extends { type: 'collection'; options: ReadonlyArray<infer O> }
								? Partial<ParamsOf<O>>
								: F extends { type: 'fixedCollection' }
									? NameValue[]
									: F extends { type: 'json' }
										? Record<string, unknown> | undefined
										: string;

/** One row of a fixedCollection of names and values. */
export interface NameValue {
	name: string;
	value: unknown;
}

type ParamsOf<F> = { [K in Extract<F, Field> as K['name']]: ValueOf<K> };

/** The values of fields, by their names, with their types. */
export type Params<F extends readonly Field[]> = ParamsOf<F[number]>;

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
}

export interface Hint {
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
	execute(api: Api, params: P): Promise<Output>;
}

/** Something that is done for all input items together. */
export interface BulkOperation<F extends readonly Field[], P = Params<F>>
	extends OperationTexts<F> {
	/** @throws ItemFailure to end the run because of one item; anything else fails all items */
	executeAll(api: Api, items: Array<BulkItem<P>>, run: BulkRun): Promise<BulkResult>;
}

export interface BulkRun {
	/** Whether failed items are given out, and do not end the run. */
	continues: boolean;
	clock: Clock;
}

/** One item of a bulk operation that ends the run. */
export class ItemFailure extends Error {
	constructor(
		readonly item: number,
		readonly cause: unknown,
	) {
		super();
	}
}

/** The values of the fields for one input item, or why they cannot be read, and those that can. */
export type BulkItem<P> =
	| { params: P; problem?: undefined }
	| { problem: unknown; readable: Partial<P> };

export interface BulkResult {
	/** What came of each input item, in their order. One with an `error` counts as failed. */
	outcomes: Array<{ json: IDataObject; error?: unknown }>;
	/** Records that belong to no input item; they come after the others. */
	more: IDataObject[];
	/** Sums the run up, for the user; empty for nothing to say. */
	summary: string;
}

export interface Resource {
	readonly value: string;
	readonly name: string;
	readonly operations: readonly AnyOperation[];
}

/** An operation whose parameters are only known by reading its fields. */
export type AnyBulkOperation = BulkOperation<readonly Field[], never>;
export type AnyOperation = ItemOperation<readonly Field[], never> | AnyBulkOperation;

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
