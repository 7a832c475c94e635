/** Reads template records, whose fields the API reference does not show (records without stated fields). */
import { firstText, readListRecord } from './assumptions';
import type { WireRecord } from './types';

/** The text of a template: the longest string of several words in its record. */
export function readTemplateText(template: WireRecord): string | undefined {
	const texts = textsIn(template).filter((text) => /\S\s\S/.test(text));
	return texts.sort((a, b) => b.length - a.length)[0];
}

const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu;

/**
 * The names of a template's variables, in their order: those of the list `variables`, or else the
 * placeholders such as {{1}} or {{first_name}} in the texts of its record.
 */
export function readTemplateVariables(template: WireRecord): string[] {
	const { variables } = template;
	const names = Array.isArray(variables)
		? variables.map((entry) => firstText(readListRecord(entry), ['name', 'key', 'id']) ?? '')
		: textsIn(template).flatMap((text) =>
				[...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name),
			);
	return [...new Set(names)].filter((name) => name !== '');
}

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
