import { isCampaignAttribute } from '../../../domain/campaignMark';
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
import { readYesNo } from '../../../domain/yesNo';
import { readContactId } from '../../contactId';
import { readAttributes } from '../attributes';
import type { SyncOptions } from './syncFields';

/** What a contact has said to messages, and how that is known. */
export interface Consent {
	opt_in?: boolean;
	consent_proof?: string;
}

/** Contact fields to send, by their API names; missing means unchanged, and none is blank. */
export interface ContactFields extends Consent {
	name?: string;
	locale?: string;
	source?: string;
	attributes?: JsonObject;
	tags?: string[];
}

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

/** What a row takes from the options of its item: attributes are laid over those of the columns. */
type RowOptions = Pick<SyncOptions, 'attributes' | 'attributesJson' | 'defaultCountry'>;

type RowTypes = ReadonlyMap<string, string>;

/**
 * Reads the row of an item. Blank values are left out, so that they erase nothing. What can be read of
 * an invalid row is kept: whoever it names is not missing from the input.
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
	for (const read of [readRowId, readNumber, readFields]) {
		const part = tryRead((): Partial<Row> => read(values, options, types));
		if (part instanceof InputProblem) row.problem ??= part;
		else Object.assign(row, part);
	}
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

function readRowId({ id }: JsonObject): Partial<Row> {
	if (isBlank(id)) return {};
	const text = readText(ID_COLUMN.displayName, id);
	return { id: readContactId(text, 'Or leave it blank, and give a phone number.') };
}

function readNumber({ phone, id }: JsonObject, { defaultCountry }: RowOptions): Partial<Row> {
	if (isBlank(phone) && !isBlank(id)) return {};
	if (isBlank(phone)) {
		throw new InputProblem(
			"'Phone' is empty",
			"Every item needs a phone number or the ID of a contact. Map a value to the column 'Phone'. If you map automatically, rename the column of your sheet to 'phone'.",
		);
	}
	const { number, isValid, otherReading } = readPhone(phone, readCountry(defaultCountry));
	return { phone: number, isUnverified: !isValid, otherReading };
}

function readFields(values: JsonObject, options: RowOptions, types: RowTypes): Partial<Row> {
	const fields: ContactFields = {};
	for (const id of ['name', 'locale', 'source', 'consent_proof'] as const) {
		if (!isBlank(values[id])) fields[id] = readText(labelOf(id), values[id]);
	}
	if (!isBlank(values.opt_in)) fields.opt_in = readYesNo(labelOf('opt_in'), values.opt_in);
	const tags = readNames(values.tags, labelOf('tags'));
	if (tags.length > 0) fields.tags = tags;
	const { attributes = {} } = readAttributes(options.attributes, options.attributesJson);
	const given = Object.entries(mergeJson(readColumns(values, types), attributes))
		.map(([key, value]) => [key, toJson(value)] as const)
		// An older mark that is written over a newer one would have a message sent twice.
		.filter(([key, value]) => !isBlank(value) && !isCampaignAttribute(key));
	if (given.length > 0) fields.attributes = Object.fromEntries(given);
	return { fields };
}

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

/** Others, such as 007, 0x1F and IDs that look like numbers, would not be what they were. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

const FORMS: Record<
	string,
	{ expected: string; holds: (text: string, value: unknown) => boolean }
> = {
	number: {
		expected: 'a number in plain digits, such as 12 or -1.5',
		holds: (text, value) =>
			PLAIN_NUMBER.test(text) && (!Number.isInteger(value) || Number.isSafeInteger(value)),
	},
	array: { expected: 'a JSON array', holds: (_text, value) => Array.isArray(value) },
	object: { expected: 'a JSON object', holds: (_text, value) => isJsonObject(value) },
};

/** A value in the type of its column, where it is text and the type is another. */
function toType(label: string, value: unknown, type = 'string'): unknown {
	if (typeof value !== 'string') return value;
	if (type === 'boolean') return readYesNo(label, value);
	const form = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
	if (!form) return value;
	const parsed = tryParseJson(value);
	if (form.holds(value.trim(), parsed)) return parsed;
	throw wrongValue(label, value, form.expected);
}
