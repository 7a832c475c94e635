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

function firstText(record: WireRecord, keys: string[]): string | undefined {
	const values = keys.map((key) => record[key]);
	const found = values.find(
		(value) => typeof value === 'number' || (typeof value === 'string' && value !== ''),
	);
	return found === undefined ? undefined : String(found);
}

/** What a template says, as far as its record tells: its longest text of several words. */
export function readTemplateText(template: WireRecord): string | undefined {
	let longest: string | undefined;
	forEachText(template, (text) => {
		if (/\S\s\S/.test(text) && text.length > (longest?.length ?? 0)) longest = text;
	});
	return longest;
}

/** A variable of a template. */
export interface TemplateVariable {
	name: string;
	/**
	 * Where it stands in the template's text, with a few words around it; to a person, "1" alone says
	 * nothing. Undefined when no text of the record has it.
	 */
	context?: string;
}

/** More fields help nobody, and a record can tell of millions. */
const MAX_VARIABLES = 100;

/**
 * A template's variables, in their order; the fields of a template are not shown. They stand in a
 * list (of names, or of records with a name), or their number does, or they are placeholders such
 * as {{1}} or {{first_name}} in a text of the record, however deep.
 *
 * @returns at most 100, and whether there are more
 */
export function readTemplateVariables(template: WireRecord): {
	variables: TemplateVariable[];
	hasMore: boolean;
} {
	const told = readToldNames(template);
	const contexts = new Map<string, string>();
	forEachText(template, (text) => {
		for (const placeholder of text.matchAll(PLACEHOLDER)) {
			const [, name = ''] = placeholder;
			const isWanted = told ? told.has(name) : contexts.size <= MAX_VARIABLES;
			if (isWanted && !contexts.has(name)) contexts.set(name, contextOf(placeholder));
		}
	});
	const names = [...(told ?? contexts.keys())];
	const shown = names.slice(0, MAX_VARIABLES);
	const variables = shown.map((name) => ({ name, context: contexts.get(name) }));
	return { variables, hasMore: names.length > MAX_VARIABLES };
}

const VARIABLE_LIST_KEYS = ['variables', 'parameters', 'params', 'placeholders'];

/** The names that a list or a number gives, up to one more than are shown. */
function readToldNames(template: WireRecord): Set<string> | undefined {
	const told = VARIABLE_LIST_KEYS.map((key) => template[key]).find(
		(value) => Array.isArray(value) || typeof value === 'number',
	);
	if (told === undefined) return undefined;
	const names = new Set<string>();
	const count = Array.isArray(told) ? told.length : Number(told);
	for (let index = 0; index < count && names.size <= MAX_VARIABLES; index += 1) {
		const entry: unknown = Array.isArray(told) ? told[index] : index + 1;
		const name = firstText(readListRecord(entry), ['name', 'key', 'id']);
		if (name !== undefined) names.add(name);
	}
	return names;
}

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu;

/** How much of a template's text is shown on each side of a variable; the editor cuts long labels. */
const SHOWN_CHARACTERS = 14;

/** How much is looked at for that; most of it may be blanks. */
const NEAR_CHARACTERS = 100;

function contextOf({ 0: placeholder, index, input }: RegExpExecArray): string {
	const end = index + placeholder.length;
	const before = input.slice(Math.max(0, index - NEAR_CHARACTERS), index).replace(/\s+/g, ' ');
	const after = input.slice(end, end + NEAR_CHARACTERS).replace(/\s+/g, ' ');
	return `${endOf(before)}${placeholder}${startOf(after)}`.trim();
}

/** The last words of a text. */
function endOf(text: string): string {
	const end = text.slice(-SHOWN_CHARACTERS);
	return end === text ? text : end.replace(/^\S*\s/, '…');
}

/** The first words of a text. */
function startOf(text: string): string {
	const start = text.slice(0, SHOWN_CHARACTERS);
	return start === text ? text : start.replace(/\s\S*$/, '…');
}

/** Goes no deeper than answers may be. */
function forEachText(value: unknown, visit: (text: string) => void): void {
	if (typeof value === 'string') visit(value);
	if (typeof value !== 'object' || value === null) return;
	for (const part of Object.values(value)) forEachText(part, visit);
}
