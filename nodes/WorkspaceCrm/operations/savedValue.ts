/** What the workflow has saved for a field: a value, or expressions, which begin with `=`. */
import { isJsonObject } from '../domain/plainData';
import { codesInBraces, cutExpression } from '../n8n/expressions';
import { allTextsIn } from './wordsForNothing';

/** A part of a saved value; or the whole expression, if one expression replaces all parts. */
export function partOf(saved: unknown, name: string): unknown {
	if (Array.isArray(saved)) return saved[Number(name)] as unknown;
	return isJsonObject(saved) ? saved[name] : saved;
}

/** Marks expressions that the model of an AI agent fills in. */
const FROM_MODEL = /\$fromAI\b/i;

/** Whether the model of an AI agent fills in any part of a saved value. */
export function isFromModel(saved: unknown): boolean {
	return FROM_MODEL.test(JSON.stringify(saved));
}

/** Whether a saved value is or contains an expression. A lone `=` is an expression left blank. */
export function holdsExpression(saved: unknown): boolean {
	if (typeof saved === 'string') return saved.startsWith('=') && saved !== '=';
	return typeof saved === 'object' && saved !== null && Object.values(saved).some(holdsExpression);
}

/** The code of a saved value that is one expression and nothing else. */
export function onlyCodeOf(saved: unknown): string | undefined {
	if (typeof saved !== 'string' || !holdsExpression(saved)) return undefined;
	const { codes, literals } = cutExpression(saved);
	const isWhole = codes.length === 1 && literals.every((literal) => literal === '');
	return isWhole ? codes[0]?.trim() : undefined;
}

/** What n8n evaluates, and no placeholder that a service fills in, such as {{1}}. */
const N8N_CODE = /\$|\bDate(?:Time)?\b/;

/** A name of n8n's with code behind it, or at the end: `$json.first`, `$('Form').item`, `$now`. Not `$5` or "A$AP". */
export const REFERENCE =
	/\$(?:\(\s?["'`]|(?:binary|env|execution|fromAI|if|input|itemIndex|json|node|now|prevNode|runIndex|today|vars|workflow)(?:[.[(]\S|["'`]|\s?$))/;

/** Whether a saved value holds code, in `{{ }}` or not. JSON may hold the braces of placeholders. */
export function holdsCode(saved: unknown): boolean {
	const isCode = (code: string) => N8N_CODE.test(code);
	return allTextsIn(saved).some((text) => REFERENCE.test(text) || codesInBraces(text).some(isCode));
}
