/**
 * What the API reference leaves open ("Endpoints with unstated payloads"), and what we assume.
 *
 * Requests: one default body each, which the user can extend or replace in the editor.
 * Answers: every reasonable shape is accepted; what cannot be read is never passed over in silence.
 */
import { isJsonObject, mergeJson, type JsonObject } from '../domain/json';
import type { EnrollFields, SendFields } from './bodyFields';
import type { Page } from './pagination';
import type { WireRecord } from './types';

/** POST /v1/messages/template: request body not shown. */
export function sendTemplateBody(
	contact: string,
	template: string,
	variables: JsonObject,
	fields: SendFields,
): JsonObject {
	const hasVariables = Object.keys(variables).length > 0;
	return [
		nest(fields.contactField, contact),
		nest(fields.templateField, template),
		hasVariables ? nest(fields.variablesField, toForm(variables, fields.variablesAs)) : {},
	].reduce(mergeJson);
}

/** POST /v1/automations/{id}/enroll: request body not shown. */
export function enrollBody(contact: string, { contactField }: EnrollFields): JsonObject {
	return nest(contactField, contact);
}

/** An object with a value at a path: `template.name` gives `{ template: { name: value } }`. */
function nest(fieldPath: string, value: unknown): JsonObject {
	const names = fieldPath.split('.');
	return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as JsonObject;
}

