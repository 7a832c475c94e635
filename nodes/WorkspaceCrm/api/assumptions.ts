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
 * in one of its objects. Undefined for anything else.
 */
export function readPage(answer: unknown): Page | undefined {
	if (Array.isArray(answer)) return { rows: answer };
	if (!isJsonObject(answer)) return undefined;
	const page = readEnvelope(answer);
	if (page || Object.values(answer).some((value) => Array.isArray(value))) return page;

	const names = Object.keys(answer).filter((name) => !NO_LIST_KEYS.includes(name));
	const parts = (isJsonObject(answer.data) ? ['data'] : names).map((name) => answer[name]);
	const pages = parts.flatMap((part) => (isJsonObject(part) ? (readEnvelope(part) ?? []) : []));
	const [inner, ...others] = pages;
	return inner && others.length === 0
		? { ...inner, total: inner.total ?? readTotal(answer) }
		: undefined;
}

function readEnvelope(answer: JsonObject): Page | undefined {
	const total = readTotal(answer);
	const arrays = Object.values(answer).filter((value) => Array.isArray(value));
	const rows = Array.isArray(answer.data) ? answer.data : arrays[0];
	if (!rows && isEmptyList(answer, total)) return { rows: [], total };
	if (!rows || (arrays.length > 1 && rows !== answer.data)) return undefined;
	return { rows, total };
}

const TOTAL_KEYS = ['total', 'total_count', 'totalCount', 'total_items', 'totalItems'];

/** The objects of an envelope in which services tell about its pages. */
const PAGING_KEYS = ['meta', 'pagination', 'paging', 'page'];

/** How many records the whole list has. Never a mere `count`, which may be that of the page. */
function readTotal(answer: JsonObject): number | undefined {
	const places = [answer, ...PAGING_KEYS.map((key) => answer[key]).filter(isJsonObject)];
	const totals = places.flatMap((place) => TOTAL_KEYS.map((key) => readCount(place[key])));
	return totals.find((total) => total !== undefined);
}

const NO_LIST_KEYS = ['detail', 'error', 'errors', 'message'];

/**
 * Services written in Go answer null for a list without rows. It is one if it is all there is, or if
 * there is a total too, by which it is known whether rows are missing.
 */
function isEmptyList(answer: JsonObject, total: number | undefined): boolean {
	const keys = Object.keys(answer);
	const nulls = keys.filter((key) => answer[key] === null && !NO_LIST_KEYS.includes(key));
	return (nulls.length === 1 || answer.data === null) && (keys.length === 1 || total !== undefined);
}

/** Some services answer -1 for a number they do not know. */
function readCount(value: unknown): number | undefined {
	return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
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

/** A drop-down entry for a record of any kind; undefined when nothing in it could identify it. */
export function readChoice(row: unknown): Choice | undefined {
	const record = readListRecord(row);
	const name = firstText(record, NAME_KEYS) ?? onlyText(record, /(_name|[a-z]Name)$/);
	const value = firstText(record, ID_KEYS) ?? onlyText(record, /(_id|[a-z]Id)$/) ?? name;
	return value === undefined ? undefined : { name: name ?? value, value };
}

/** Such as `template_id`, unless there are several, of which nobody knows which it is. */
function onlyText(record: WireRecord, names: RegExp): string | undefined {
	const fitting = Object.keys(record).filter((name) => names.test(name));
	return fitting.length === 1 ? firstText(record, fitting) : undefined;
}

/** The first of several fields that has a text or a number. */
export function firstText(record: WireRecord, keys: string[]): string | undefined {
	const values = keys.map((key) => record[key]);
	const found = values.find(
		(value) => typeof value === 'number' || (typeof value === 'string' && value !== ''),
	);
	return found === undefined ? undefined : String(found);
}
