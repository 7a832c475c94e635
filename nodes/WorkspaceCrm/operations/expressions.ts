/** What a saved parameter holds: a value, or an expression, which is a text that begins with `=`. */
import { isJsonObject } from '../domain/json';

/** What an expression comes to if all that it joins is missing, such as "undefined undefined". */
const NOTHING = /undefined|null|NaN|\[object Object\]|[\s,]/g;

/** What stands in expressions that the model of an AI agent fills in. */
const FROM_MODEL = /\$fromAI\b/i;

/** Whether a saved value is an expression, or has one in it. */
export function holdsExpression(saved: unknown): boolean {
	if (typeof saved === 'string') return saved.startsWith('=');
	return typeof saved === 'object' && saved !== null && Object.values(saved).some(holdsExpression);
}

/** Whether the model of an AI agent fills in a saved value, or a part of it. */
export function isFromModel(saved: unknown): boolean {
	return FROM_MODEL.test(JSON.stringify(saved));
}

/** The saved value under a name, or the expression that stands for all values. */
export function partOfSaved(saved: unknown, name: string): unknown {
	return isJsonObject(saved) ? saved[name] : saved;
}

/** Whether a value is more than a field left blank. An expression in which nothing stands is blank, too. */
export function isGiven(value: unknown, saved: unknown): boolean {
	if (value === undefined || value === null) return false;
	return value !== '' || (saved !== '=' && holdsExpression(saved));
}

/** Whether a value says nothing: blanks, or an array or a locator of nothing else. */
export function isEmpty(value: unknown, nothing = /\s/g): boolean {
	const content = isJsonObject(value) && 'value' in value ? value.value : value;
	if (Array.isArray(content)) return content.every((entry) => isEmpty(entry, nothing));
	if (content === undefined || content === null) return true;
	return typeof content !== 'object' && String(content).replace(nothing, '') === '';
}

/** Whether what an expression gave is nothing, or texts that stand for nothing. */
export function givesNothing(value: unknown): boolean {
	return isEmpty(value, NOTHING);
}
