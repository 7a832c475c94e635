import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../n8n/clock';
import { tooDeep, type JsonObject } from '../domain/json';
import type { BulkItem } from './define';
import type { Field } from './fieldKinds';
import { paramsReader } from './params';
import { argumentsProblem } from '../n8n/toolCall';

/**
 * How many items to read before yielding. Reading one item between requests takes n8n about twice as
 * long per expression; thousands at once would block its event loop.
 */
const ITEMS_IN_ONE_GO = 100;

/** Reads the fields of all input items, before the first request. */
export async function readAll(
	context: IExecuteFunctions,
	fields: readonly Field[],
	clock: Clock,
): Promise<Array<BulkItem<JsonObject>>> {
	const items: Array<BulkItem<JsonObject>> = [];
	const read = itemReader(context, fields);
	for (const item of context.getInputData().keys()) {
		items.push(read(item));
		if (items.length % ITEMS_IN_ONE_GO === 0) await clock.sleep(0);
	}
	return items;
}

/**
 * Returns a function that reads the fields of an item by its index; if one cannot be read, it returns
 * the others.
 */
function itemReader(
	context: IExecuteFunctions,
	fields: readonly Field[],
): (item: number) => BulkItem<JsonObject> {
	const readers = fields.map((field) => ({ field, read: paramsReader(context, [field]) }));
	const mixedUp = argumentsProblem(context);
	return (item) => {
		const params: JsonObject = {};
		if (mixedUp) return { problem: mixedUp, readable: params };
		let problem: unknown;
		for (const { field, read } of readers) {
			try {
				Object.assign(params, read(item));
			} catch (error) {
				// n8n walks the whole value of an expression, and overflows the stack if it is too deep.
				problem ??= error instanceof RangeError ? tooDeep(field.displayName) : error;
			}
		}
		return problem === undefined ? { params } : { problem, readable: params };
	};
}
