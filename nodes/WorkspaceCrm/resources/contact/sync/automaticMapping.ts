import { OPT_IN_STATUSES } from '../../../domain/consent';
import {
	ATTRIBUTE,
	attributeColumn,
	BARE_NAME_HEADINGS,
	CONTACT_COLUMNS,
	ID_COLUMN,
	labelOf,
	NAME_PART_HEADINGS,
} from '../../../domain/contactColumns';
import { isCampaignAttribute } from '../../../domain/campaignMark';
import { addTo } from '../../../domain/groups';
import {
	asHeading,
	asName,
	asPlainHeading,
	asStored,
	asWord,
	asWords,
	findName,
	hasPhrase,
	isSameStored,
} from '../../../domain/sameText';
import { ownValue, type JsonObject } from '../../../domain/plainData';
import { MIN_DIGITS } from '../../../domain/phone';
import { idForm } from '../../../domain/sameNumber';
import { named } from '../../../domain/text';
import { yesNoOf } from '../../../domain/typedValues';
import { InputProblem, quoted, rethrow } from '../../../domain/inputProblem';
import { RESULT_FIELDS, RESULTS } from '../../../operations/result';
import { isContactId } from '../../fields/contactReference';

/** Fields of our own output that are ignored when it is used as input. In other items they are columns. */
const OWN_FIELDS = [
	'id',
	'created_at',
	'last_inbound_at',
	'opt_in_status',
	'opt_in_note',
	'created',
	'sync',
	// Campaigns had an object of their own before `result`.
	'campaign',
];

const ROW_NUMBER = 'row_number';

/**
 * Never columns: the row's number, which n8n's Google Sheets node adds and which changes in other rows whenever a
 * row is inserted; and what failed items of this node contain.
 */
const NO_COLUMNS = [ROW_NUMBER, 'error', 'errorDetails'];

/** What readers of spreadsheets call a column without a heading. */
const NO_HEADING = /^(?:__EMPTY(?:_\d+)?|Unnamed: \d+)$/;

/** What n8n adds to the name of one in a file for each part of it, such as `sync.action`. */
const isPartOf = (name: string, fields: readonly string[]) =>
	fields.includes(name.split('.')[0] ?? '');

const byName = (item: JsonObject) =>
	new Map(Object.entries(item).map(([name, value]) => [asName(name), value]));

/** Whether an item is an output of this node, as it is or out of a file. Other lists have campaigns, too. */
function isOwnOutput(item: JsonObject): boolean {
	const fields = byName(item);
	const has = (name: string, ...parts: string[]) =>
		parts.every((part) => fields.has(`${name}.${part}`) || part in Object(fields.get(name)));
	const hasStatus = statusOf(fields.get('opt_in_status')) !== undefined;
	return (
		hasStatus || has('sync', 'action') || has('campaign', 'status', 'key') || hasOwnResult(item)
	);
}

/** Many lists have a result, a code or a reason. Only with the key of a message are they ours. */
function hasOwnResult(item: JsonObject): boolean {
	const fields = byName(item);
	return fields.has('message_key') && RESULTS.some((result) => result === fields.get('result'));
}

function ownFieldsOf(item: JsonObject): readonly string[] {
	if (!isOwnOutput(item)) return [];
	return hasOwnResult(item) ? [...OWN_FIELDS, ...RESULT_FIELDS] : OWN_FIELDS;
}

/** What a contact was when the item was read from the CRM: it is not sent. */
export interface Shown {
	ids: readonly string[];
	hasOptedOut: boolean;
}

/**
 * In any list, an `id` may be anything; only that of a contact of the CRM says whose row it was.
 *
 * @param names those of all fields of the input
 */
function readShown(names: readonly string[]): (item: JsonObject) => Shown | undefined {
	const called = (...headings: string[]) =>
		names.filter((name) => isCalled(asHeading(name), headings));
	const idFields = called('id', ID_COLUMN.displayName);
	const statusFields = called('opt_in_status');
	return (item) => {
		const ids = idFields
			.map((name) => asStored(String(ownValue(item, name))))
			.filter(isContactId)
			.map(idForm);
		const hasOptedOut =
			statusFields.some((name) => statusOf(ownValue(item, name)) === 'opted_out') &&
			isOwnOutput(item);
		return ids.length === 0 && !hasOptedOut ? undefined : { ids, hasOptedOut };
	};
}

const STATUSES = new Map(OPT_IN_STATUSES.map((status) => [asHeading(status), status]));

/** As people type it, such as "Opted Out". */
function statusOf(value: unknown): string | undefined {
	return typeof value === 'string' ? STATUSES.get(asHeading(value)) : undefined;
}

/** A tag in a file of n8n, which has a column for each. */
const TAG_COLUMN = /^tags\.\d+$/;

/** What to do with input columns that are not a contact's. */
export type OtherColumns = 'ignore' | 'attributes';

interface InputField {
	name: string;
	value: unknown;
}

/** The columns of the fields, by their names. */
type ColumnIds = Map<string, string | undefined>;

