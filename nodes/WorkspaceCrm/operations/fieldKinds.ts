import type { INodeProperties } from 'n8n-workflow';

import { dropNothings, isJsonObject, type JsonObject, tryParseJson } from '../domain/json';
import {
	checkJson,
	readAsText,
	readJsonObject,
	readNames,
	readYesNo,
	turningWord,
} from '../domain/typedValues';
import { InputProblem, wrongValue } from '../domain/problem';
import { tidy, trimmed } from '../domain/text';
import {
	givenValue,
	holdsCode,
	holdsExpression,
	isFromModel,
	onlyCodeOf,
	partOf,
	type Origin,
} from './given';

/** A field of an operation: n8n's description of it, and how to read its value. */
export type Field = Readonly<Omit<INodeProperties, 'displayOptions' | 'options'>> & {
	/** Shown only while another field of the same operation has one of these values. */
	readonly showWhen?: Readonly<Record<string, ReadonlyArray<string | boolean>>>;
	readonly options?: readonly unknown[];
	/**
	 * `names`: comma-separated text or an array. `yesNo`: as a boolean; undefined if it is blank. `exactText`:
	 * with the blanks at its ends. `any`: unchecked. `message`: as its type says, but people read it, so no part
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
	/** Whether the keys of `values` are the item's field names instead of column IDs. */
	isAutomatic: boolean;
	values: JsonObject;
	/** The values as the workflow holds them, by column ID: expressions begin with `=`. */
	saved: unknown;
	/** The columns at the time the workflow was saved. */
	schema: ReadonlyArray<{ id: string; displayName?: string; type?: string }>;
}

/** One row of a fixedCollection of names and values. */
export interface NameValue {
	name: string;
	value: unknown;
}

/**
 * Reads the value of each kind of field, once it is not nothing. The kind is `accepts`, or else `type`.
 * TypeScript infers the types of parameters from this table.
 *
 * All throw an InputProblem that names the field and the expected value.
 */
const READERS = {
	any: (_field: Field, value: unknown) => value,
	boolean: readBoolean,
	dateTime: readDateTime,
	exactText: readExactText,
	fixedCollection: readNameValues,
	json: ({ displayName }: Field, value: unknown) => readJsonObject(value, displayName),
	names: readList,
	number: readWholeNumber,
	options: readOption,
	resourceLocator: readReference,
	string: readText,
	yesNo: readYesNoField,
} satisfies Record<string, (field: Field, value: unknown, origin: Origin) => unknown>;

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

/** @param given from `givenIn` */
export function readValue(field: Field, given: unknown, origin: Origin): unknown {
	const kind = kindOf(field);
	const read = kind in READERS ? READERS[kind as keyof Readers] : readText;
	return read(field, given, origin);
}

function kindOf({ accepts, type }: Field): string {
	return accepts === undefined || accepts === 'message' ? type : accepts;
}

/**
 * What a field is given: undefined if nothing. Lists are without entries that are nothing.
 *
 * @throws InputProblem for a leftover of an expression without a value
 */
export function givenIn(field: Field, value: unknown, origin: Origin): unknown {
	const partIn = (part: unknown, name: string, isChosen = false) => {
		const saved = partOf(origin.saved, name);
		return givenValue(part, { ...origin, saved: isChosen ? expressionIn(saved) : saved });
	};
	switch (kindOf(field)) {
		case 'fixedCollection':
			// Its reader asks for each row.
			return value;
		case 'json':
			// In the text of a JSON object, null is no leftover.
			return givenValue(typeof value === 'string' ? (tryParseJson(value) ?? value) : value, {
				...origin,
				saved: holdsCode(origin.saved) ? origin.saved : expressionIn(origin.saved),
			});
		case 'names': {
			if (!Array.isArray(value)) return givenValue(value, origin);
			const entries = value.map((entry, index) => partIn(entry, String(index), true));
			const given = entries.filter((entry) => entry !== undefined);
			return given.length > 0 ? given : undefined;
		}
		case 'resourceLocator': {
			if (!isJsonObject(value)) return givenValue(value, origin);
			const given = partIn(value.value, 'value', value.mode === 'list');
			return given === undefined ? undefined : { ...value, value: given };
		}
		default:
			return givenValue(value, origin);
	}
}

/** What was chosen from a list is as the service has it, even with braces. */
function expressionIn(saved: unknown): unknown {
	return holdsExpression(saved) ? saved : undefined;
}

/**
 * Reads a locator. An expression may replace it with a plain text or number, which is an ID. Values from
 * the list are not trimmed.
 */
function readReference(field: Field, value: unknown): Reference {
	if (!isJsonObject(value)) return { mode: 'id', value: tidy(readText(field, value)) };
	const mode = typeof value.mode === 'string' ? value.mode : 'id';
	const text = trimmed(readAsText(value.value ?? '', field.displayName, ONE_RECORD));
	const isChosen = mode === 'list' && text !== '';
	return { mode, value: isChosen ? String(value.value) : tidy(text) };
}

const ONE_RECORD = 'a text or number that names one record, such as {{ $json.id }} gives';

/** Names chosen from a list stay as the service has them. */
function readList({ displayName }: Field, value: unknown, { saved }: Origin): string[] {
	const isChosen = Array.isArray(saved) && !holdsExpression(saved);
	return readNames(value, displayName, isChosen ? String : tidy);
}

/** Reads rows of names and values, and leaves out those without a value. Names may be locators. */
function readNameValues(field: Field, value: unknown, origin: Origin): NameValue[] {
	const expected = 'rows of names and values';
	const rows = readJsonObject(value ?? {}, field.displayName)?.values ?? [];
	if (!Array.isArray(rows)) throw wrongValue(field.displayName, value, expected);
	const savedRows = partOf(origin.saved, 'values');
	return rows.flatMap((row: unknown, index) => {
		if (!isJsonObject(row)) throw wrongValue(field.displayName, row, expected);
		const saved = partOf(savedRows, String(index));
		const nameOrigin = { ...origin, saved: partOf(saved, 'name') };
		const { value: name } = readReference(field, givenIn(ROW_NAME, row.name, nameOrigin));
		const label = `${field.displayName}: ${name}`;
		const part = isJsonObject(row.value) ? dropNothings(row.value) : row.value;
		const given = givenValue(part, { ...origin, saved: partOf(saved, 'value'), label });
		if (given === undefined) return [];
		if (name !== '') return [{ name, value: given }];
		throw new InputProblem(
			`'${field.displayName}' has a value without a name`,
			'Choose or enter a name in each row, or remove the row.',
		);
	});
}

const ROW_NAME: Field = { displayName: 'Name', name: 'name', type: 'resourceLocator', default: '' };

function readText(field: Field, value: unknown): string {
	return trimmed(readExactText(field, value));
}

function readExactText(field: Field, value: unknown): string {
	if (value === undefined || value === null) return '';
	return readAsText(value, field.displayName);
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

/** Undefined if it is blank. */
function readYesNoField({ displayName }: Field, value: unknown, { saved }: Origin) {
	const remedy = () => {
		const code = onlyCodeOf(saved);
		return code === undefined || isFromModel(saved) ? '' : turningWord(code, value);
	};
	return value === undefined ? undefined : readYesNo(displayName, value, remedy);
}

function readOption(field: Field, value: unknown): unknown {
	const values = (field.options as ReadonlyArray<{ value: unknown }>).map((option) => option.value);
	if (values.includes(value)) return value;
	throw wrongValue(field.displayName, value, `one of: ${values.join(', ')}`);
}
