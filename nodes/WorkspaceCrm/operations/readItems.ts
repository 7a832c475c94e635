import type { IExecuteFunctions } from 'n8n-workflow';

import type { Clock } from '../n8n/clock';
import { tooDeep, type JsonObject } from '../domain/json';
import type { BulkItem } from './define';
import type { Field } from './fieldKinds';
import { paramsReader } from './params';
import { argumentsProblem } from '../n8n/toolCall';

/**
 * How many items are read in one go. One by one, between requests, n8n takes about twice as long for
 * each expression; thousands in one go would keep everything else in n8n waiting.
 */
const ITEMS_IN_ONE_GO = 100;

/** The fields of all input items, read before the first request. */
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

/** Gives the fields of an input item, by its index; where one cannot be read, those that can. */
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
				// n8n follows a value of an expression to its end, and some have none.
				problem ??= error instanceof RangeError ? tooDeep(field.displayName) : error;
			}
		}
		return problem === undefined ? { params } : { problem, readable: params };
	};
}
