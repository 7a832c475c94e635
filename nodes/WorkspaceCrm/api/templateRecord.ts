/** What the record of a template tells. Its fields are not shown (API reference, records without stated fields). */
import { firstText, readListRecord } from './assumptions';
import type { WireRecord } from './types';

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
