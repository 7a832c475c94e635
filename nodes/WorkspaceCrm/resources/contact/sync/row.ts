import {
	mapAutomatically,
	noPhoneColumn,
	type AutomaticMapping,
	type Shown,
} from './automaticMapping';
import { withoutMarks } from '../../../domain/campaignMark';
import { ATTRIBUTE, attributeLabel, labelOf } from '../../../domain/contactColumns';
import {
	dropNothings,
	isJsonObject,
	isNoValue,
	type JsonObject,
	mergeJson,
	ownValue,
} from '../../../domain/plainData';
import { asHeading, asName } from '../../../domain/sameText';
import { checkJson, mayBeGrouped } from '../../../domain/typedValues';
import { AS_TEXT, assertFromSheet } from '../../../domain/sheetErrors';
import { labelText } from '../../../domain/text';
import {
	countryName,
	isoCountryOf,
	readCountry,
	readPhone,
	unlessRefused,
	type NumberPlan,
} from '../../../domain/phone';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import { idForm, keysOf, type Named } from '../../../domain/sameNumber';
import type { MappedColumns } from '../../../operations/fieldKinds';
import { Cell } from '../../../operations/cell';
import { readContactId } from '../../fields/contactReference';
import { readAttributes } from '../contactFields';
import { assertWellRead, isMisread } from './wrongEncoding';
import type { SyncItem, SyncOptions } from './syncFields';

/** Contact fields to send, by their API names. A missing field stays unchanged; none is blank. */
export interface ContactFields {
	name?: string;
	locale?: string;
	source?: string;
	attributes?: JsonObject;
	tags?: string[];
	/** Whether the contact wants messages, and how we know. */
	opt_in?: boolean;
	consent_proof?: string;
}

/** The same as an item gives them, before they are compared with what the CRM has. */
export interface GivenFields extends Omit<ContactFields, 'name' | 'locale' | 'source'> {
	name?: string | number | boolean;
	locale?: string | number | boolean;
	source?: string | number | boolean;
	/** Those of the field for JSON, in which a blank value is a value. */
	exactAttributes?: JsonObject;
	/** Whether names of attributes are paths: see `changedAttributes`. */
	isFlat?: boolean;
	types?: ColumnTypes;
}

export const CONSENT: readonly string[] = ['opt_in', 'consent_proof'];
export type Consent = Pick<ContactFields, 'opt_in' | 'consent_proof'>;

/** The contact in one input item. */
export interface Row {
	/** The index of the item. */
	item: number;
	/** Empty if missing or invalid. */
	phone: string;
	/** The phone number as the item has it. */
	typedPhone?: string;
	/** The number of the row in the sheet, as n8n's Google Sheets node adds it. */
	rowNumber?: number;
	/** Undefined if missing or invalid. */
	id?: string;
	/** What the item says of the contact beside its columns. */
	shown?: Shown;
	/** Whether the library calls the number invalid. The service may still accept it, perhaps in another form. */
	isUnverified?: boolean;
	/** The number that it could be if it had lost its plus. */
	otherReading?: string;
	/** What the item has as the Default Country that its number was read with. */
	country?: string;
	/** The country that it was read as a landline of, for want of a plus. */
	landlineOf?: string;
	fields: GivenFields;
	/** What was read as yes or no in 'Opt In'. */
	optInWord?: string;
	/** Whether it says something about consent that cannot be read, or may do so. */
	isConsentUnclear?: boolean;
	/** Whether it says 'Opt In: No' of a contact that it clearly names. That is sent even if the row is refused. */
	saysNo?: boolean;
	/** Cells such as "N/A" that counted as blank. */
	blankCells?: readonly string[];
	/** Whether nothing is mapped in the item, as in an empty row of a sheet. */
	isBlank?: boolean;
	/** Whether nothing is in the item but the number of its row. */
	isEmpty?: boolean;
	/** Why nothing is sent for the item. */
	problem?: unknown;
}

/** The contacts that an item says it is about beside its columns. */
export function shownBy({ shown }: Row): Named[] {
	return (shown?.ids ?? []).map((id) => ({ id }));
}

/** What rows are called: as their output does, and with their numbers there. */
export function placesOf(rows: readonly Row[]): { word: string; numbers: number[] } {
	const isSheet = rows.every(({ rowNumber }) => rowNumber !== undefined);
	const numbers = rows.map(({ item, rowNumber }) => (isSheet && rowNumber) || item + 1);
	return { word: isSheet ? 'row' : 'item', numbers };
}

/** Such as "Items 1, 2 and 15". */
export function allOf(rows: readonly Row[]): string {
	const { word, numbers } = placesOf(rows);
	const [last, ...others] = numbers.sort((a, b) => b - a);
	return `${word === 'row' ? 'Rows' : 'Items'} ${others.reverse().join(', ')} and ${last}`;
}

