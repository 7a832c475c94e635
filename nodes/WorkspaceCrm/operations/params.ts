import type {
	IExecuteFunctions,
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isJsonObject, tooDeep, type JsonObject } from '../domain/json';
import { readNames } from '../domain/names';
import { InputProblem, shown, wrongValue } from '../domain/problem';
import type { Clock } from '../n8n/clock';
import { argumentsProblem } from '../n8n/toolCall';
import type { BulkItem } from './define';
import { givesNothing, holdsExpression, isEmpty, isFromModel, isGiven } from './expressions';
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

type TriggerContext = IHookFunctions | IPollFunctions | IWebhookFunctions;

/**
 * Reads the values of a trigger's fields, as for a first item: a trigger has no items.
 *
 * @throws InputProblem that names the field and the expected value
 */
export function readTriggerParams<const F extends readonly Field[]>(
	context: TriggerContext,
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
type Reader<T = unknown> = (item: number) => T;

/**
 * Reads and checks the values of fields, in the types of `Params`. Saved parameters are examined once;
 * for each item, only expressions are evaluated.
 *
 * @param prefix the path of the collection that the fields are in, with a dot
 * @returns a function of an item's index, which throws an InputProblem that names the field and the
 * expected value
 */
function paramsReader(
	context: ParamsContext,
	fields: readonly Field[],
	prefix = '',
): Reader<JsonObject> {
	const readers = fields.map((field) => [field.name, fieldReader(context, field, prefix)] as const);
	return (item) => {
		const values = readers.map(([name, read]) => [name, read(item)] as const);
		return Object.fromEntries(values.filter(([, value]) => value !== undefined));
	};
}

function fieldReader(context: ParamsContext, field: Field, prefix: string): Reader {
	const path = prefix + field.name;
	const get = (item: number, rawExpressions = false): unknown => {
		const options = { rawExpressions, skipValidation: true };
		return context.getNodeParameter(path, item, field.default, options);
	};
	const saved = get(0, true);
	if (field.type === 'resourceMapper') return columnsReader(context, field, saved);
	if (field.type === 'collection') {
		const options = (field.options as readonly Field[])
			.filter(({ name }) => isJsonObject(saved) && saved[name] !== undefined)
			.map((option) => ({ role: field.role, across: field.across, ...option }));
		return paramsReader(context, options, `${path}.`);
	}
	if (field.across === 'varies' && !holdsExpression(saved) && context.getInputData().length > 1) {
		return () => {
			throw sameForEach(field);
		};
	}
	const read = (item: number) => {
		const value = get(item);
		if (prefix && isUnset(field, value, saved)) return undefined;
		if (lacksValue(field, value, saved)) throw empty(field);
		const result = readValue(field, value, saved);
		if ((field.required || field.neverBlank) && isEmpty(result)) throw empty(field, 'is empty');
		return result;
	};
	if (field.across === 'same' && holdsExpression(saved)) return sameForAll(field, read);
	if (field.across !== 'first' && holdsExpression(saved)) return read;
	let same: { value: unknown } | undefined;
	return () => (same ??= { value: read(0) }).value;
}

/** Does not evaluate the schema, which can be long and contains no expressions. */
function columnsReader(context: ParamsContext, field: Field, saved: unknown): Reader {
	const { mappingMode = 'defineBelow', schema, value } = isJsonObject(saved) ? saved : {};
	const isAutomatic = mappingMode === 'autoMapInputData';
	const isUsable = typeof saved !== 'string' && (isAutomatic || mappingMode === 'defineBelow');
	return (item): MappedColumns => {
		if (!isUsable) throw wrongValue(field.displayName, saved, 'a value for each column');
		const mapped: unknown = isAutomatic
			? context.getInputData()[item]?.json
			: context.getNodeParameter(`${field.name}.value`, item, {}, { skipValidation: true });
		if (!isAutomatic && lacksValue(field, mapped, value)) throw empty(field);
		return {
			isAutomatic,
			values: isJsonObject(mapped) ? mapped : {},
			schema: Array.isArray(schema) ? schema : [],
		};
	};
}

/**
 * Whether to treat a field of a collection as not added: left blank, or a filter that the model of an AI
 * agent left empty. An expression that evaluates to an empty text counts as a value.
 */
function isUnset(field: Field, value: unknown, saved: unknown): boolean {
	if (field.neverBlank) return false;
	if (!lacksValue(field, value, saved)) return !isGiven(value, saved);
	return field.role === 'filters' && isFromModel(saved);
}

/** Whether an expression evaluates to nothing in a field that needs a value. */
function lacksValue(field: Field, value: unknown, saved: unknown): boolean {
	if (field.role === 'adds' || !holdsExpression(saved)) return false;
	if (givesNothing(value)) return true;
	return field.accepts === 'names' && readNames(value, field.displayName).length === 0;
}

/** @returns a reader that throws an InputProblem for the first item whose value differs */
function sameForAll({ displayName }: Field, read: Reader): Reader {
	let first: { value: unknown } | undefined;
	return (item) => {
		const value = read(item);
		first ??= { value };
		if (value === first.value) return value;
		throw new InputProblem(
			`'${displayName}' is ${shown(value)} here, and ${shown(first.value)} in an earlier item`,
			'It must be the same for all items. Enter a fixed text, or correct the expression.',
		);
	};
}

function sameForEach({ displayName }: Field): InputProblem {
	return new InputProblem(
		`'${displayName}' is the same for all items`,
		'Use an expression that reads a field of each item, such as {{ $json.id }}.',
	);
}

function empty(
	field: Field,
	problem = 'is empty: its expression has no value for this item',
): InputProblem {
	const { across, displayName, role } = field;
	const risk =
		role === 'filters' ? 'Without this filter, the node could return all contacts. ' : '';
	return new InputProblem(
		`'${displayName}' ${problem}`,
		`${risk}Fill in this field, or remove it if it is optional. If it holds an expression, each field that it reads must exist and have a value${across === 'first' ? ' in the first item' : ''}.`,
	);
}
