/**
 * What the API reference leaves open ("Endpoints with unstated payloads"), and what we assume.
 *
 * Requests: one default body each, which the user can extend or replace in the editor. Answers: the
 * plain forms are accepted. Anything else is an error that says what arrived.
 */
import { isJsonObject, mergeJson, type JsonObject } from '../domain/plainData';
import { asName } from '../domain/sameText';
import type { CredentialFields } from './apiKey';
import type { Form } from './endpoints';
import { textOrEmpty, type WireRecord } from './records';

/** The labels of the settings in the credential that change the bodies. */
export const SETTINGS = {
	switch: 'Different Field Names (Advanced)',
	contactField: 'Contact Field',
	contactAs: 'Contact As',
	templateField: 'Template Field',
	variablesField: 'Variables Field',
	variablesAs: 'Variables As',
	enrollContactField: 'Enrollment Contact Field',
	enrollContactAs: 'Enrollment Contact As',
} as const;

/**
 * The field names in the two bodies that the API reference does not show, from the credential; blank
 * settings get our assumed names. Dots separate nested fields: `template.name`.
 */
export function readBodyFields(credential: CredentialFields) {
	const given = credential.otherFieldNames === true ? credential : {};
	const readName = (value: unknown, assumed: string) =>
		(typeof value === 'string' && value.trim()) || assumed;
	const readContactAs = (value: unknown) => (value === 'phone' ? 'phone' : 'id');
	const { variablesAs } = given;
	return {
		send: {
			contactField: readName(given.contactField, 'contact_id'),
			contactAs: readContactAs(given.contactAs),
			templateField: readName(given.templateField, 'template'),
			variablesField: readName(given.variablesField, 'variables'),
			variablesAs: variablesAs === 'list' || variablesAs === 'pairs' ? variablesAs : 'object',
		},
		enroll: {
			contactField: readName(given.enrollContactField, 'contact_id'),
			contactAs: readContactAs(given.enrollContactAs),
		},
	};
}

export type BodyFields = ReturnType<typeof readBodyFields>;
export type SendFields = BodyFields['send'];
export type EnrollFields = BodyFields['enroll'];

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

/** `{ "1": "Anna" }`, `["Anna"]`, or `[{ "name": "1", "value": "Anna" }]`. */
function toForm(variables: JsonObject, form: SendFields['variablesAs']): unknown {
	if (form === 'object') return variables;
	if (form === 'list') return Object.values(variables);
	return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

/** One page of a list; `total` is undefined if the service gives no count. */
export interface Page {
	records: WireRecord[];
	total?: number;
}

/**
 * A list: a bare array, the array `data`, or the only array of an object, which may have a `total`.
 * Undefined for anything else, a single record included.
 */
export function readPage(answer: unknown, form: Form): Page | undefined {
	const { data, total, id } = isJsonObject(answer) ? answer : { data: answer };
	const arrays = Object.values(answer ?? {}).filter((value) => Array.isArray(value));
	const [rows, ...others]: unknown[][] = Array.isArray(data) ? [data] : arrays;
	if (!rows || others.length > 0 || id !== undefined) return undefined;
	// A total below the length of the page counts something else.
	const count = typeof total === 'string' && /^\d{1,15}$/.test(total) ? Number(total) : total;
	const isCount = Number.isSafeInteger(count) && Number(count) >= rows.length;
	// Lists in pages are of contacts, which have IDs.
	const stringKey = form === 'pages' ? 'id' : 'name';
	const records = rows.map((row) => readListRecord(row, stringKey));
	return { records, total: isCount ? Number(count) : undefined };
}

/** Returns objects unchanged; a bare string or number becomes `{ name }` or `{ id }`. */
function readListRecord(row: unknown, stringKey: 'id' | 'name' = 'name'): WireRecord {
	return isJsonObject(row) ? (row as WireRecord) : { [stringKey]: row as string };
}

/**
 * The output of an operation whose answer the reference does not show: the body that was sent, merged
 * with the answer. An answer with an `error` field goes under `answer`, because n8n treats items with
 * `error` as failed.
 */
export function withAnswer(sent: JsonObject, answer: unknown): WireRecord {
	const known = ('error' in sent ? { body: sent } : sent) as WireRecord;
	if (answer === undefined) return known;
	if (isJsonObject(answer) && !('error' in answer)) return { ...known, ...(answer as WireRecord) };
	return { ...known, answer: answer as WireRecord };
}

/** A drop-down entry: the label, and the value to send. */
export interface Choice {
	name: string;
	value: string;
	/** What the record says, shown behind the label. */
	text?: string;
}

/** A drop-down entry for a record; undefined if it has neither a name nor an ID. */
export function readChoice(row: unknown): Choice | undefined {
	const record = readListRecord(row);
	const name = firstText(record, ['name', 'title', 'url', 'event']);
	const value = firstText(record, ['id', 'key']) ?? name;
	return value === undefined ? undefined : { name: name ?? value, value };
}

/** The first of several fields that has a text or a number. */
function firstText(record: WireRecord, names: string[]): string | undefined {
	return names.map((name) => textOrEmpty(record[name])).find((text) => text.trim() !== '');
}

export const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+(?: [\p{L}\p{N}_.-]+)*)\s*\}\}/gu;

/**
 * The names of a template's variables, in their order: those of the list `variables`, or else the
 * placeholders such as {{1}} or {{first_name}} in the texts of its record. Undefined if its record shows
 * neither a list nor a text: then nobody knows.
 */
export function readTemplateVariables(template: WireRecord): string[] | undefined {
	const listed = Array.isArray(template.variables) ? template.variables : undefined;
	const names = (listed ?? []).map(
		(entry) => firstText(readListRecord(entry), ['name', 'key', 'id']) ?? '',
	);
	const placed = textsIn(template).flatMap((text) =>
		[...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name),
	);
	for (const found of [names, placed]) {
		const variables = [...new Set(found)].filter((name) => name !== '');
		if (variables.length > 0) return variables;
	}
	const isEmptyList = listed?.length === 0;
	return isEmptyList || readTemplateText(template) !== undefined ? [] : undefined;
}

/** What a template can be called in a request, for comparing: its ID or key, and its name. */
export function callsOfTemplate(template: WireRecord): string[] {
	const names = [readChoice(template)?.value ?? '', textOrEmpty(template.name)];
	return [...new Set(names.map(asName))].filter((name) => name !== '');
}

/**
 * The text of a template: the longest one in its record, beside its name. Texts of ASCII characters without a
 * blank are keys and addresses.
 */
export function readTemplateText(template: WireRecord): string | undefined {
	const texts = textsIn(template).filter(
		(text) => text !== template.name && /\S\s+\S|[^\p{ASCII}]/u.test(text),
	);
	return texts.sort((a, b) => b.length - a.length)[0];
}

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
