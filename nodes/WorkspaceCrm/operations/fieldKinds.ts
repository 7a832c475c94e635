import type { INodeProperties } from 'n8n-workflow';

import { checkJson, isBlank, isJsonObject, readJsonObject, type JsonObject } from '../domain/json';
import { readNames, readYesNo } from '../domain/typedValues';
import { wrongValue } from '../domain/problem';
import { tidy } from '../domain/text';
import { holdsExpression } from './expressions';

/** A field of an operation: n8n's description of it, and how to read its value. */
export type Field = Readonly<Omit<INodeProperties, 'displayOptions' | 'options'>> & {
	/** Shown only while another field of the same operation has one of these values. */
	readonly showWhen?: Readonly<Record<string, ReadonlyArray<string | boolean>>>;
	readonly options?: readonly unknown[];
	/**
	 * `names`: comma-separated text or an array. `yesNo`: as a boolean; undefined if it is blank. `any`:
	 * unchecked.
	 */
	readonly accepts?: 'names' | 'yesNo' | 'any';
	/**
	 * What to do if the expression of the field evaluates to nothing. `guards`, the default: an error,
	 * because the node would do more than the user wants. `filters`: also an error, but the model of an AI
	 * agent may leave it empty. `adds`: send no value. Fields of a collection inherit its role.
	 */
	readonly role?: 'guards' | 'filters' | 'adds';
	/**
	 * Whether each item has its own value, the default, or the value of the first item applies to all.
	 * Fields of a collection inherit this, too.
	 */
	readonly across?: 'each' | 'first';
	/** Whether it must have a value; an option, once it is added. Other options left blank count as not added. */
	readonly required?: boolean;
};

/** The value of a resource locator; `mode` is how the user chose the record. */
export interface Reference {
	mode: string;
	value: string;
}

/** The value of a resource mapper. */
export interface MappedColumns {
	/** Whether the keys of `values` are the item's field names instead of column IDs. */
	isAutomatic: boolean;
	values: JsonObject;
	/** The columns at the time the workflow was saved. */
	schema: ReadonlyArray<{ id: string; displayName?: string; type?: string }>;
}

/** One row of a fixedCollection of names and values. */
export interface NameValue {
	name: string;
	value: unknown;
}

/**
 * Reads the value of each kind of field, from the evaluated and the saved value. The kind is `accepts`,
 * or else `type`. TypeScript infers the types of parameters from this table.
 *
 * All throw an InputProblem that names the field and the expected value.
 */
const READERS = {
	any: (_field: Field, value: unknown) => value,
	boolean: readBoolean,
	dateTime: readDateTime,
	fixedCollection: readNameValues,
	json: ({ displayName }: Field, value: unknown) => readJsonObject(value, displayName),
	names: readList,
	number: readWholeNumber,
	options: readChoice,
	resourceLocator: readReference,
	string: readText,
	yesNo: ({ displayName }: Field, value: unknown) =>
		isBlank(value) ? undefined : readYesNo(displayName, value),
} satisfies Record<string, (field: Field, value: unknown, saved: unknown) => unknown>;

type Readers = typeof READERS;

/** The type of a field's value. Three kinds depend on more than the kind. */
type ValueOf<F> = F extends { accepts: infer K extends keyof Readers }
	? ReturnType<Readers[K]>
	: F extends { type: 'options'; options: ReadonlyArray<{ value: infer V }> }
		? V
		: F extends { type: 'collection'; options: ReadonlyArray<infer O> }
			? Partial<ParamsOf<O>>
			: F extends { type: 'resourceMapper' }
				? MappedColumns
				: F extends { type: infer K extends keyof Readers }
					? ReturnType<Readers[K]>
					: never;

type ParamsOf<F> = { [K in Extract<F, Field> as K['name']]: ValueOf<K> };

/** The typed values of fields, by field name. */
export type Params<F extends readonly Field[]> = ParamsOf<F[number]>;

/** @param saved the field as the workflow holds it, where expressions are still text */
export function readValue(field: Field, value: unknown, saved: unknown): unknown {
	const kind = field.accepts ?? field.type;
	const read = kind in READERS ? READERS[kind as keyof Readers] : readText;
	return read(field, value, saved);
}

/**
 * Reads a locator. An expression may replace it with a plain text or number, which is an ID. Values from
 * the list are not trimmed.
 */
function readReference(field: Field, value: unknown): Reference {
	if (!isJsonObject(value)) return { mode: 'id', value: tidy(readText(field, value)) };
	const mode = typeof value.mode === 'string' ? value.mode : 'id';
	const text = readText(field, value.value);
	return { mode, value: mode === 'list' && tidy(text) !== '' ? text : tidy(text) };
}

/** Names chosen from a list stay as the service has them. */
function readList({ displayName }: Field, value: unknown, saved: unknown): string[] {
	const isChosen = Array.isArray(saved) && !holdsExpression(saved);
	return readNames(value, displayName, isChosen ? String : tidy);
}

/** Reads rows of names and values, and leaves blank ones out. Names may be locators. */
function readNameValues(field: Field, value: unknown, saved: unknown): NameValue[] {
	const expected = 'rows of names and values';
	const rows = (readJsonObject(value, field.displayName) ?? {}).values ?? [];
	if (!Array.isArray(rows)) throw wrongValue(field.displayName, value, expected);
	const savedRows = partOf(saved, 'values');
	return rows.flatMap((row: unknown, index) => {
		if (!isJsonObject(row)) throw wrongValue(field.displayName, row, expected);
		const name = readReference(field, row.name).value;
		const savedRow: unknown = Array.isArray(savedRows) ? savedRows[index] : savedRows;
		const { value } = row;
		// An expression may evaluate to an empty text, to empty what is stored.
		const isUnset = value === '' && !holdsExpression(partOf(savedRow, 'value'));
		if (name === '' || isUnset || value === undefined || value === null) return [];
		return [{ name, value }];
	});
}

/** A part of a saved value; or the whole expression, if one expression replaces all parts. */
function partOf(saved: unknown, name: string): unknown {
	return isJsonObject(saved) ? saved[name] : saved;
}

function readText(field: Field, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	throw wrongValue(field.displayName, value, 'text');
}

/** Returns texts unchanged; expressions may also evaluate to Date or luxon objects. */
function readDateTime(field: Field, value: unknown): string {
	const text = checkJson(value, field.displayName);
	if (typeof text === 'string') return text;
	if (text === undefined) return '';
	throw wrongValue(field.displayName, value, 'a date and time, such as 2030-01-31T18:00');
}

function readWholeNumber(field: Field, value: unknown): number {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	const minimum = field.typeOptions?.minValue ?? -Infinity;
	if (typeof number === 'number' && Number.isSafeInteger(number) && number >= minimum) {
		return number;
	}
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