/** The cells of an item, by the IDs of their columns. */
type Cells = ReadonlyMap<string, Cell>;

/** The types of the columns, by their IDs. */
export type ColumnTypes = ReadonlyMap<string, string | undefined>;

interface RowContext {
	mapping: AutomaticMapping;
	types: ColumnTypes;
	/** What is wrong if no input field is that of the phone. Made once, as each item may add a field. */
	noPhone?: InputProblem;
	/** The input items, and their fields that say of which country a phone number is. */
	inputs: readonly JsonObject[];
	countryFields: readonly string[];
}

/** What becomes of input columns that are not a contact's. */
export interface Others {
	/** Those that are not used. */
	ignored: ReadonlySet<string>;
	asAttributes: ReadonlySet<string>;
	/** Those called "Name" or so that may be only a part of it, if no column is the name. */
	partsOfName: readonly string[];
	/** The input fields that were used for each column, by its ID. Empty if columns are mapped by hand. */
	headings: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads the row of each item, in order. @param inputs the input items, by their indexes */
export function readRows(
	items: readonly SyncItem[],
	{ otherColumns = 'ignore' }: SyncOptions,
	inputs: readonly JsonObject[],
): Others & { rows: Row[] } {
	const withColumns = items.find(({ params }) => params.columns);
	const schema = withColumns?.params.columns?.schema ?? [];
	const types: ColumnTypes = new Map(schema.map(({ id, type }) => [id, type]));
	const attributeIds = [...types.keys()].filter((id) => id.startsWith(ATTRIBUTE));
	const given = items.map(({ params }) => valuesOf(params.columns));
	const mapping = mapAutomatically(attributeIds, otherColumns, given);
	const noPhone = mapping.phoneFields.length === 0 ? noPhoneColumn(mapping.names) : undefined;
	const names = new Set(inputs.flatMap((input) => Object.keys(input)));
	const countryFields = [...names].filter((name) => COUNTRY_HEADINGS.includes(asHeading(name)));
	const context = { mapping, types, noPhone, inputs, countryFields };
	const rows = items.map((each): Row => Object.assign(readRow(each, context), { item: each.item }));
	// If all are blank, the columns are not those of the input.
	const isAnyFilled = rows.some((row) => !row.isBlank);
	for (const row of rows) {
		if (row.isBlank && isAnyFilled) row.problem = undefined;
		else row.isBlank = false;
	}
	// The error that all rows have names the columns itself.
	const isOnlyError = rows.every(({ problem, isBlank }) => isBlank || problem === noPhone);
	const { ignored, asAttributes } = isOnlyError && noPhone ? NO_COLUMNS : mapping;
	const { headings, partsOfName } = mapping;
	return { rows, ignored, asAttributes, partsOfName, headings };
}

/** The values of cells, by their names. */
function valuesOf(columns?: MappedColumns): JsonObject {
	return Object.fromEntries(Array.from(columns?.cells ?? [], ([name, { value }]) => [name, value]));
}

const NO_COLUMNS = { ignored: new Set<string>(), asAttributes: new Set<string>() };

/**
 * Reads the row of an item. Values that are nothing are left out already. An invalid row keeps its readable
 * parts, so that its contact does not count as missing.
 */
function readRow(item: SyncItem, context: RowContext): Omit<Row, 'item'> {
	const { mapping, types, noPhone, inputs, countryFields } = context;
	const { columns, options } = item.params;
	let problem: unknown = item.problem;
	const disputed = new Set<string>();
	const dispute = (reason: InputProblem, id: string) => {
		problem ??= reason;
		disputed.add(id);
	};
	const attempt = <T>(read: () => T): T | undefined => {
		try {
			return read();
		} catch (error) {
			problem ??= error;
			return undefined;
		}
	};
	const given = valuesOf(columns);
	const mapped: Cells = columns?.isAutomatic
		? ownCells(mapping.map(given, dispute, isSamePhone(options)), mapping, given)
		: new Map(Array.from(columns?.cells ?? [], ([id, cell]) => [id, cell.as(labelOf(id))]));
	const cells: Cells = new Map([...mapped].filter(([, cell]) => attempt(() => [cell.given()])));
	const valueOf = (columnId: string) => cells.get(columnId)?.value;
	const isBlank = problem === undefined && cells.size === 0;
	const id = attempt(() => readRowId(cells.get('id')));
	const number = attempt(() => {
		const phoneFields = columns?.isAutomatic ? mapping.phoneFields : [labelOf('phone')];
		if (columns?.isAutomatic && noPhone && !cells.has('id')) throw noPhone;
		const input = inputs[item.item];
		const countries = countryFields.map((name) => [name, ownValue(input, name)] as const);
		const named = { phone: valueOf('phone'), id: valueOf('id') };
		return readRowPhone(named, phoneFields, options, countries);
	});
	const consent = attempt(() => readConsent(cells));
	// What is read before a problem stays: the name tells people whose row it is.
	const fields: GivenFields = {};
	const blankCells: string[] = [];
	const read = { fields, blankCells };
	attempt(() => readContactFields(read, cells, options ?? {}, types));
	// A column that could not be read may be that of consent.
	const mayAsk = item.problem !== undefined && consent?.opt_in === undefined;
	const isUnclear = (name: string) => disputed.has(name) || (mapped.has(name) && !cells.has(name));
	const isConsentUnclear = !consent || mayAsk || CONSENT.some(isUnclear);
	const isNamed =
		(id ?? number) !== undefined &&
		mapped.has('id') === (id !== undefined) &&
		mapped.has('phone') === (number !== undefined) &&
		!disputed.has('id') &&
		!disputed.has('phone');
	const isReadable = item.problem === undefined && isNamed && !isConsentUnclear;
	const saysNo = isReadable && consent?.opt_in === false;
	const isFlat = columns?.isAutomatic && mapping.isOwnOutput(given);
	const typedPhone = cells.has('phone') ? labelText(String(valueOf('phone'))) : undefined;
	// Not by spreading, as a sync reads many thousands.
	const all = Object.assign(fields, consent, { types }, isFlat && { isFlat });
	const { phone = '', ...reading } = number ?? {};
	const shown = columns?.isAutomatic ? mapping.shownIn(given) : undefined;
	const country = number && options?.defaultCountry;
	if (consent?.opt_in && shown?.hasOptedOut && !options?.optInOptedOut)
		problem ??= new InputProblem(
			"'Opt In' says yes, but 'opt_in_status' says opted_out",
			"Nothing was sent for this item. Correct one of them, or turn on 'Re-Subscribe Opted-Out Contacts' under 'Options'.",
		);
	const optInWord = consent?.opt_in === undefined ? undefined : String(valueOf('opt_in'));
	const named = { id, phone, typedPhone, country, optInWord, shown };
	return Object.assign(named, reading, {
		fields: all,
		blankCells,
		isConsentUnclear,
		saysNo,
		isBlank,
		problem,
	});
}

/** The cells of columns that were mapped by name. */
function ownCells(values: JsonObject, mapping: AutomaticMapping, item: JsonObject): Cells {
	const cells = Object.entries(values).map(([id, value]): [string, Cell] => {
		const remedy = () => {
			const headings = [...(mapping.headings.get(id) ?? [])];
			const name = headings.find((each) => ownValue(item, each) !== undefined) ?? '';
			return `Correct the column ${quoted(name)} of the input, or choose 'Map Each Column Manually' to turn other words into these by an expression.`;
		};
		return [id, new Cell(value, { label: labelOf(id), isOwn: true, remedy })];
	});
	return new Map(cells);
}

function readRowId(cell?: Cell): string | undefined {
	const otherwise = 'Or leave it blank, and give a phone number.';
	return cell && idForm(readContactId(cell.text(), otherwise));
}

function readRowPhone(
	{ phone, id }: JsonObject,
	fields: readonly string[],
	options?: SyncOptions,
	countries: Countries = [],
) {
	if (phone === undefined && id !== undefined) return undefined;
	if (phone === undefined) {
		throw new InputProblem(
			"'Phone' is empty",
			`Every item needs a phone number or the ID of a contact. Check the column ${fields.map(quoted).join(' or ')} of this item.`,
		);
	}
	// If the options cannot be read, the country of a national number is unknown.
	if (!options && !String(phone).includes('+')) return undefined;
	const plan = readCountry(options?.defaultCountry);
	assertSameCountry(phone, countries, plan);
	const { number, isValid, otherReading, isLandline } = readPhone(phone, plan, " under 'Options'");
	const country = isoCountryOf(plan);
	const landlineOf = isLandline && country ? countryName(country) : undefined;
	return { phone: number, isUnverified: !isValid, otherReading, landlineOf };
}

/** Whether two values are one phone number. What cannot be read may be any. */
function isSamePhone(options?: SyncOptions): (one: unknown, other: unknown) => boolean {
	const keyOf = (phone: unknown) => {
		const number = unlessRefused(() => readRowPhone({ phone }, [], options));
		return number && keysOf(number)[0];
	};
	return (one, other) => {
		const key = keyOf(one);
		return key !== undefined && key === keyOf(other);
	};
}

/** No others: many columns hold countries. */
const COUNTRY_HEADINGS = ['country', 'countrycode', 'ctry', 'cc'];

/** What an item says of the country of its phone number, by the name of the field. */
type Countries = ReadonlyArray<readonly [name: string, cell: unknown]>;

/** @throws InputProblem if the number is another one in the country that a column says */
function assertSameCountry(phone: unknown, countries: Countries, plan?: NumberPlan): void {
	if (String(phone).includes('+')) return;
	for (const [name, cell] of countries) {
		const country = isoCountryOf(unlessRefused(() => readCountry(String(cell))));
		if (country === undefined || country === plan) continue;
		const [said, read] = [country, plan].map((each) => unlessRefused(() => readPhone(phone, each)));
		if (!said || said.number === read?.number) continue;
		const otherwise = plan ? ` || ${quoted(plan)}` : '';
		throw new InputProblem(
			`The column ${quoted(name)} says ${quoted(cell)}, but the phone number ${quoted(phone)} would not be read as one of that country`,
			`Nothing was sent for this item. To read each number as one of its country, set 'Default Country' under 'Options' to the expression {{ $json[${quoted(name)}]${otherwise} }}. If the column is not the country of the phone number, rename it.`,
		);
	}
}

function readConsent(cells: Cells): Consent {
	const consent: Consent = {};
	const isOptIn = cells.get('opt_in')?.yesNo();
	if (isOptIn !== undefined) consent.opt_in = isOptIn;
	const proof = cells.get('consent_proof');
	if (proof) consent.consent_proof = readProof(proof);
	return consent;
}

const isScalar = (value: unknown) => typeof value === 'number' || typeof value === 'boolean';

/** It cannot be compared with what the CRM has. */
function readProof(cell: Cell): string {
	const { label, value } = cell;
	assertWellRead(value, label);
	if (!isScalar(value)) return cell.text();
	throw new InputProblem(`'${label}' is ${String(value)}, which is no text`, AS_TEXT);
}

function readContactFields(
	{ fields, blankCells }: { fields: GivenFields; blankCells: string[] },
	cells: Cells,
	options: SyncOptions,
	types: ColumnTypes,
): void {
	for (const id of ['name', 'locale', 'source'] as const) {
		const cell = cells.get(id);
		if (!cell) continue;
		const text = cell.exactText();
		if (isNoValue(text)) blankCells.push(text.trim());
		else fields[id] = isScalar(cell.value) ? (cell.value as number | boolean) : text;
	}
	const tagCell = cells.get('tags');
	if (typeof tagCell?.value === 'string' && isNoValue(tagCell.value))
		blankCells.push(tagCell.value.trim());
	else if (tagCell) {
		const names = tagCell.names((name) => (isMisread(name) ? name : asName(name)));
		assertFromSheet(names, tagCell.label);
		const tags = names.filter(isGiven);
		if (tags.length > 0) fields.tags = tags;
	}
	// Writing an old mark of a campaign over a newer one would send a message twice.
	const attributes = withoutMarks(readRowAttributes(cells, options, types));
	if (Object.keys(attributes).length > 0) fields.attributes = attributes;
	const { attributes: exact = {} } = readAttributes(undefined, options.attributesJson);
	const exactAttributes = withoutMarks(exact);
	if (Object.keys(exactAttributes).length > 0) fields.exactAttributes = exactAttributes;
}

/** Reads an `attributes` object, overridden by columns of single attributes, and these by the rows of the option. */
function readRowAttributes(cells: Cells, options: SyncOptions, types: ColumnTypes): JsonObject {
	const own = [...cells]
		.filter(([id]) => id.startsWith(ATTRIBUTE))
		.map(([id, cell]) => {
			const { value } = cell;
			// What depends on the value that the CRM has is read beside that.
			const isRaw = typeof value !== 'string' || mayBeGrouped(value) || isMisread(value);
			return [id.slice(ATTRIBUTE.length), isRaw ? value : cell.typed(types.get(id))] as const;
		});
	const whole = cells.get('attributes')?.json();
	const columns = {
		...(withoutNothings(whole ?? {}) as JsonObject),
		...(Object.fromEntries(own) as JsonObject),
	};
	const { attributes = {} } = readAttributes(options.attributes, undefined);
	const merged = Object.entries(mergeJson(columns, attributes)).map(([key, value]) => {
		return [key, checkJson(value, attributeLabel(key))] as const;
	});
	return dropNothings(Object.fromEntries(merged));
}

const isGiven = (entry: unknown) => !new Cell(entry, { label: '', isOwn: true }).isNothing;

/** A list or an object of the item, without entries that are nothing, such as a cell "null" of an export. */
function withoutNothings(value: unknown): unknown {
	if (Array.isArray(value)) return value.filter(isGiven);
	if (!isJsonObject(value)) return value;
	const given = Object.entries(value).filter(([, entry]) => isGiven(entry));
	const parts = given.map(([name, entry]) => [
		name,
		isJsonObject(entry) ? withoutNothings(entry) : entry,
	]);
	return Object.fromEntries(parts) as JsonObject;
}
