import type { IExecuteFunctions, IHookFunctions } from 'n8n-workflow';

import type { Clock } from '../crm/clock';
import { isJsonObject, plainEntries, plainValue, type JsonObject } from '../domain/plainData';
import { InputProblem, wrongValue, rethrow } from '../domain/inputProblem';
import { usable } from '../domain/typedValues';
import { argumentsProblem } from '../n8n/agents';
import { Cell, type Source } from './cell';
import type { BulkItem } from './define';
import {
	isBlank,
	NEVER_BLANK,
	readField,
	type Field,
	type MappedColumns,
	type Params,
} from './fieldKinds';
import { holdsExpression, isFromModel, partOf } from './savedValue';

/**
 * How many items to read before yielding. Reading one item between requests takes n8n about twice as
 * long per expression; thousands at once would block its event loop.
 */
const ITEMS_IN_ONE_GO = 100;

/**
 * Reads the fields of the items of an account, before the first request.
 *
 * @param items their indexes; fields that are the same for all of them are read from the first
 */
export async function readAll(
	context: IExecuteFunctions,
	fields: readonly Field[],
	{ clock, items }: { clock: Clock; items: readonly number[] },
): Promise<Array<BulkItem<JsonObject>>> {
	const done: Array<BulkItem<JsonObject>> = [];
	const read = paramsReader({ context, first: items[0] ?? 0 }, fields);
	const mixedUp = argumentsProblem(context);
	for (const item of items) {
		let problem: object | undefined = mixedUp;
		const params = read(item, (error) => {
			problem ??= error as object;
		});
		done.push({ item, params, problem });
		if (done.length % ITEMS_IN_ONE_GO === 0) await clock.sleep(0);
	}
	return done;
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
	const hookContext = {
		getNodeParameter: (name: string, _item: number, ...others: [unknown?, object?]) =>
			context.getNodeParameter(name, ...others),
		getInputData: () => [],
		evaluateExpression: (): never => {
			throw new Error('n8n promises it for actions only');
		},
	};
	const reader = paramsReader({ context: hookContext as ParamsContext, first: 0 }, fields);
	return reader(0) as Params<F>;
}

/** The part of n8n's context that reads saved and evaluated parameters. */
type ParamsContext = Pick<
	IExecuteFunctions,
	'evaluateExpression' | 'getInputData' | 'getNodeParameter'
>;

/** What fields are read from. */
interface Items {
	context: ParamsContext;
	/** The index of the item from which those fields are read that are the same for all. */
	first: number;
}