function toForm(variables: JsonObject, form: SendFields['variablesAs']): unknown {
	if (form === 'object') return variables;
	if (form === 'list') return Object.values(variables);
	return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/**
 * A list in any shape: a bare array, or an envelope with exactly one array in it, under any name, or
 * in its object `data` or the like. Undefined for anything else.
 */
export function readPage(answer: unknown): Page | undefined {
	if (Array.isArray(answer)) return { rows: answer };
	if (!isJsonObject(answer) || tellsOfError(answer)) return undefined;
	const page = readEnvelope(answer);
	if (page || Object.values(answer).some((value) => Array.isArray(value))) return page;

	const parts = WRAPPERS.map((name) => answer[name]).filter(isJsonObject);
	const [part, ...others] = parts;
	if (!part || others.length > 0 || tellsOfError(part)) return undefined;
	const inner = readEnvelope(part);
	if (!inner) return undefined;
	return {
		...inner,
		total: inner.total ?? readTotal(answer, inner.rows.length),
		...moreOf(answer),
	};
}

/** The objects in which some services put all that they answer. */
const WRAPPERS = ['data', 'result', 'results', 'response', 'payload', '_embedded'];

/** What is there for other things than records. */
const NO_LIST_KEYS = ['detail', 'details', 'error', 'errors', 'message', 'messages', 'warnings'];

/** Some services answer with success, and say in the body that there was none. */
function tellsOfError({ success, ok, status, error, errors }: JsonObject): boolean {
	if (success === false || ok === false || status === 'error' || status === 'fail') return true;
	return Boolean(error) || (Array.isArray(errors) ? errors.length > 0 : Boolean(errors));
}

function readEnvelope(answer: JsonObject): Page | undefined {
	const names = Object.keys(answer).filter((name) => !NO_LIST_KEYS.includes(name));
	const arrays = names.map((name) => answer[name]).filter((value) => Array.isArray(value));
	const rows = Array.isArray(answer.data) ? answer.data : arrays[0];
	// A record, one of whose fields is a list.
	if (!Array.isArray(answer.data) && 'id' in answer) return undefined;
	if (!rows) return readEmptyList(answer, names);
	if (arrays.length > 1 && rows !== answer.data) return undefined;
	return { rows, total: readTotal(answer, rows.length), ...moreOf(answer) };
}

/**
 * Services written in Go answer null for a list without rows. It is one if it is all there is, or if
 * there is a total too, by which it is known whether rows are missing.
 */
function readEmptyList(answer: JsonObject, names: string[]): Page | undefined {
	const total = readTotal(answer, 0);
	const nulls = names.filter((name) => answer[name] === null && !MORE_KEYS.includes(name));
	const isOnly = Object.keys(answer).length === 1;
	const isEmpty = (nulls.length === 1 || answer.data === null) && (isOnly || total !== undefined);
	return isEmpty ? { rows: [], total } : undefined;
}

const TOTAL_KEYS = [
	'total',
	'total_count',
	'totalCount',
	'total_items',
	'totalItems',
	'totalElements',
];

/** How many records the whole list has. A `count` may be that of the page. */
function readTotal(answer: JsonObject, rowCount: number): number | undefined {
	const totals = pagingPlaces(answer).flatMap((place) =>
		TOTAL_KEYS.map((key) => readCount(place[key])),
	);
	const count = readCount(answer.count);
	return (
		totals.find((total) => total !== undefined) ?? (Number(count) > rowCount ? count : undefined)
	);
}

const MORE_KEYS = [
	'has_more',
	'hasMore',
	'has_next',
	'next',
	'next_cursor',
	'nextCursor',
	'next_page',
	'next_page_url',
];

/** Whether the service says that there are more records than these. */
function moreOf(answer: JsonObject): { hasMore?: boolean } {
	const hasMore = pagingPlaces(answer).some(
		(place) => place.last === false || MORE_KEYS.some((key) => Boolean(place[key])),
	);
	return hasMore ? { hasMore } : {};
}

/** An envelope and the objects in it in which services tell about its pages. */
function pagingPlaces(answer: JsonObject): JsonObject[] {
	const names = ['meta', 'pagination', 'paging', 'page', 'links', '_links'];
	const inner = names.map((name) => answer[name]).filter(isJsonObject);
	return [answer, ...inner, ...inner.map(({ pagination }) => pagination).filter(isJsonObject)];
}

/** Some services answer -1 for a number they do not know. */
function readCount(value: unknown): number | undefined {
	const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
	return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined;
}

/** A record of a list: objects as they are; a bare text or number is the record's name, or its id. */
export function readListRecord(row: unknown, textsAre: 'id' | 'name' = 'name'): WireRecord {
	return isJsonObject(row) ? (row as WireRecord) : { [textsAre]: row as string };
}

/**
 * The output of an operation whose answer is not shown: what was sent, and what the service
 * answered. An answer that would look like a failed item to n8n stays below `answer`.
 */
export function withAnswer(sent: JsonObject, answer: unknown): WireRecord {
	const known = ('error' in sent ? { body: sent } : sent) as WireRecord;
	if (answer === undefined) return known;
	if (isJsonObject(answer) && !('error' in answer)) return { ...known, ...(answer as WireRecord) };
	return { ...known, answer: answer as WireRecord };
}

/** How a record is shown in a drop-down, and the value that stands for it in a request. */
export interface Choice {
	name: string;
	value: string;
}

const NAME_KEYS = ['name', 'title', 'label', 'display_name', 'url', 'phone'];
const ID_KEYS = ['id', 'uuid', '_id', 'key', 'slug'];

/** What a record is of; its fields may be called so: `template_id`, `templateName`. */
export type RecordKind = 'automation' | 'event' | 'segment' | 'subscription' | 'tag' | 'template';

/** A drop-down entry for a record of any kind; undefined when nothing in it could identify it. */
export function readChoice(row: unknown, kind?: RecordKind): Choice | undefined {
	const record = readListRecord(row);
	const own = kind === undefined ? [] : [`${kind}_name`, `${kind}Name`, kind];
	const name = firstText(record, [...NAME_KEYS, ...own]);
	const ownIds = kind === undefined ? [] : [`${kind}_id`, `${kind}Id`, `${kind}_key`];
	const value = firstText(record, [...ID_KEYS, ...ownIds]) ?? name;
	return value === undefined ? undefined : { name: name ?? value, value };
}

/** The first of several fields that has a text or a number. */
export function firstText(record: WireRecord, keys: string[]): string | undefined {
	const values = keys.map((key) => record[key]);
	const found = values.find(
		(value) => typeof value === 'number' || (typeof value === 'string' && value !== ''),
	);
	return found === undefined ? undefined : String(found);
}
