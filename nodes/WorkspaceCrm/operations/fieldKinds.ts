import type { INodeProperties } from 'n8n-workflow';

import { dropNothings, isJsonObject, isNothing, NoValue } from '../domain/plainData';
import { readJsonObject, withoutControl } from '../domain/typedValues';
import { InputProblem, wrongValue } from '../domain/inputProblem';
import { asName, asStored } from '../domain/sameText';
import type { Cell } from './cell';

/** A field of an operation: n8n's description of it, and how to read its value. */
export type Field = Readonly<Omit<INodeProperties, 'displayOptions' | 'options'>> & {
	/** Shown only while another field of the same operation has one of these values. */
	readonly showWhen?: Readonly<Record<string, ReadonlyArray<string | boolean>>>;
	readonly options?: readonly unknown[];
	/**
	 * `names`: comma-separated text or an array. `yesNo`: as a boolean; undefined if it is blank. `exactText`:
	 * with the blanks at its ends. `any`: of any type, for the operation to read. `message`: as its type says, but people read it, so no part
	 * of a text may be blank.
	 */
	readonly accepts?: 'names' | 'yesNo' | 'exactText' | 'any' | 'message';
	/**
	 * Whether the field is left out if its expression evaluates to nothing, or if it is an option and blank. By default
	 * that is an error, because without a limit or a filter the node would do more than the user wants; but the model of
	 * an AI agent may leave everything out that is not required. Fields of a collection inherit this.
	 */
	readonly mayBeNothing?: boolean;
	/**
	 * Whether each item has its own value, the default, or the value of the first item applies to all.
	 * Fields of a collection inherit this, too.
	 */
	readonly across?: 'each' | 'first';
	/** Whether it must have a value, also from a model; an option, once it is added. */
	readonly required?: boolean;
};

/** The value of a resource locator; `mode` is how the user chose the record. */
interface Reference {
	mode: string;
	value: string;
}

/** The value of a resource mapper. */
export interface MappedColumns {
	/** Whether the cells are the item's own fields, by their names, instead of columns, by their IDs. */
	isAutomatic: boolean;
	/** Those that are not nothing. */
	cells: ReadonlyMap<string, Cell>;
	/** The columns at the time the workflow was saved. */
	schema: ReadonlyArray<{ id: string; displayName?: string; type?: string }>;
}

/** One row of a fixedCollection of names and values. */
export interface NameValue {
	name: string;
	value: unknown;
}

/**
 * Reads the value of each kind of field: a blank one of its type if it is nothing, or undefined. The kind is `accepts`,
 * or else `type`. TypeScript infers the types of parameters from this table.
 *
 * All throw an InputProblem that names the field and the expected value.
 */
const READERS = {
	any: (cell) => cell.given(),
	boolean: readBoolean,
	dateTime: readDateTime,
	exactText: (cell) => cell.exactText(),
	fixedCollection: readNameValues,
	json: (cell) => cell.json(),
	names: (cell) => cell.names(),
	number: readWholeNumber,
	options: readOption,
	resourceLocator: readReference,
	string: (cell) => cell.text(),
	yesNo: (cell) => cell.yesNo(),
} satisfies Record<string, (cell: Cell, field: Field) => unknown>;

type Readers = typeof READERS;

/** Types that have no blank value. */
export const NEVER_BLANK: readonly string[] = [
	'boolean',
	'number',
	'options',
] satisfies NeverBlank[];
type NeverBlank = 'boolean' | 'number' | 'options';

/** The type of a field's value. Three kinds depend on more than the kind. */
type ValueOf<F> = F extends { accepts: infer K extends keyof Readers }
	? ReturnType<Readers[K]>
	: F extends { type: 'options'; options: ReadonlyArray<{ value: infer V }> }
		? V
		: F extends { type: 'collection'; options: ReadonlyArray<infer O> }
			? Partial<ParamsOf<O>>
			: F extends { type: 'resourceMapper' }
				? MappedColumns
				: F extends { type: infer K extends NeverBlank }
					? NonNullable<ReturnType<Readers[K]>>
					: F extends { type: infer K extends keyof Readers }
						? ReturnType<Readers[K]>
						: never;

