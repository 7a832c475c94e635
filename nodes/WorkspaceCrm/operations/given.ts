/**
 * What a field is given: whether a value is nothing, or holds what an expression without a value left behind.
 * Every field, row, column and variable asks here.
 */
import { isJsonObject, type JsonObject } from '../domain/json';
import { isNothing } from '../domain/nothing';
import { InputProblem, quoted } from '../domain/problem';

/** What JavaScript writes into a text for a missing value, or for an object. */
const LEFTOVER = /undefined|\[object Object\]|(?<!\p{L})(?:null|NaN)(?!\p{L})/gu;

/** Where a value comes from: what the workflow has saved, and the input item. */
export interface Origin {
	/** The value as the workflow holds it. Texts that begin with `=` are expressions. */
	saved: unknown;
	item: JsonObject;
	/** The name of the field in the editor, for the error. */
	label: string;
}

/** The origin of a value that is read from the item by the name of its field. */
export const FROM_ITEM = '={{ $json }}';

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

/**
 * Decides whether a value is given, for every field, row, column and variable.
 *
 * An expression without a value makes `undefined`, or texts such as "undefined undefined" and "Hi undefined".
 * The former are nothing; the latter would reach customers.
 *
 * @returns the value; undefined if it is nothing
 * @throws InputProblem for a text with a leftover that stands neither in the saved text nor in the item
 */
export function givenValue(value: unknown, origin: Origin): unknown {
	if (isNothing(value)) return undefined;
	if (!holdsExpression(origin.saved)) return value;
	if (typeof value === 'string' && isOnlyLeftovers(value)) return undefined;
	const problem = leftoverProblem(value, origin);
	if (problem) throw problem;
	return value;
}

/** Such as "undefined, undefined", or an empty list as text, where expressions have no value. */
function isOnlyLeftovers(text: string): boolean {
	if (hasLeftover(text)) return /^[\s\p{P}]*$/u.test(text.replace(LEFTOVER, ''));
	return /^[\s,]*$/.test(text) || ['[]', '""'].includes(text.trim());
}

/** The problem of a text with a leftover, also at any depth of an object or a list. */
function leftoverProblem(value: unknown, { saved, item, label }: Origin): InputProblem | undefined {
	const texts = textsIn(value).filter(hasLeftover);
	if (texts.length === 0) return undefined;
	const known = [...textsIn(saved).flatMap(literalsOf), ...textsIn(item)];
	const made = texts.filter((text) => !known.includes(text)).flatMap(leftoversOf);
	const isKnown = ({ contexts }: Leftover) =>
		contexts.some((context) => known.some((text) => text.includes(context)));
	const unknown = made.find((each) => !isKnown(each));
	if (!unknown) return undefined;
	return new InputProblem(
		`'${label}' would be ${quoted(value)}, because its expression has no value for a part of it`,
		`Say in the expression what to use instead of '${unknown.word}', such as {{ $json.first ?? '' }}. If the text of another node contains this word, put that text into a field of the item first.`,
	);
}

/** A sync asks it of many thousands of texts, so it makes no list. */
function hasLeftover(text: string): boolean {
	return text.search(LEFTOVER) >= 0;
}

/** A leftover in a text, and the same with the word before or behind it. */
interface Leftover {
	word: string;
	contexts: string[];
}

/** With its neighbours, because other fields of an item often hold the text "null". */
function leftoversOf(text: string): Leftover[] {
	return [...text.matchAll(LEFTOVER)].map(({ 0: word, index }) => {
		const end = index + word.length;
		const [before = ''] = /\S*\s*$/.exec(text.slice(0, index)) ?? [];
		const [behind = ''] = /^\s*\S*/.exec(text.slice(end)) ?? [];
		const contexts = [before.trim() && before + word, behind.trim() && word + behind];
		return { word, contexts: contexts.filter((context) => context !== '') };
	});
}

/** What an expression says literally: outside of its braces, and in quotes. In code, such words are no text. */
function literalsOf(saved: string): string[] {
	if (!holdsExpression(saved)) return [saved];
	const outside = saved.slice(1).split(/\{\{[^]*?\}\}/);
	const inQuotes = [
		...saved.matchAll(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g),
	];
	return [
		...outside,
		...inQuotes.map(([, double, single, template]) => double ?? single ?? template ?? ''),
	];
}

/** All texts of a value, also names of fields. Dates and other classes have none. */
function textsIn(value: unknown): string[] {
	const found: string[] = [];
	const left: unknown[] = [value];
	const seen = new Set<unknown>();
	while (left.length > 0) {
		const part = left.pop();
		if (typeof part === 'string') found.push(part);
		if (!(Array.isArray(part) || isJsonObject(part)) || seen.has(part)) continue;
		seen.add(part);
		for (const [name, each] of Object.entries(part)) left.push(name, each);
	}
	return found;
}
