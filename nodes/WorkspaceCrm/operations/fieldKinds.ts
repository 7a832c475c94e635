import type { INodeProperties } from 'n8n-workflow';

import { isBlank, isJsonObject, readJsonObject, type JsonObject } from '../domain/json';
import { readNames } from '../domain/names';
import { wrongValue } from '../domain/problem';
import { readYesNo } from '../domain/yesNo';
import { isGiven, partOfSaved } from './expressions';

/** A field of an operation: n8n's own description of it, and how its value is read. */
export type Field = Readonly<Omit<INodeProperties, 'displayOptions' | 'options'>> & {
	/** Shown only while another field of the same operation has one of these values. */
	readonly showWhen?: Readonly<Record<string, ReadonlyArray<string | boolean>>>;
	readonly options?: readonly unknown[];
	/**
	 * `names`: comma-separated text or an array. `yesNo`: as a boolean; undefined if
	 * it is blank.
	 * `any`: whatever the user gave, not looked at.
	 */
	readonly accepts?: 'names' | 'yesNo' | 'any';
	/**
	 * What becomes of the field if its expression gives nothing. `guards`, the default: it narrows what
	 * is done or guards it, so that is an error. `filters`: it is an error too, but the model of an AI
	 * agent may leave it empty. `adds`: without a value, nothing is sent. A collection says it for the
	 * fields in it that do not say it themselves.
	 */
	readonly role?: 'guards' | 'filters' | 'adds';
	/**
	 * How the values of several items go together. `each`, the default: each item has its own. `first`:
	 * that of the first item counts for all. `same`: they have to agree. `varies`: a fixed value for several
	 * items is an error. A collection says it in the same way as its role.
	 */
	readonly across?: 'each' | 'first' | 'same' | 'varies';
	/** Whether an option that was added has to have a value: left blank, it does not count as not added. */
	readonly neverBlank?: boolean;
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
	schema: ReadonlyArray<{ id: string; displayName?: string; type?: string }>;
}

/** One row of a fixedCollection of names and values. */
export interface NameValue {
	name: string;
	value: unknown;
}

/**
 * The kinds of fields, and how the value of each is read: from what its expression gives, and from
 * what is saved. The kind of a field is what it `accepts`, or else its `type`. The types that
 * operations see follow from this table.
 *
 * All throw an InputProblem that names the field and says what it should hold.
 */
const READERS = {
	any: (_field: Field, value: unknown) => value,
	boolean: readBoolean,
	dateTime: readDateTime,
	fixedCollection: readNameValues,
	json: ({ displayName }: Field, value: unknown) => readJsonObject(value, displayName),
	names: ({ displayName }: Field, value: unknown) => readNames(value, displayName),
	number: readWholeNumber,
	options: readChoice,
	resourceLocator: readReference,
	string: readText,
	yesNo: ({ displayName }: Field, value: unknown) =>
		isBlank(value) ? undefined : readYesNo(displayName, value),
} satisfies Record<string, (field: Field, value: unknown, saved: unknown) => unknown>;

type Readers = typeof READERS;

/** The type of a field's value; three kinds take theirs from more than the kind. */
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

/** The values of fields, by their names, with their types. */
export type Params<F extends readonly Field[]> = ParamsOf<F[number]>;

/** @param saved the field as the workflow holds it, where expressions are still text */
export function readValue(field: Field, value: unknown, saved: unknown): unknown {
	const kind = field.accepts ?? field.type;
	const read = kind in READERS ? READERS[kind as keyof Readers] : readText;
	return read(field, value, saved);
}

/** A saved locator, or what an expression in its place gave: a plain text or number is an ID. What was chosen from the list is not trimmed. */
function readReference(field: Field, value: unknown): Reference {
	if (!isJsonObject(value)) return { mode: 'id', value: readText(field, value).trim() };
	const mode = typeof value.mode === 'string' ? value.mode : 'id';
	const text = readText(field, value.value);
	return { mode, value: mode === 'list' && text.trim() !== '' ? text : text.trim() };
}

/** Rows of names, typed or chosen from a list, and values. Blank ones are left out. */
function readNameValues(field: Field, value: unknown, saved: unknown): NameValue[] {
	const expected = 'rows of names and values';
	const rows = (readJsonObject(value, field.displayName) ?? {}).values ?? [];
	if (!Array.isArray(rows)) throw wrongValue(field.displayName, value, expected);
	const savedRows = partOfSaved(saved, 'values');
	return rows.flatMap((row: unknown, index) => {
		if (!isJsonObject(row)) throw wrongValue(field.displayName, row, expected);
		const name = readReference(field, row.name).value;
		const savedRow: unknown = Array.isArray(savedRows) ? savedRows[index] : savedRows;
		if (name === '' || !isGiven(row.value, partOfSaved(savedRow, 'value'))) return [];
		return [{ name, value: row.value }];
	});
}

function readText(field: Field, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	throw wrongValue(field.displayName, value, 'text');
}

/** Texts stay as they are; n8n's expressions also give dates, and luxon's. */
function readDateTime(field: Field, value: unknown): string {
	const isLuxon = typeof value === 'object' && value !== null && 'toISO' in value;
	const luxon = isLuxon ? (value as { toISO: () => unknown }).toISO() : value;
	const text = luxon instanceof Date ? luxon.toJSON() : luxon;
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
