import type { IExecuteFunctions, NodeParameterValueType, ResourceMapperValue } from 'n8n-workflow';

import { isJsonObject, readJsonObject, type JsonObject } from '../domain/json';
import { readNames } from '../domain/list';
import { InputProblem, wrongValue } from '../domain/problem';
import type { Field, MappedColumns, Reference, Row } from './define';

/**
 * The values of an operation's fields for one item, checked and in the types that `Params` promises.
 *
 * @throws InputProblem that names the field and says what it should hold
 */
export function readParams(
	context: IExecuteFunctions,
	fields: readonly Field[],
	itemIndex: number,
): JsonObject {
	const params: JsonObject = {};
	for (const field of fields) {
		if (field.type === 'resourceMapper') {
			params[field.name] = readColumns(context, field, itemIndex);
			continue;
		}
		const read = (rawExpressions: boolean) =>
			context.getNodeParameter(field.name, itemIndex, field.default as NodeParameterValueType, {
				rawExpressions,
				skipValidation: true,
			}) as unknown;
		// What was typed matters only where something may be left blank.
		const raw = ['collection', 'fixedCollection'].includes(field.type) ? read(true) : undefined;
		const value = readValue(field, read(false), raw);
		if (field.required && isBlank(value)) throw missing(field);
		params[field.name] = value;
	}
	return params;
}

function readValue(field: Field, value: unknown, raw: unknown): unknown {
	if (field.accepts === 'any') return value;
	if (field.accepts === 'names') return readNames(value, field.displayName);
	switch (field.type) {
		case 'resourceLocator':
			return readReference(field, value);
		case 'collection':
			return readCollection(field, value, raw);
		case 'fixedCollection':
			return readRows(field, value, raw);
		case 'json':
			return readJsonObject(value, field.displayName);
		case 'number':
			return readWholeNumber(field, value);
		case 'boolean':
			return readBoolean(field, value);
		case 'options':
			return readOption(field, value);
		default:
			return readText(field, value);
	}
}

/**
 * What is mapped to columns, part by part: the schema, which can be long and holds no expressions,
 * is not resolved again for each item.
 */
function readColumns(
	context: IExecuteFunctions,
	{ name }: Field,
	itemIndex: number,
): MappedColumns {
	const read = (
		part: keyof ResourceMapperValue,
		fallback: string | object,
		rawExpressions = true,
	) =>
		context.getNodeParameter(`${name}.${part}`, itemIndex, fallback as NodeParameterValueType, {
			rawExpressions,
			skipValidation: true,
		}) as unknown;
	const isAutomatic = read('mappingMode', 'defineBelow') === 'autoMapInputData';
	const mapped = isAutomatic
		? context.getInputData()[itemIndex].json
		: read('value', {}) && read('value', {}, false);
	const schema = read('schema', []);
	return {
		isAutomatic,
		values: isJsonObject(mapped) ? mapped : {},
		schema: Array.isArray(schema) ? schema : [],
	};
}

/** A saved locator, or what an expression in its place gave: a plain text or number is an ID. */
function readReference(field: Field, value: unknown): Reference {
	if (!isJsonObject(value)) return { mode: 'id', value: readText(field, value).trim() };
	const mode = typeof value.mode === 'string' ? value.mode : 'id';
	return { mode, value: readText(field, value.value).trim() };
}

/**
 * The fields that the user added to a collection. One left blank is not given, so that it erases
 * nothing; an expression that comes to an empty text is meant.
 */
function readCollection(field: Field, value: unknown, raw: unknown): JsonObject {
	const given = readJsonObject(value, field.displayName) ?? {};
	const options = field.options as readonly Field[];
	const entries = options
		.filter(({ name }) => isGiven(given[name], rawOf(raw, name)))
		.map((option) => [option.name, readValue(option, given[option.name], rawOf(raw, option.name))]);
	return Object.fromEntries(entries) as JsonObject;
}

/**
 * Rows of names, typed or chosen from a list, and values; blank ones are left out, as in a
 * collection.
 */
function readRows(field: Field, value: unknown, raw: unknown): Row[] {
	const rows = (readJsonObject(value, field.displayName) ?? {}).values ?? [];
	if (!Array.isArray(rows)) throw notOfType(field, value, 'rows of names and values');
	const rawRows = rawOf(raw, 'values');
	return rows.flatMap((row: unknown, index) => {
		if (!isJsonObject(row)) throw notOfType(field, row, 'rows of names and values');
		const name = readReference(field, row.name).value;
		const rawRow = Array.isArray(rawRows) ? (rawRows[index] as unknown) : rawRows;
		if (name === '' || !isGiven(row.value, rawOf(rawRow, 'value'))) return [];
		return [{ name, value: row.value }];
	});
}

/** What was typed below `name`; where an expression stands for the whole, that expression. */
function rawOf(raw: unknown, name: string): unknown {
	return isJsonObject(raw) ? raw[name] : raw;
}

function isGiven(value: unknown, raw: unknown): boolean {
	if (value === undefined || value === null) return false;
	const isByExpression = typeof raw === 'string' && raw.startsWith('=');
	return value !== '' || isByExpression;
}

function isBlank(value: unknown): boolean {
	const content = isJsonObject(value) && 'value' in value ? value.value : value;
	if (Array.isArray(content)) return content.length === 0;
	return content === undefined || content === null || String(content).trim() === '';
}

function readText(field: Field, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	throw notOfType(field, value, 'text');
}

function readWholeNumber(field: Field, value: unknown): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	const minimum = field.typeOptions?.minValue ?? -Infinity;
	if (Number.isSafeInteger(number) && (number as number) >= minimum) return number as number;
	throw notOfType(field, value, `a whole number, ${minimum} or more`);
}

function readBoolean(field: Field, value: unknown): boolean {
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw notOfType(field, value, 'true or false');
}

function readOption(field: Field, value: unknown): unknown {
	const values = (field.options as ReadonlyArray<{ value: unknown }>).map((option) => option.value);
	if (values.includes(value)) return value;
	throw notOfType(field, value, `one of: ${values.join(', ')}`);
}

function notOfType({ displayName }: Field, value: unknown, expected: string): InputProblem {
	return wrongValue(displayName, value, expected);
}

function missing({ displayName }: Field): InputProblem {
	return new InputProblem(
		`'${displayName}' is empty`,
		'Fill it in. If it holds an expression, check that this item has the value it looks for.',
	);
}