/**
 * Maps the fields of input items to columns by name: the column's ID or label, the name of an attribute, or
 * an alias such as "Mobile", ignoring case, spaces, dashes and underscores. An `attributes` object is mapped
 * as a whole. Fields that are nothing must be left out before.
 *
 * @param attributeIds the columns of the known attributes
 * @param items all items of the input
 * @returns a function that returns an item's values by column ID, and what became of the fields so far. No name of a
 * column comes before another: if its fields differ, it is left out, and `fail` gets an InputProblem and its ID
 */
export function mapAutomatically(
	attributeIds: readonly string[],
	otherColumns: OtherColumns,
	items: readonly JsonObject[],
) {
	const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
	const ids: ColumnIds = new Map(names.map((name) => [name, findId(name, attributeIds)]));
	const partsOfName = perhapsPartsOfName(items, ids);
	for (const name of partsOfName) ids.delete(name);
	const ignored = new Set<string>();
	const asAttributes = new Set<string>();
	const headings = new Map<string, Set<string>>();
	const doubtOfConsent = consentDoubts(names);
	return {
		/** The names of all fields. */
		names,
		ignored,
		asAttributes,
		/** The input fields that were used for each column, by its ID. */
		headings,
		map(
			item: JsonObject,
			fail: (problem: InputProblem, id: string) => void = rethrow,
			isSamePhone: (one: unknown, other: unknown) => boolean = isSameCell,
		): JsonObject {
			const byColumn = new Map<string, InputField[]>();
			const tags: InputField[] = [];
			for (const { id, ...field } of readInputFields(item, ids)) {
				const name = asName(field.name);
				const isNoColumn = isPartOf(name, NO_COLUMNS) || name === '' || NO_HEADING.test(name);
				if (TAG_COLUMN.test(name)) tags.push(field);
				else if (id !== undefined) addTo(byColumn, id, field);
				else if (name === ROW_NUMBER) continue;
				else if (otherColumns === 'ignore' || isNoColumn) ignored.add(field.name);
				else {
					if (!isCampaignAttribute(name)) asAttributes.add(field.name);
					addTo(byColumn, ATTRIBUTE + name, field);
				}
			}
			const [tag] = tags;
			if (tag) addTo(byColumn, 'tags', { ...tag, value: tags.map(({ value }) => value) });
			const values = new Map<string, unknown>();
			for (const [id, fields] of byColumn) {
				const [first, ...others] = fields;
				if (!first) continue;
				const used = headings.get(id) ?? new Set();
				for (const { name } of fields) headings.set(id, used.add(name));
				const isSame = id === 'phone' ? isSamePhone : isSameCell;
				const other = others.find(({ value }) => !isSame(first.value, value));
				const problem = other
					? columnsDiffer(first, other, id)
					: id === 'opt_in' && doubtOfConsent(item, first);
				if (problem) fail(problem, id);
				else values.set(id, first.value);
			}
			return Object.fromEntries(values);
		},
		isOwnOutput,
		shownIn: readShown(names),
		/** The fields that have a name of the phone. */
		phoneFields: names.filter((name) => ids.get(name) === 'phone'),
		/** Those called "Name" or so that may be only a part of it, if no other is the name. */
		partsOfName: [...ids.values()].includes('name') ? [] : partsOfName,
	};
}

/** The problem of an item if none has a field whose name is known to be that of the phone. @param names those of all fields */
export function noPhoneColumn(names: readonly string[]): InputProblem {
	if (names.length === 0) {
		return new InputProblem(
			'The input has no fields',
			"Put a node in front that gives one item for each contact. For a file, that is 'Extract from File'.",
		);
	}
	const untitled = names.some((name) => NO_HEADING.test(name))
		? 'A column has no heading: put the headings in the first row of the sheet. '
		: '';
	return new InputProblem(
		'No column was recognized as the phone number',
		`${untitled}Rename the column that holds it to 'phone', or choose 'Map Each Column Manually'. The columns are: ${named(names.map(quoted))}.`,
	);
}

export type AutomaticMapping = ReturnType<typeof mapAutomatically>;

/** The fields of an item, with the IDs of their columns. */
function readInputFields(item: JsonObject, ids: ColumnIds): Array<InputField & { id?: string }> {
	const given = Object.entries(item);
	const phones = given.filter(([name]) => ids.get(name) === 'phone');
	const hasNumber = phones.some(([, value]) => mayBeNumber(value));
	const ownFields = ownFieldsOf(item);
	return given
		.map(([name, value]) => {
			// In an item with a phone, `id` may be the ID of anything.
			const isId =
				phones.length === 0 &&
				(asName(name) === 'id' || isCalled(asHeading(name), [ID_COLUMN.displayName]));
			const id = isId ? 'id' : ids.get(name);
			// A column "WhatsApp" may say only whether somebody has it.
			const isOther = id === 'phone' && hasNumber && !mayBeNumber(value);
			return { name, value, id: isOther ? undefined : id };
		})
		.filter(({ name, id }) => id === 'id' || !isPartOf(asName(name), ownFields));
}

function mayBeNumber(value: unknown): boolean {
	return (String(value).match(/\p{Nd}/gu) ?? []).length >= MIN_DIGITS;
}

