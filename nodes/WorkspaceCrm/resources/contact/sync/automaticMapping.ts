import { OPT_IN_STATUSES } from '../../../domain/consent';
import {
	ATTRIBUTE,
	attributeColumn,
	CONTACT_COLUMNS,
	ID_COLUMN,
} from '../../../domain/contactColumns';
import { isCampaignAttribute } from '../../../domain/campaignMark';
import { isJsonObject, isSameJson, ownValue, type JsonObject } from '../../../domain/json';
import { idForm } from '../../../domain/sameNumber';
import { fold, named, sameName, tidy, trimmed } from '../../../domain/text';
import { columnKey, looseKey, yesNoOf } from '../../../domain/typedValues';
import { InputProblem, quoted, rethrow } from '../../../domain/problem';
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

/** Whether an item is an output of this node, as it is or out of a file. */
function isOwnOutput(item: JsonObject): boolean {
	return Object.entries(item).some(([written, value]) => {
		const name = tidy(written);
		if (name === 'opt_in_status') return statusOf(value) !== undefined;
		if (name === 'sync' || name === 'campaign') return isJsonObject(value);
		return name === 'sync.action' || name.startsWith('campaign.');
	});
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
function readShown(names: ReadonlySet<string>): (item: JsonObject) => Shown | undefined {
	const called = (...headings: string[]) =>
		[...names].filter((name) => isCalled(columnKey(name), headings));
	const idFields = called('id', ID_COLUMN.displayName);
	const statusFields = called('opt_in_status');
	return (item) => {
		const ids = idFields
			.map((name) => trimmed(String(ownValue(item, name))))
			.filter(isContactId)
			.map(idForm);
		const hasOptedOut =
			statusFields.some((name) => statusOf(ownValue(item, name)) === 'opted_out') &&
			isOwnOutput(item);
		return ids.length === 0 && !hasOptedOut ? undefined : { ids, hasOptedOut };
	};
}

const STATUSES = new Map(OPT_IN_STATUSES.map((status) => [columnKey(status), status]));

/** As people type it, such as "Opted Out". */
function statusOf(value: unknown): string | undefined {
	return typeof value === 'string' ? STATUSES.get(columnKey(value)) : undefined;
}

/** A tag in a file of n8n, which has a column for each. */
const TAG_COLUMN = /^tags\.\d+$/;

/** What to do with input columns that are not a contact's. */
export type OtherColumns = 'ignore' | 'attributes';

/** How well the name of a field fits its column. The best fit counts, then the first. */
const EXACT = 0;
const OWN_NAME = 1;
const ALIAS = 2;
const NO_COLUMN = 3;

interface InputField {
	name: string;
	value: unknown;
	/** The ID of the column. */
	id: string;
	rank: number;
	/** Whether it is the column of those who want no messages. */
	isOptOut?: boolean;
}

type Target = Pick<InputField, 'id' | 'rank' | 'isOptOut'>;

const NO_TARGET: Target = { id: '', rank: NO_COLUMN };

/** What may be only a part of the name: beside a surname, "Nome" is a first name. */
const NAME_PARTS =
	/^(?:nome?|nombre|(?:primer)?apell?idos?(?:paterno)?|(?:sobre|ultimo|cog)nome|prenoms?)$/;

/**
 * Maps the fields of input items to columns by name: the column's ID or label, the name of an attribute, or
 * an alias such as "Mobile", ignoring case, spaces, dashes and underscores. An `attributes` object is mapped
 * as a whole. Fields that are nothing must be left out before.
 *
 * @param attributeIds the columns of the known attributes
 * @param names those of all fields of the input
 * @returns a function that returns an item's values by column ID, and the names of the fields that it has
 * not used so far. If fields for one column disagree, the column is left out, and `fail` gets an InputProblem and
 * the column's ID. An alias does not count beside the column's own name.
 */
export function mapAutomatically(
	attributeIds: readonly string[],
	otherColumns: OtherColumns,
	names: ReadonlySet<string>,
) {
	const ignored = new Set<string>();
	const asAttributes = new Set<string>();
	const headings = new Map<string, Set<string>>();
	// Every item has the same few names.
	const targets = new Map<string, Target>();
	const targetOf = (name: string): Target => {
		const target = targets.get(name) ?? {
			...findTarget(name, attributeIds),
			isOptOut: isOptOut(name),
		};
		targets.set(name, target);
		return target;
	};
	const isOfName = (name: string) => isNamePart(name) || targetOf(name).id === 'name';
	if ([...names].filter(isOfName).length > 1) {
		const isFirstName = (name: string) => targetOf(name).rank === ALIAS && isNamePart(name);
		for (const name of [...names].filter(isFirstName)) targets.set(name, NO_TARGET);
	}
	return {
		ignored,
		asAttributes,
		/** The input fields that were used for each column, by its ID. */
		headings,
		map(item: JsonObject, fail: (problem: InputProblem, id: string) => void = rethrow): JsonObject {
			const used = new Map<string, InputField>();
			const values = new Map<string, unknown>();
			const tags: unknown[] = [];
			const use = (field: InputField): boolean => {
				const { id, rank } = field;
				const better = used.get(id);
				if (!better) {
					used.set(id, field);
					headings.set(id, (headings.get(id) ?? new Set()).add(field.name));
					values.set(id, field.value);
					return true;
				}
				if (rank === ALIAS && better.rank !== ALIAS) return false;
				if (isSameJson(asText(better.value), asText(field.value))) return false;
				values.delete(id);
				fail(columnsDisagree(better, field), id);
				return false;
			};
			let denied: string | undefined;
			for (const field of readInputFields(item, targetOf)) {
				const { rank } = field;
				if (field.isOptOut && yesNoOf(field.value) !== false) denied ??= field.name;
				const name = tidy(field.name);
				const isTag = TAG_COLUMN.test(name);
				if (isTag && values.has('tags')) ignored.add(field.name);
				else if (isTag) tags.push(field.value);
				if (isTag || (rank !== NO_COLUMN && use(field))) continue;
				const isNoColumn = isPartOf(name, NO_COLUMNS) || name === '' || NO_HEADING.test(name);
				const isRepeated = rank < ALIAS;
				if (name === ROW_NUMBER) continue;
				if (otherColumns === 'ignore' || isNoColumn || isRepeated) ignored.add(field.name);
				else {
					if (!isCampaignAttribute(name)) asAttributes.add(field.name);
					use({ ...field, id: ATTRIBUTE + name, rank: OWN_NAME });
				}
			}
			if (denied !== undefined && values.has('opt_in') && yesNoOf(values.get('opt_in')) !== false) {
				values.delete('opt_in');
				fail(optOutToo(denied), 'opt_in');
			}
			const mapped = Object.fromEntries(values);
			return tags.length > 0 ? { tags, ...mapped } : mapped;
		},
		isOwnOutput,
		shownIn: readShown(names),
		/** The fields that have a name of the phone. */
		phoneFields: [...names].filter((name) => targetOf(name).id === 'phone'),
	};
}

/** The problem of an item if none has a field whose name is known to be that of the phone. @param all the names of all fields */
export function noPhoneColumn(all: ReadonlySet<string>): InputProblem {
	const names = [...all];
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

/** The fields of an item, the best fits first. */
function readInputFields(item: JsonObject, targetOf: (name: string) => Target): InputField[] {
	const given = Object.entries(item);
	const hasPhone = given.some(([name]) => targetOf(name).id === 'phone');
	const ownFields = isOwnOutput(item) ? OWN_FIELDS : [];
	return given
		.map(([name, value]) => {
			// In an item with a phone, `id` may be the ID of anything.
			const isId =
				!hasPhone && (tidy(name) === 'id' || isCalled(columnKey(name), [ID_COLUMN.displayName]));
			return { name, value, ...(isId ? ownTarget(name, 'id') : targetOf(name)) };
		})
		.filter(({ name, id }) => id === 'id' || !isPartOf(tidy(name), ownFields))
		.sort((a, b) => a.rank - b.rank);
}

function findTarget(name: string, attributeIds: readonly string[]): Target {
	const tidied = tidy(name);
	if (isPartOf(tidied, NO_COLUMNS)) return NO_TARGET;
	// With the prefix, even a new name is an attribute's.
	const [prefix, key] = [tidied.slice(0, ATTRIBUTE.length), tidied.slice(ATTRIBUTE.length)];
	if (key !== '' && fold(prefix) === ATTRIBUTE) return ownTarget(name, ATTRIBUTE + key);
	if (fold(tidied) === 'attributes') return ownTarget(name, 'attributes');
	const called = columnKey(name);
	const id =
		CONTACT_COLUMNS.find(({ id, displayName }) => isCalled(called, [id, displayName]))?.id ??
		// Names of attributes may differ only in case.
		sameName(ATTRIBUTE + name, attributeIds) ??
		attributeIds.find((id) => isCalled(called, namesOfAttribute(id)));
	if (id !== undefined) return ownTarget(name, id);
	const heading = headingKey(name);
	const byAlias = CONTACT_COLUMNS.find(({ displayName, aliases }) =>
		[displayName, ...(aliases?.split(', ') ?? [])].some((alias) => headingKey(alias) === heading),
	);
	return byAlias ? { id: byAlias.id, rank: ALIAS } : NO_TARGET;
}

function isNamePart(name: string): boolean {
	return NAME_PARTS.test(headingKey(name));
}

function ownTarget(name: string, id: string): Target {
	return { id, rank: name === id ? EXACT : OWN_NAME };
}

function isCalled(key: string, names: readonly string[]): boolean {
	return names.some((each) => columnKey(each) === key);
}

/** Many people write a heading without accents, with a dot behind what is short, or with a question mark or an asterisk. */
function headingKey(name: string): string {
	return name.length > MAX_HEADING_CHARACTERS ? name : looseKey(name).replace(MARKS, '');
}

const MARKS = /[.:*?¿؟/]/g;

/** Nothing longer is a usual heading. */
const MAX_HEADING_CHARACTERS = 100;

function namesOfAttribute(id: string): string[] {
	const key = id.slice(ATTRIBUTE.length);
	return [key, id, attributeColumn(key, 'string').displayName];
}

/** What services call the column of those who want no messages. */
const OPT_OUT_HEADINGS = ['Opt Out', 'Opted Out', 'Unsubscribed', 'Unsubscribe', 'Do Not Contact'];

function isOptOut(name: string): boolean {
	const key = headingKey(name);
	return OPT_OUT_HEADINGS.some((heading) => headingKey(heading) === key);
}

function optOutToo(name: string): InputProblem {
	return new InputProblem(
		`The columns 'Opt In' and ${quoted(name)} may contradict each other`,
		"Nothing was sent for this item. Correct or remove one of them, or choose 'Map Each Column Manually'.",
	);
}

/** A sheet may give a number or yes as text. */
function asText(value: unknown): unknown {
	return ['number', 'boolean'].includes(typeof value) ? String(value) : value;
}

/** A wrong guess could reach a stranger. */
function columnsDisagree({ name, id, rank }: InputField, other: InputField): InputProblem {
	const names = `The columns '${name}' and '${other.name}'`;
	const manually = "or choose 'Map Each Column Manually'.";
	return rank === ALIAS
		? new InputProblem(
				`${names} could both be the ${id}`,
				`Rename the right one to '${id}', ${manually}`,
			)
		: new InputProblem(
				`${names} both mean '${id}', and have different values`,
				`Nothing was sent for this item. Correct or remove one of them, ${manually}`,
			);
}
