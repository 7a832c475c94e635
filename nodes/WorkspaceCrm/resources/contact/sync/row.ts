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
import { readAttributes } from '../contactFields';
import type { SyncOptions } from './syncFields';

/** The consent of a contact to messages, and its proof. */
export interface Consent {
	opt_in?: boolean;
	consent_proof?: string;
}

/** Contact fields to send, by their API names. A missing field stays unchanged; none is blank. */
export interface ContactFields extends Consent {
	name?: string;
	locale?: string;
	source?: string;
	attributes?: JsonObject;
	tags?: string[];
}

/** The contact in one input item. */
export interface Row {
	/** Empty if missing or invalid. */
	phone: string;
	/** Undefined if missing or invalid. */
	id?: string;
	/** Whether the library calls the number invalid. The service may still accept it, perhaps in another form. */
	isUnverified?: boolean;
	/** The number that it could be if it had lost its plus. */
	otherReading?: string;
	fields: ContactFields;
	/** Why nothing is sent for the item. */
	problem?: unknown;
}

/** The options that belong to a row. Attributes here override those of the columns. */
type RowOptions = Pick<SyncOptions, 'attributes' | 'attributesJson' | 'defaultCountry'>;

type RowTypes = ReadonlyMap<string, string>;

/**
 * Reads the row of an item. Blank values are left out, so that they erase nothing. An invalid row keeps
 * its readable parts, so that its contact does not count as missing.
 *
 * @param values by column ID; `attributes` may hold several
 * @param types by column ID: the type to convert texts to
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

/** Returns the result of `read`, or its InputProblem. */
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
	const text = readColumnText(ID_COLUMN.displayName, id);
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
		if (!isBlank(values[id])) fields[id] = readColumnText(labelOf(id), values[id]);
	}
	if (!isBlank(values.opt_in)) fields.opt_in = readYesNo(labelOf('opt_in'), values.opt_in);
	const tags = readNames(values.tags, labelOf('tags'));
	if (tags.length > 0) fields.tags = tags;
	const { attributes = {} } = readAttributes(options.attributes, options.attributesJson);
	const given = Object.entries(mergeJson(readColumns(values, types), attributes))
		.map(([key, value]) => [key, toJson(value)] as const)
		// Leave out marks of campaigns: writing an old mark over a newer one would send a message twice.
		.filter(([key, value]) => !isBlank(value) && !isCampaignAttribute(key));
	if (given.length > 0) fields.attributes = Object.fromEntries(given);
	return { fields };
}

/** Reads the attributes: those of an `attributes` object, overridden by those with their own columns. */
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

function readColumnText(label: string, value: unknown): string {
	const text = toJson(checkJson(value, label));
	if (typeof text === 'string') return text.trim();
	if (typeof text === 'number' || typeof text === 'boolean') return String(text);
	throw wrongValue(label, value, 'text');
}

/** Other forms, such as 007, 0x1F or long IDs, would change when converted. */
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

/** Converts a text to the type of its column. */
function toType(label: string, value: unknown, type = 'string'): unknown {
	if (typeof value !== 'string') return value;
	if (type === 'boolean') return readYesNo(label, value);
	const form = Object.hasOwn(FORMS, type) ? FORMS[type] : undefined;
	if (!form) return value;
	const parsed = tryParseJson(value);
	if (form.holds(value.trim(), parsed)) return parsed;
	throw wrongValue(label, value, form.expected);
}