type ParamsOf<F> = { [K in Extract<F, Field> as K['name']]: ValueOf<K> };

/** The typed values of fields, by field name. */
export type Params<F extends readonly Field[]> = ParamsOf<F[number]>;

/** @returns undefined, or a blank value of its type, if it is nothing */
export function readField(field: Field, cell: Cell): unknown {
	if (cell.value instanceof NoValue) cell.given();
	const kind = kindOf(field);
	const read: (cell: Cell, field: Field) => unknown =
		kind in READERS ? READERS[kind as keyof Readers] : READERS.string;
	return read(cell, field);
}

/** Whether what `readField` returns is nothing. */
export function isBlank(value: unknown): boolean {
	return isNothing(isReference(value) ? value.value : value);
}

const isReference = (value: unknown): value is Reference =>
	isJsonObject(value) && typeof value.mode === 'string' && 'value' in value;

function kindOf({ accepts, type }: Field): string {
	return accepts === undefined || accepts === 'message' ? type : accepts;
}

/**
 * Reads a locator. An expression may replace it with a plain text or number, which is an ID. Values from
 * the list stay as they are.
 */
function readReference(cell: Cell): Reference {
	const { value } = cell;
	if (!isJsonObject(value)) return { mode: 'id', value: asName(cell.text()) };
	const mode = typeof value.mode === 'string' ? value.mode : 'id';
	const part = cell.part('value');
	if (mode !== 'list') return { mode, value: asName(part.text(ONE_RECORD)) };
	const chosen = part.asChosen().exactText(ONE_RECORD);
	return { mode, value: asStored(chosen) === '' ? '' : chosen };
}

const ONE_RECORD = 'a text or number that names one record, such as {{ $json.id }} gives';

/** Reads rows of names and values, and leaves out those without a value. Names may be locators. */
function readNameValues(cell: Cell): NameValue[] {
	const { label, value } = cell;
	const expected = 'rows of names and values';
	const rows = readJsonObject(value ?? {}, label)?.values ?? [];
	if (!Array.isArray(rows)) throw wrongValue(label, value, expected);
	return rows.flatMap((row: unknown, index) => {
		if (!isJsonObject(row)) throw wrongValue(label, row, expected);
		const rowCell = cell.part('values').part(String(index));
		const { value: name } = readReference(rowCell.part('name'));
		const part = rowCell.part('value').as(`${label}: ${name}`);
		const given = (isJsonObject(row.value) ? part.with(dropNothings(row.value)) : part).given();
		if (given === undefined) return [];
		if (typeof given === 'string') withoutControl(asStored(given), part.label);
		if (name !== '') return [{ name, value: given }];
		throw new InputProblem(
			`'${label}' has a value without a name`,
			'Choose or enter a name in each row, or remove the row.',
		);
	});
}

/** Returns texts unchanged; expressions may also evaluate to Date or luxon objects. */
function readDateTime(cell: Cell): string {
	const text = cell.given() ?? '';
	if (typeof text === 'string') return text;
	throw wrongValue(cell.label, text, 'a date and time, such as 2030-01-31T18:00');
}

function readWholeNumber(cell: Cell, { typeOptions }: Field): number | undefined {
	const value = cell.given();
	const number = typeof value === 'string' ? Number(value) : value;
	const minimum = typeOptions?.minValue ?? -Infinity;
	if (number === undefined) return undefined;
	if (typeof number === 'number' && Number.isSafeInteger(number) && number >= minimum) {
		return number;
	}
	throw wrongValue(cell.label, value, `a whole number, ${minimum} or more`);
}

function readBoolean(cell: Cell): boolean | undefined {
	const value = cell.given();
	if (value === undefined) return undefined;
	if (value === true || value === 'true') return true;
	if (value === false || value === 'false') return false;
	throw wrongValue(cell.label, value, 'true or false');
}

function readOption(cell: Cell, { options }: Field): unknown {
	const value = cell.given();
	const values = (options as ReadonlyArray<{ value: unknown }>).map((option) => option.value);
	if (value === undefined || values.includes(value)) return value;
	throw wrongValue(cell.label, value, `one of: ${values.join(', ')}`);
}
