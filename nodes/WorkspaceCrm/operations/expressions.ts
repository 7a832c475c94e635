/** Saved parameters hold values or expressions, which are strings that begin with `=`. */
import { isJsonObject } from '../domain/json';

/** The parts of an expression's result that stand for missing values, as in "undefined undefined". */
const NOTHING = /undefined|null|NaN|\[object Object\]|[\s,]/g;

/** Marks expressions that the model of an AI agent fills in. */
const FROM_MODEL = /\$fromAI\b/i;

/** Whether a saved value is or contains an expression. */
export function holdsExpression(saved: unknown): boolean {
	if (typeof saved === 'string') return saved.startsWith('=');
	return typeof saved === 'object' && saved !== null && Object.values(saved).some(holdsExpression);
}

/** Whether the model of an AI agent fills in any part of a saved value. */
export function isFromModel(saved: unknown): boolean {
	return FROM_MODEL.test(JSON.stringify(saved));
}

/** The saved value of one field; or the whole expression, if one expression replaces all fields. */
export function partOfSaved(saved: unknown, name: string): unknown {
	return isJsonObject(saved) ? saved[name] : saved;
}

/** Whether the user gave a value. An empty text counts only if an expression evaluated to it. */
export function isGiven(value: unknown, saved: unknown): boolean {
	if (value === undefined || value === null) return false;
	return value !== '' || (saved !== '=' && holdsExpression(saved));
}

/** Whether a value is empty: blank text, or an array or locator of blank text. */
export function isEmpty(value: unknown, nothing = /\s/g): boolean {
	const content = isJsonObject(value) && 'value' in value ? value.value : value;
	if (Array.isArray(content)) return content.every((entry) => isEmpty(entry, nothing));
	if (content === undefined || content === null) return true;
	return typeof content !== 'object' && String(content).replace(nothing, '') === '';
}

/** Whether an expression evaluated to nothing, or to text such as "undefined". */
export function givesNothing(value: unknown): boolean {
	return isEmpty(value, NOTHING);
}