/** The column that a field is called by; undefined if it is not one of ours. */
function findId(name: string, attributeIds: readonly string[]): string | undefined {
	const tidied = asName(name);
	if (isPartOf(tidied, NO_COLUMNS)) return undefined;
	// With the prefix, even a new name is an attribute's.
	const [prefix, key] = [tidied.slice(0, ATTRIBUTE.length), tidied.slice(ATTRIBUTE.length)];
	if (key !== '' && asWord(prefix) === ATTRIBUTE) return ATTRIBUTE + key;
	if (asWord(tidied) === 'attributes') return 'attributes';
	const called = asHeading(name);
	return (
		CONTACT_COLUMNS.find(({ id, displayName }) => isCalled(called, [id, displayName]))?.id ??
		// Names of attributes may differ only in case.
		findName(ATTRIBUTE + name, attributeIds) ??
		attributeIds.find((id) => isCalled(called, namesOfAttribute(id))) ??
		CONTACT_COLUMNS.find(({ displayName, aliases }) =>
			hasHeading(name, aliases ? `${displayName}, ${aliases}` : displayName),
		)?.id
	);
}

/** The bare names that are no whole names: in some item, one lacks what another column of names has. */
function perhapsPartsOfName(items: readonly JsonObject[], ids: ColumnIds): string[] {
	const isBare = (name: string) => ids.get(name) === 'name' && hasHeading(name, BARE_NAME_HEADINGS);
	const isOther = (name: string) =>
		hasHeading(name, NAME_PART_HEADINGS) || (ids.get(name) === 'name' && !isBare(name));
	const others = [...ids.keys()].filter(isOther);
	const holds = (whole: unknown, part: unknown) =>
		whole === undefined || part === undefined || hasPhrase(String(whole), String(part));
	const isWhole = (name: string) =>
		items.every((item) =>
			others.every((other) => holds(ownValue(item, name), ownValue(item, other))),
		);
	return [...ids.keys()].filter((name) => isBare(name) && !isWhole(name));
}

function isCalled(key: string, names: readonly string[]): boolean {
	return names.some((each) => asHeading(each) === key);
}

/** @param headings with commas between them */
function hasHeading(name: string, headings: string): boolean {
	const key = headingKey(name);
	return headings.split(', ').some((heading) => headingKey(heading) === key);
}

/** Many people write a heading without accents, with a dot behind what is short, or with a question mark or an asterisk. */
function headingKey(name: string): string {
	return name.length > MAX_HEADING_CHARACTERS ? name : asPlainHeading(name).replace(MARKS, '');
}

const MARKS = /[.:*?¿؟/]/g;

/** Nothing longer is a usual heading. */
const MAX_HEADING_CHARACTERS = 100;

function namesOfAttribute(id: string): string[] {
	const key = id.slice(ATTRIBUTE.length);
	return [key, id, attributeColumn(key, 'string').displayName];
}

/** The words of a column that is about consent, too: perhaps that for e-mails, or the opposite. */
const OF_CONSENT =
	/(?:^| )(?:unsub|desinscrit|(?:opt(?:ed)?(?:in|out)?|do not contact|abgemeldet|descadastrad[oa]s?)(?: |$))/;
const OF_OPT_IN = /opt(?:ed)?in/;
const IS_BARE_OPT_IN = /^opt(?:ed)?in$/;

/** Why the consent of an item is in doubt. It is not if it is No. @param names those of all fields */
function consentDoubts(names: readonly string[]) {
	// Also of a name such as "smsOptOut".
	const wordsOf = (name: string) => asWords(name.replace(/(?=\p{Lu}\p{Ll})/gu, ' '));
	const others = names.filter(
		(name) => OF_CONSENT.test(wordsOf(name)) && headingKey(name).search(OF_OPT_IN) !== 0,
	);
	const optOuts = others.filter((name) => !OF_OPT_IN.test(headingKey(name)));
	return (item: JsonObject, { name, value }: InputField): InputProblem | undefined => {
		const isBare = IS_BARE_OPT_IN.test(headingKey(name));
		const isNo = (each: string) => yesNoOf(ownValue(item, each) ?? false) === false;
		const other = isBare ? others[0] : optOuts.find((each) => !isNo(each));
		if (yesNoOf(value) === false || !other) return undefined;
		return new InputProblem(
			`The columns '${name}' and ${quoted(other)} may contradict each other`,
			"Nothing was sent for this item. Remove the column that is not about messages from you, correct the item, or choose 'Map Each Column Manually'.",
		);
	};
}

/** A sheet may give a number or yes as text. */
function isSameCell(one: unknown, other: unknown): boolean {
	return isSameStored(asText(one), asText(other));
}

function asText(value: unknown): unknown {
	return ['number', 'boolean'].includes(typeof value) ? String(value) : value;
}

function columnsDiffer({ name }: InputField, other: InputField, id: string): InputProblem {
	return new InputProblem(
		`The columns '${name}' and '${other.name}' could both be '${labelOf(id)}', and differ`,
		"Nothing was sent for this item. Leave one of them out, or choose 'Map Each Column Manually'.",
	);
}
