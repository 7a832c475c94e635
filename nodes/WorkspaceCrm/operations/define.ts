import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Api } from '../api/api';

/** A field of an operation: n8n's own description of it, and how its value is read. */
export type Field = Readonly<Omit<INodeProperties, 'displayOptions' | 'options'>> & {
	/** Shown only while another field of the same operation has one of these values. */
	readonly showWhen?: Readonly<Record<string, ReadonlyArray<string | boolean>>>;
	readonly options?: readonly unknown[];
	/** `names`: comma-separated text or an array. `any`: whatever the user gave, not looked at. */
	readonly accepts?: 'names' | 'any';
};

/** A record that the user chose in a resource locator; `mode` says how. */
export interface Reference {
	mode: string;
	value: string;
}

type ValueOf<F> = F extends { accepts: 'names' }
	? string[]
	: F extends { accepts: 'any' }
		? unknown
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
								? Row[]
								: F extends { type: 'json' }
									? Record<string, unknown> | undefined
									: string;

/** One row of a fixedCollection of names and values. */
export interface Row {
	name: string;
	value: unknown;
}

type ParamsOf<F> = { [K in Extract<F, Field> as K['name']]: ValueOf<K> };

/** The values of fields, by their names, with their types. */
export type Params<F extends readonly Field[]> = ParamsOf<F[number]>;

/** What an operation gives for one input item: a record, or a list of them. */
export type Output = IDataObject | IDataObject[];

/** One thing the user can do: its texts, its fields and its code. */
export interface Operation<F extends readonly Field[] = readonly Field[]> {
	/** Saved in workflows; never changes. */
	readonly value: string;
	readonly name: string;
	/** Sentence case with the object; becomes the node's name on the canvas. */
	readonly action: string;
	readonly description: string;
	/** For what cannot be taken back: never done twice for the same item of an execution. */
	readonly atMostOnce?: boolean;
	readonly fields: F;
	execute(api: Api, params: Params<F>): Promise<Output>;
}

export interface Resource {
	readonly value: string;
	readonly name: string;
	readonly operations: readonly AnyOperation[];
}

/** An operation whose parameters are only known by reading its fields. */
export type AnyOperation = Omit<Operation, 'execute'> & {
	execute(api: Api, params: never): Promise<Output>;
};

/** Gives `execute` the types that follow from `fields`; changes nothing at run time. */
export function defineOperation<const F extends readonly Field[]>(
	operation: Operation<F>,
): Operation<F> {
	return operation;
}
