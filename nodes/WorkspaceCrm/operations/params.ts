import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject, readJsonObject, type JsonObject } from '../domain/json';
import { readNames } from '../domain/names';
import { InputProblem, wrongValue } from '../domain/problem';
import type { Field, MappedColumns, Reference, NameValue } from './define';

/** What gives a node's saved parameters, and what the expressions in them come to. */
export type ParamsContext = Pick<
	IExecuteFunctions,
	'evaluateExpression' | 'getInputData' | 'getNodeParameter'
>;

/** Gives a value for an input item, by the item's index. */
type Reader<T = unknown> = (item: number) => T;

/**
 * Reads the values of fields, checked and in the types that `Params` promises. The saved parameters
 * are looked at once; for each item, only expressions are evaluated.
 *
 * @param prefix the path of the collection that the fields are in, with a dot
 * @returns a function of an item's index. It throws an InputProblem that names the field and says
 * what it should hold.
 */
export function paramsReader(
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
		return context.getNodeParameter(path, item, field.default as never, options);
	};
	const saved = get(0, true);
	if (field.type === 'resourceMapper') return columnsReader(context, field, saved);
	if (field.type === 'collection') {
		const options = (field.options as readonly Field[])
			.filter(({ name }) => isJsonObject(saved) && saved[name] !== undefined)
			.map((option) => ({ role: field.role, perRun: field.perRun, ...option }));
		return paramsReader(context, options, `${path}.`);
	}
	const parts = partsOf(field, saved);
	const read = (item: number) => {
		const isCut = parts.some((part) => isBlank(context.evaluateExpression(part, item), NOTHING));
		if (isCut) throw empty(field, 'is set by an expression, a part of which gives nothing');
		const evaluated = get(item);
		if (prefix && isUnset(field, evaluated, saved)) return undefined;
		const value = readValue(field, evaluated, saved);
		if (field.required && isBlank(value)) throw empty(field, 'is empty');
		return value;
	};
	if (!field.perRun && holdsExpression(saved)) return read;
	let same: { value: unknown } | undefined;
	return () => (same ??= { value: read(0) }).value;
}

/** The schema of columns, which can be long and holds no expressions, is not evaluated. */
function columnsReader(context: ParamsContext, field: Field, saved: unknown): Reader {
	const { mappingMode = 'defineBelow', schema, value } = isJsonObject(saved) ? saved : {};
	const isAutomatic = mappingMode === 'autoMapInputData';
	const isUsable = typeof saved !== 'string' && (isAutomatic || mappingMode === 'defineBelow');
	return (item): MappedColumns => {
		if (!isUsable) throw wrongValue(field.displayName, saved, 'a value for each column');
		const mapped: unknown = isAutomatic
			? context.getInputData()[item].json
			: context.getNodeParameter(`${field.name}.value`, item, {}, { skipValidation: true });
		if (!isAutomatic && lacksValue(field, mapped, value)) throw empty(field);
		return {
			isAutomatic,
			values: isJsonObject(mapped) ? mapped : {},
			schema: Array.isArray(schema) ? schema : [],
		};
	};
}

function readValue(field: Field, value: unknown, saved: unknown): unknown {
	if (lacksValue(field, value, saved)) throw empty(field);
	if (field.accepts === 'any') return value;
	if (field.accepts === 'names') return readNames(value, field.displayName);
	const read = READERS[field.type] ?? readText;
	return read(field, value, saved);
}

/** Reads and checks the value of a field, from the result of its expression and from the saved text. */
type FieldReader = (field: Field, value: unknown, saved: unknown) => unknown;

/** By the type of the field; all others hold text. */
const READERS: Partial<Record<Field['type'], FieldReader>> = {
	boolean: readBoolean,
	fixedCollection: readNameValues,
	json: ({ displayName }, value) => readJsonObject(value, displayName),
	number: readWholeNumber,
	options: readChoice,
	resourceLocator: readReference,
};

/**
 * Whether a field of a collection is left blank, which erases nothing. An expression that comes to
 * an empty text is meant; one that the model of an AI agent fills in may leave a filter empty.
 */
function isUnset(field: Field, value: unknown, saved: unknown): boolean {
	if (!lacksValue(field, value, saved)) return !isGiven(value, saved);
	return field.role === 'filters' && FROM_MODEL.test(JSON.stringify(saved));
}

/** A saved locator, or what an expression in its place gave: a plain text or number is an ID. */
function readReference(field: Field, value: unknown): Reference {
	if (!isJsonObject(value)) return { mode: 'id', value: readText(field, value).trim() };
	const mode = typeof value.mode === 'string' ? value.mode : 'id';
	return { mode, value: readText(field, value.value).trim() };
}

