import type { IExecuteFunctions, IHookFunctions } from 'n8n-workflow';

import { rethrow } from '../api/crmError';
import { isJsonObject, type JsonObject } from '../domain/json';
import { InputProblem, wrongValue } from '../domain/problem';
import type { Clock } from '../n8n/clock';
import { argumentsProblem } from '../n8n/toolCall';
import type { BulkItem } from './define';
import { holdsExpression, isFromModel, lacksValue } from './expressions';
import { readValue, type Field, type MappedColumns, type Params } from './fieldKinds';

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
	const read = paramsReader(context, fields);
	const mixedUp = argumentsProblem(context);
	for (const item of context.getInputData().keys()) {
		let problem: unknown = mixedUp;
		const params = read(item, (error) => {
			problem ??= error;
		});
		items.push(problem === undefined ? { params } : { problem, readable: params });
		if (items.length % ITEMS_IN_ONE_GO === 0) await clock.sleep(0);
	}
	return items;
}

/**
 * Reads the values of a trigger's fields, as for a first item: a trigger has no items.
 *
 * @throws InputProblem that names the field and the expected value
 */
export function readTriggerParams<const F extends readonly Field[]>(
	context: Pick<IHookFunctions, 'getNodeParameter'>,
	fields: F,
): Params<F> {
	const source = {
		getNodeParameter: (name: string, _item: number, ...others: [unknown?, object?]) =>
			context.getNodeParameter(name, ...others),
		getInputData: () => [],
	};
	return paramsReader(source as ParamsContext, fields)(0) as Params<F>;
}

/** The part of n8n's context that reads saved and evaluated parameters. */
type ParamsContext = Pick<IExecuteFunctions, 'getInputData' | 'getNodeParameter'>;

/** Returns a value for an input item, by its index. */
type Reader = (item: number) => unknown;

/**
 * Reads and checks the values of fields, in the types of `Params`. Saved parameters are examined once;
 * for each item, only expressions are evaluated.
 *
 * @param prefix the path of the collection that the fields are in, with a dot
 * @returns a function of an item's index. It gives `fail` an InputProblem for each field that cannot be
 * read, and returns the others. By default, `fail` throws it.
 */
function paramsReader(
	context: ParamsContext,
	fields: readonly Field[],
	prefix = '',
): (item: number, fail?: (problem: unknown) => void) => JsonObject {
	const readers = fields.map((field) => ({
		name: field.name,
		read: fieldReader(context, field, prefix),
	}));
	return (item, fail = rethrow) => {
		const params: JsonObject = {};
		for (const { name, read } of readers) {
			try {
				const value = read(item);
				if (value !== undefined) params[name] = value;
			} catch (error) {
				fail(error);
			}
		}
		return params;
	};
}

function fieldReader(context: ParamsContext, field: Field, prefix: string): Reader {
	const path = prefix + field.name;
	const get = (item: number, rawExpressions: boolean): unknown =>
		context.getNodeParameter(path, item, field.default, { rawExpressions, skipValidation: true });
	const saved = get(0, true);
	if (field.type === 'resourceMapper') return columnsReader(context, field, saved);
	if (field.type === 'collection') {
		const options = (field.options as readonly Field[])
			.filter(({ name }) => isJsonObject(saved) && saved[name] !== undefined)
			.map((option) => ({ role: field.role, across: field.across, ...option }));
		return paramsReader(context, options, `${path}.`);
	}
	const isExpression = holdsExpression(saved);
	const mayBeEmpty = field.role === 'adds' || (field.role === 'filters' && isFromModel(saved));
	const needsValue = field.required || (isExpression && !mayBeEmpty);
	const isOption = prefix !== '';
	const read: Reader = (item) => {
		const value = get(item, false);
		if (lacksValue(value, isExpression)) {
			if (needsValue) throw emptyField(field, isExpression);
			// An expression may evaluate to an empty text, to empty what is stored.
			const empties =
				field.role === 'adds' && isExpression && value !== undefined && value !== null;
			if (isOption && !empties) return undefined;
		}
		return readValue(field, value, saved);
	};
	if (isExpression && field.across !== 'first') return read;
	let same: unknown;
	return () => (same ??= read(0));
}

/** Does not evaluate the schema, which can be long and contains no expressions. */
function columnsReader(context: ParamsContext, field: Field, saved: unknown): Reader {
	const columns: JsonObject = isJsonObject(saved) ? saved : { mappingMode: saved };
	const { mappingMode = 'defineBelow', schema, value } = columns;
	const isAutomatic = mappingMode === 'autoMapInputData';
	const valuesOf: Reader = (item) => {
		if (isAutomatic) return context.getInputData()[item]?.json;
		if (mappingMode !== 'defineBelow') return mappingMode;
		if (value === undefined || value === null) return {};
		return context.getNodeParameter(`${field.name}.value`, item, {}, { skipValidation: true });
	};
	return (item): MappedColumns => {
		const values = valuesOf(item);
		if (isJsonObject(values)) {
			return { isAutomatic, values, schema: Array.isArray(schema) ? schema : [] };
		}
		throw wrongValue(field.displayName, values, 'a value for each column');
	};
}

function emptyField({ across, displayName, role }: Field, isExpression: boolean): InputProblem {
	const what = isExpression ? 'is empty: its expression has no value for this item' : 'is empty';
	const risk =
		role === 'filters' ? 'Without this filter, the node could return all contacts. ' : '';
	const where = across === 'first' ? ' in the first item' : '';
	return new InputProblem(
		`'${displayName}' ${what}`,
		`${risk}Fill in this field, or remove it if it is optional. If it holds an expression, each field that it reads must exist and have a value${where}.`,
	);
}
