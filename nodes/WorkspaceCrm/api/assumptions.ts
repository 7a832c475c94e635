/**
 * What the API reference leaves open ("Endpoints with unstated payloads"), and what we assume.
 *
 * Requests: one default body each, which the user can extend or replace in the editor.
 * Answers: every reasonable shape is accepted; what cannot be read is never passed over in silence.
 */
import type { IDataObject } from 'n8n-workflow';

import { isJsonObject, type JsonObject } from '../domain/json';
import type { Page } from './pagination';

/** POST /v1/messages/template: request body not shown. */
export function sendTemplateBody(
	contactId: string,
	template: string,
	variables: JsonObject,
): JsonObject {
	const hasVariables = Object.keys(variables).length > 0;
	return { contact_id: contactId, template, ...(hasVariables && { variables }) };
}

/** POST /v1/automations/{id}/enroll: request body not shown. */
export function enrollBody(contactId: string): JsonObject {
	return { contact_id: contactId };
}

/**
 * A list in any shape: a bare array, or an envelope with exactly one array in it, under any name.
 * Undefined for anything else.
 */
export function readPage(answer: unknown): Page | undefined {
	if (Array.isArray(answer)) return { rows: answer };
	if (!isJsonObject(answer)) return undefined;

	const total = readCount(answer.total);
	const arrays = Object.values(answer).filter((value) => Array.isArray(value));
	const rows = Array.isArray(answer.data) ? answer.data : arrays[0];
	if (!rows && isEmptyList(answer, total)) return { rows: [], total };
	if (!rows || (arrays.length > 1 && rows !== answer.data)) return undefined;
	return { rows, total };
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
export function readListRecord(row: unknown, textsAre: 'id' | 'name' = 'name'): IDataObject {
	return isJsonObject(row) ? (row as IDataObject) : { [textsAre]: row as string };
}

/**
 * The output of an operation whose answer is not shown: what was sent, and what the service
 * answered. An answer that would look like a failed item to n8n stays below `answer`.
 */
export function withAnswer(sent: JsonObject, answer: unknown): IDataObject {
	const known = ('error' in sent ? { body: sent } : sent) as IDataObject;
	if (answer === undefined) return known;
	if (isJsonObject(answer) && !('error' in answer)) return { ...known, ...(answer as IDataObject) };
	return { ...known, answer: answer as IDataObject };
}

/** How a record is shown in a drop-down, and the value that stands for it in a request. */
export interface Choice {
	name: string;
	value: string;
}

const NAME_KEYS = ['name', 'title', 'label', 'display_name', 'url', 'phone'];
const ID_KEYS = ['id', 'uuid', 'key', 'slug', ...NAME_KEYS];

/** A drop-down entry for a record of any kind; undefined when nothing in it could identify it. */
export function readChoice(row: unknown): Choice | undefined {
	const record = readListRecord(row);
	const value = firstText(record, ID_KEYS);
	return value === undefined ? undefined : { name: firstText(record, NAME_KEYS) ?? value, value };
}

function firstText(record: IDataObject, keys: string[]): string | undefined {
	const values = keys.map((key) => record[key]);
	const found = values.find(
		(value) => typeof value === 'number' || (typeof value === 'string' && value !== ''),
	);
	return found === undefined ? undefined : String(found);
}

const VARIABLE_LIST_KEYS = ['variables', 'parameters', 'params', 'placeholders'];

/**
 * The names of a template's variables, in their order; the fields of a template are not shown. They
 * stand in a list (of names, or of records with a name), or their number does, or they are
 * placeholders such as {{1}} or {{first_name}} in a text of the record, however deep.
 */
export function readTemplateVariables(template: IDataObject): string[] {
	const told = VARIABLE_LIST_KEYS.map((key) => template[key]).find(
		(value) => Array.isArray(value) || typeof value === 'number',
	);
	if (typeof told === 'number') return Array.from({ length: told }, (_, index) => `${index + 1}`);
	const names = Array.isArray(told)
		? told.flatMap((entry) => firstText(readListRecord(entry), ['name', 'key', 'id']) ?? [])
		: textsIn(template).flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name));
	return [...new Set(names)];
}

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu;

/** How much of a template's text is shown on each side of a variable; the editor cuts long labels. */
const SHOWN_CHARACTERS = 14;

/**
 * Where a variable stands in the template's text, with a few words around it; undefined when no text
 * of the record has it. To a person, "1" alone says nothing.
 */
export function readVariableContext(template: IDataObject, name: string): string | undefined {
	for (const text of textsIn(template)) {
		for (const { 0: placeholder, 1: found, index } of text.matchAll(PLACEHOLDER)) {
			if (found !== name) continue;
			const before = text.slice(0, index).replace(/\s+/g, ' ');
			const after = text.slice(index + placeholder.length).replace(/\s+/g, ' ');
			return `${endOf(before)}${placeholder}${startOf(after)}`.trim();
		}
	}
	return undefined;
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

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(textsIn);
}