/**
 * Rows of names, typed or chosen from a list, and values; blank ones are left out, as in a
 * collection.
 */
function readNameValues(field: Field, value: unknown, saved: unknown): NameValue[] {
	const rows = (readJsonObject(value, field.displayName) ?? {}).values ?? [];
	if (!Array.isArray(rows)) throw wrongValue(field.displayName, value, 'rows of names and values');
	const savedRows = below(saved, 'values');
	return rows.flatMap((row: unknown, index) => {
		if (!isJsonObject(row)) throw wrongValue(field.displayName, row, 'rows of names and values');
		const name = readReference(field, row.name).value;
		const savedRow = Array.isArray(savedRows) ? (savedRows[index] as unknown) : savedRows;
		if (name === '' || !isGiven(row.value, below(savedRow, 'value'))) return [];
		return [{ name, value: row.value }];
	});
}

/** The saved value under a name, or the expression that stands for all values. */
function below(saved: unknown, name: string): unknown {
	return isJsonObject(saved) ? saved[name] : saved;
}

/** An expression in which nothing stands is blank, too. */
function isGiven(value: unknown, saved: unknown): boolean {
	if (value === undefined || value === null) return false;
	return value !== '' || (saved !== '=' && holdsExpression(saved));
}

function holdsExpression(saved: unknown): boolean {
	if (typeof saved === 'string') return saved.startsWith('=');
	return typeof saved === 'object' && saved !== null && Object.values(saved).some(holdsExpression);
}

/** Whether an expression gives nothing where that would widen what is done. */
function lacksValue(field: Field, value: unknown, saved: unknown): boolean {
	if (field.role === 'adds' || !holdsExpression(saved)) return false;
	if (isBlank(value, NOTHING)) return true;
	return field.accepts === 'names' && readNames(value, field.displayName).length === 0;
}

/**
 * The parts of an expression such as `={{ $json.a }}-{{ $json.b }}`. Each has to give something,
 * because the rest alone means something else: a prefix becomes shorter, and matches more.
 */
function partsOf({ role }: Field, saved: unknown): string[] {
	const isGuard = role !== 'adds' && holdsExpression(saved);
	const text = isGuard ? String(below(saved, 'value')) : '';
	const parts: string[] = text.match(/(?<!\\)\{\{.*?(?<!\\)\}\}/gs) ?? [];
	if (text.slice(1).trim() === parts[0]) return [];
	return parts.filter((part) => role !== 'filters' || !FROM_MODEL.test(part));
}

/** What stands in expressions that the model of an AI agent fills in. */
const FROM_MODEL = /\$fromAI\b/i;

/** What an expression comes to if all that it joins is missing, such as "undefined undefined". */
const NOTHING = /undefined|null|NaN|\[object Object\]|[\s,]/g;

function isBlank(value: unknown, blank = /\s/g): boolean {
	const content = isJsonObject(value) && 'value' in value ? value.value : value;
	if (Array.isArray(content)) return content.every((entry) => isBlank(entry, blank));
	if (content === undefined || content === null) return true;
	return typeof content !== 'object' && String(content).replace(blank, '') === '';
}

function readText(field: Field, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	throw wrongValue(field.displayName, value, 'text');
}

function readWholeNumber(field: Field, value: unknown): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	const minimum = field.typeOptions?.minValue ?? -Infinity;
	if (Number.isSafeInteger(number) && (number as number) >= minimum) return number as number;
	throw wrongValue(field.displayName, value, `a whole number, ${minimum} or more`);
}

function readBoolean(field: Field, value: unknown): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw wrongValue(field.displayName, value, 'true or false');
}

function readChoice(field: Field, value: unknown): unknown {
	const values = (field.options as ReadonlyArray<{ value: unknown }>).map((option) => option.value);
	if (values.includes(value)) return value;
	throw wrongValue(field.displayName, value, `one of: ${values.join(', ')}`);
}

function empty(field: Field, problem = 'is set by an expression that gives nothing'): InputProblem {
	const { displayName, perRun, role } = field;
	const risk =
		role === 'filters' ? 'Without this filter, the node could return all contacts. ' : '';
	return new InputProblem(
		`'${displayName}' ${problem}`,
		`${risk}Fill it in, or remove it if it is optional. If it holds an expression, check that each field that the expression reads exists and has a value in ${perRun ? 'the first' : 'this'} item.`,
	);
}
