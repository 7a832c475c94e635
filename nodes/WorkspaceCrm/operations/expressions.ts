/** Saved parameters hold values or expressions, which are strings that begin with `=`. */
import { isJsonObject } from '../domain/json';

/** What an expression without a value evaluates to, as in "undefined undefined" or "[]". */
const NOTHING = /undefined|null|NaN|\[object Object\]|[\s,"[\]]/g;

/** Marks expressions that the model of an AI agent fills in. */
const FROM_MODEL = /\$fromAI\b/i;

/** Whether a saved value is or contains an expression. A lone `=` is an expression left blank. */
export function holdsExpression(saved: unknown): boolean {
	if (typeof saved === 'string') return saved.startsWith('=') && saved !== '=';
	return typeof saved === 'object' && saved !== null && Object.values(saved).some(holdsExpression);
}

/** Whether the model of an AI agent fills in any part of a saved value. */
export function isFromModel(saved: unknown): boolean {
	return FROM_MODEL.test(JSON.stringify(saved));
}

/** Whether a text is blank, an expression evaluated to nothing, or an array or locator holds only such. */
export function lacksValue(value: unknown, isExpression: boolean): boolean {
	const content = isJsonObject(value) && 'value' in value ? value.value : value;
	if (Array.isArray(content)) return content.every((entry) => lacksValue(entry, isExpression));
	if (content === undefined || content === null) return true;
	const nothing = isExpression ? NOTHING : /\s/g;
	return typeof content !== 'object' && String(content).replace(nothing, '') === '';
}