/** Returns a value for an input item, by its index. @throws InputProblem */
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
	items: Items,
	fields: readonly Field[],
	prefix = '',
): (item: number, fail?: (problem: unknown) => void) => JsonObject {
	const readers = fields.map((field) => ({
		name: field.name,
		read: fieldReader(items, field, prefix),
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

function fieldReader(items: Items, field: Field, prefix: string): Reader {
	const { context, first } = items;
	const path = prefix + field.name;
	const get = (item: number, rawExpressions: boolean): unknown => {
		try {
			const options = { rawExpressions, skipValidation: true };
			return context.getNodeParameter(path, item, field.default, options);
		} catch (error) {
			throw unreadable(field.displayName, error);
		}
	};
	const saved = get(first, true);
	if (field.type === 'resourceMapper') return columnsReader(context, field, saved);
	if (field.type === 'collection') {
		const options = (field.options as readonly Field[])
			.filter(({ name }) => isJsonObject(saved) && saved[name] !== undefined)
			.map((option) => ({ mayBeNothing: field.mayBeNothing, across: field.across, ...option }));
		const readOptions = paramsReader(items, options, `${path}.`);
		return (item) => readOptions(item);
	}
	const isExpression = holdsExpression(saved);
	const isOption = prefix !== '';
	const mayBeNothing = field.mayBeNothing || isFromModel(saved) || !(isExpression || isOption);
	const needsValue = field.required || !mayBeNothing;
	const read = (item: number) => {
		const source = sourceOf(context, field, saved, item);
		const value = readField(field, new Cell(plainValue(get(item, false)), source));
		if (!isBlank(value)) return value;
		if (needsValue) throw emptyField(field, isExpression, isOption);
		if (isOption) return undefined;
		if (!NEVER_BLANK.includes(field.type)) return value;
		if (!isExpression) throw emptyField(field, isExpression, isOption);
		return field.default;
	};
	if (isExpression && field.across !== 'first') return read;
	let same: unknown;
	return () => (same ??= read(first));
}

/** n8n's own error does not name the field. */
function unreadable(label: string, error: unknown): InputProblem {
	const [message, description] = ['message', 'description'].map((name) => textAt(error, name));
	const hint =
		'Correct the expression: its editor shows the result. A node that it reads must exist and have run. A function needs its brackets, as in {{ $json.name.trim() }}.';
	return new InputProblem(
		`n8n cannot evaluate the expression in '${label}'${message ? `: ${message}` : ''}`,
		description ? `${description} ${hint}` : hint,
	);
}

/** A text of what an expression has thrown, which may be anything. */
function textAt(error: unknown, name: string): string {
	try {
		const text = (error as JsonObject)[name];
		return typeof text === 'string' ? text : '';
	} catch {
		return '';
	}
}

function sourceOf(context: ParamsContext, field: Field, saved: unknown, item: number): Source {
	return {
		saved,
		label: field.displayName,
		needsAllParts: field.accepts === 'message' || field.accepts === 'exactText',
		evaluate: (expression) => context.evaluateExpression(expression, item),
	};
}

/** Does not evaluate the schema, which can be long and contains no expressions. */
function columnsReader(context: ParamsContext, field: Field, saved: unknown): Reader {
	const columns: JsonObject = isJsonObject(saved) ? saved : { mappingMode: saved };
	const { mappingMode = 'defineBelow', schema, value } = columns;
	const known = (Array.isArray(schema) ? schema : []) as MappedColumns['schema'];
	const isAutomatic = mappingMode === 'autoMapInputData';
	const cellsOf = (item: number): Array<[string, Cell]> => {
		if (isAutomatic) return ownCells(context.getInputData()[item]?.json ?? {});
		if (mappingMode !== 'defineBelow') throw noColumns(field, mappingMode);
		return mappedCells(context, field, { item, value, known });
	};
	return (item): MappedColumns => {
		const given = cellsOf(item).filter(([, cell]) => !cell.isNothing);
		// A message uses all of them, and is refused before another is sent.
		if (field.accepts === 'message') for (const [, cell] of given) cell.given();
		return { isAutomatic, cells: new Map(given), schema: known };
	};
}

/** The fields of an item. */
function ownCells(item: JsonObject): Array<[string, Cell]> {
	const entries = plainEntries(item) ?? [];
	return entries.map(([name, value]) => [name, new Cell(value, { label: name, isOwn: true })]);
}

/** What is mapped by hand, with expressions. */
function mappedCells(
	context: ParamsContext,
	field: Field,
	{ item, value, known }: { item: number; value: unknown; known: MappedColumns['schema'] },
): Array<[string, Cell]> {
	if (value === undefined || value === null) return [];
	const path = `${field.name}.value`;
	const get = (at: string) => context.getNodeParameter(at, item, {}, { skipValidation: true });
	const source = sourceOf(context, field, value, item);
	const labels = new Map(known.map(({ id, displayName = id }) => [id, displayName]));
	const cellOf = (id: string, read: () => unknown): Cell => {
		const label = labels.get(id) ?? id;
		const own = { ...source, saved: partOf(value, id), label };
		try {
			return new Cell(plainValue(read()), own);
		} catch (error) {
			return new Cell(undefined, { ...own, problem: (shown) => unreadable(shown, error) });
		}
	};
	let entered: unknown;
	try {
		entered = get(path);
	} catch (error) {
		if (!isJsonObject(value)) throw unreadable(field.displayName, error);
		// n8n evaluates all columns together, and does not say which it cannot.
		const readAlone = (id: string, part: unknown) =>
			holdsExpression(part) ? get(`${path}[${JSON.stringify(id)}]`) : part;
		return Object.entries(value).map(([id, part]) => [id, cellOf(id, () => readAlone(id, part))]);
	}
	const entries = plainEntries(entered);
	if (!entries) throw noColumns(field, entered);
	return entries.map(([id, each]) => [id, cellOf(id, () => each)]);
}

function noColumns(field: Field, value: unknown): InputProblem {
	const plain = usable(plainValue(value), field.displayName);
	return wrongValue(field.displayName, plain, 'a value for each column');
}

function emptyField(
	{ across, displayName, required }: Field,
	isExpression: boolean,
	isOption: boolean,
): InputProblem {
	const empty = `'${displayName}' is empty`;
	if (!isExpression)
		return new InputProblem(
			empty,
			isOption ? 'Give it a value, or remove it.' : 'Fill in this field.',
		);
	const where = across === 'first' ? ' in the first item' : '';
	const remedy = `Check that what the expression reads exists and has a value${where}.`;
	return new InputProblem(
		`${empty}: its expression has no value for this item`,
		required
			? remedy
			: `Without it, the node could do more than you want. ${remedy} If you do not need '${displayName}', clear or remove it.`,
	);
}
