import {
	ATTRIBUTE,
	attributeColumn,
	CONTACT_COLUMNS,
	ID_COLUMN,
} from '../../../domain/contactColumns';
import {
	isBlank,
	checkJson,
	isJsonObject,
	type JsonObject,
	mergeJson,
	readJsonObject,
	toJson,
	tryParseJson,
} from '../../../domain/json';
import { readNames } from '../../../domain/names';
import { readCountry, readPhone } from '../../../domain/phone';
import { InputProblem, wrongValue } from '../../../domain/problem';
import type { NameValue } from '../../../operations/fieldKinds';
import { readContactId } from '../../contactId';
import { readAttributes } from '../attributes';
import type { ContactFields } from './rowFields';

/** A contact as one input item gives it. */
export interface Row {
	/** Empty if the item gives none, or none that can be read. */
	phone: string;
	/** Undefined if the item gives none, or none that can be read. */
	id?: string;
	/** Whether the library does not know the number: the service may, perhaps in another form. */
	isUnverified?: boolean;
	/** Another number that it could be, if it had lost its plus. */
	otherReading?: string;
	fields: ContactFields;
	/** Why nothing is sent for the item. */
	problem?: unknown;
}

/** What a row takes from the options of its item. */
export interface RowOptions {
	/** Laid over the attributes among the values of the columns. */
	attributes?: NameValue[];
	attributesJson?: JsonObject;
	/** Code or name of the country in which a national number is read. */
	defaultCountry?: string;
}

/**
 * Reads the row of an item. Blank values are left out, so that they erase nothing.
 *
 * @param values by the ids of the columns; `attributes` for several at once
 * @param types of the columns, by id: what a text in them is turned into
 * @param problem why other parameters of the item cannot be read
 */
export function readRow(
	values: JsonObject,
	options: RowOptions,
	types: RowTypes,
	problem?: unknown,
): Row {
	const row: Row = { phone: '', fields: {}, problem };
	const attempt = (read: () => Partial<Row>) => {
		const part = tryRead(read);
		if (part instanceof InputProblem) row.problem ??= part;
		else Object.assign(row, part);
	};
	attempt(() => ({ id: readRowId(values) }));
	attempt(() => readNumber(values, options));
	attempt(() => ({ fields: readFields(values, options, types) }));
	return row;
}

/** What `read` gives, or why it cannot be read. */
export function tryRead<T>(read: () => T): T | InputProblem {
	try {
		return read();
	} catch (error) {
		return asProblem(error);
	}
}

function asProblem(error: unknown): InputProblem {
	if (error instanceof InputProblem) return error;
	throw error;
}

function readRowId(values: JsonObject): string | undefined {
	if (isBlank(values.id)) return undefined;
	return readContactId(
		readText(ID_COLUMN.displayName, values.id),
		'Or leave it blank, and give a phone number.',
	);
}

function readNumber(values: JsonObject, { defaultCountry }: RowOptions): Partial<Row> {
	if (isBlank(values.phone) && !isBlank(values.id)) return {};
	if (isBlank(values.phone)) {
		throw new InputProblem(
			"'Phone' is empty",
			"Every item needs a phone number or the ID of a contact. Map a value to the column 'Phone'. If you map automatically, rename the column of your sheet to 'phone'.",
		);
	}
	const { number, isValid, otherReading } = readPhone(values.phone, readCountry(defaultCountry));
	return { phone: number, ...(isValid ? { otherReading } : { isUnverified: true }) };
}

function readFields(values: JsonObject, options: RowOptions, types: RowTypes): ContactFields {
	const fields: ContactFields = {};
	for (const id of ['name', 'locale', 'source', 'consent_proof'] as const) {
		if (!isBlank(values[id])) fields[id] = readText(labelOf(id), values[id]);
	}
	if (!isBlank(values.opt_in)) fields.opt_in = toBoolean(labelOf('opt_in'), values.opt_in);
	const tags = readNames(values.tags, labelOf('tags'));
	if (tags.length > 0) fields.tags = tags;
	const { attributes = {} } = readAttributes(options.attributes, options.attributesJson);
	const given = mergeJson(readColumns(values, types), attributes);
	const filled = Object.entries(given)
		.map(([key, value]) => [key, toJson(value)] as const)
		.filter(([, value]) => !isBlank(value));
	if (filled.length > 0) fields.attributes = Object.fromEntries(filled);
	return fields;
}

type RowTypes = ReadonlyMap<string, string>;

/** The attributes among the values: those of an `attributes` object, and over them each by itself. */
function readColumns(values: JsonObject, types: RowTypes): JsonObject {
	const own = Object.entries(values)
		.filter(([id, value]) => id.startsWith(ATTRIBUTE) && !isBlank(value))
		.map(([id, value]) => {
			const key = id.slice(ATTRIBUTE.length);
			const label = attributeColumn(key, 'string').displayName;
			return [key, toType(label, checkJson(value, label), types.get(id))];
		});
	const whole = checkJson(readJsonObject(values.attributes, 'Attributes') ?? {}, 'Attributes');
	return { ...whole, ...(Object.fromEntries(own) as JsonObject) };
}

function labelOf(columnId: string): string {
	return CONTACT_COLUMNS.find(({ id }) => id === columnId)?.displayName ?? columnId;
}

function readText(label: string, value: unknown): string {
	const text = toJson(checkJson(value, label));
	if (typeof text === 'string') return text.trim();
	if (typeof text === 'number' || typeof text === 'boolean') return String(text);
	throw wrongValue(label, value, 'text');
}

/** A value in the type of its column, where it is text and the type is another. */
function toType(label: string, value: unknown, type: string | undefined): unknown {
	if (typeof value !== 'string') return value;
	switch (type) {
		case 'number':
			return toNumber(label, value);
		case 'boolean':
			return toBoolean(label, value);
		case 'array':
		case 'object': {
			const parsed = tryParseJson(value);
			if (type === 'array' ? Array.isArray(parsed) : isJsonObject(parsed)) return parsed;
			throw wrongValue(label, value, `a JSON ${type}`);
		}
		default:
			return value;
	}
}

const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function toNumber(label: string, text: string): number {
	const number = Number(text);
	// Others, such as 007, 0x1F and IDs that look like numbers, would not be what they were.
	const isExact = !Number.isInteger(number) || Number.isSafeInteger(number);
	if (PLAIN_NUMBER.test(text.trim()) && isExact) return number;
	throw wrongValue(label, text, 'a number in plain digits, such as 12 or -1.5');
}

const TRUE = ['true', '1', 'yes', 'y'];
const FALSE = ['false', '0', 'no', 'n'];

function toBoolean(label: string, value: unknown): boolean {
	const text = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
	if (TRUE.includes(text)) return true;
	if (FALSE.includes(text)) return false;
	throw wrongValue(label, value, 'yes or no');
}
