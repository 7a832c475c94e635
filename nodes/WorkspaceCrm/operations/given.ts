/**
 * What a field is given: whether a value is nothing, and whether the text of an expression is made of values.
 * Every field, row, column and variable asks here.
 */
import { isJsonObject, isNothing, plainValue } from '../domain/json';
import { assertNoSheetError } from '../domain/sheetErrors';
import { usable } from '../domain/typedValues';
import { InputProblem, MAX_SHOWN_CHARACTERS, quoted } from '../domain/problem';
import { plainText } from '../domain/text';
import { codesInBraces, cutExpression, type Cut } from '../n8n/expressions';
import {
	flawOf,
	flawOfTexts,
	isLeftForNothing,
	isLeftover,
	holdsSuspicious,
	NO_VALUE,
	saysBlank,
	allTextsIn,
	UNREADABLE,
	type Flaw,
} from './leftovers';

/** Where a value comes from. */
export interface Origin {
	/**
	 * The value as the workflow holds it. Texts that begin with `=` are expressions. Undefined for what was
	 * chosen from a list.
	 */
	saved: unknown;
	/** The name of the field in the editor, for the error. */
	label: string;
	/** Whether a blank part of it is refused: people read it, or it limits what the node does. */
	needsAllParts?: boolean;
	/** Evaluates an expression, written with its braces, for the same item. */
	evaluate(expression: string): unknown;
}

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
	const cut = cutExpression(saved);
	return isWhole(cut) ? cut.codes[0]?.trim() : undefined;
}

function isWhole({ codes, literals }: Cut): boolean {
	return codes.length === 1 && literals.every((literal) => literal === '');
}

/** What n8n evaluates, and no placeholder that a service fills in, such as {{1}}. */
const N8N_CODE = /\$|\bDate(?:Time)?\b/;

/** A name of n8n's with code behind it, or at the end: `$json.first`, `$('Form').item`, `$now`. Not `$5` or "A$AP". */
const REFERENCE =
	/\$(?:\(\s?["'`]|(?:binary|env|execution|fromAI|if|input|itemIndex|json|node|now|prevNode|runIndex|today|vars|workflow)(?:[.[(]\S|["'`]|\s?$))/;

/** Whether a saved value holds code, in `{{ }}` or not. JSON may hold the braces of placeholders. */
export function holdsCode(saved: unknown): boolean {
	const isCode = (code: string) => N8N_CODE.test(code);
	return allTextsIn(saved).some((text) => REFERENCE.test(text) || codesInBraces(text).some(isCode));
}

/**
 * Decides whether a value is given, for every field, row and variable.
 *
 * @param value in plain data: see `plainValue`
 * @returns the value; undefined if it is nothing
 * @throws InputProblem for what is no value, a spreadsheet's error unless it was chosen from a list, a fixed text with code in it, and for a text of an expression in which a part is no value:
 * it would reach customers as "Hi undefined"
 */
export function givenValue(value: unknown, origin: Origin): unknown {
	if (isNothing(value)) return undefined;
	usable(value, origin.label);
	if (origin.saved !== undefined) assertNoSheetError(value, origin.label);
	if (typeof value === 'string' && holdsExpression(origin.saved)) {
		if (isLeftForNothing(value)) return undefined;
		// Of a sync's many thousands of texts, hardly any needs a closer look.
		const isPlain = !holdsSuspicious(value) && !REFERENCE.test(value);
		if (!origin.needsAllParts && isPlain) return value;
	}
	const problem = problemOf(value, origin.saved, origin);
	if (problem) throw problem;
	return value;
}

/**
 * A value of the item itself, such as a cell: undefined if it is nothing, or what an earlier node has left for
 * nothing. Whatever else it says, somebody meant it.
 */
export function givenCell(value: unknown): unknown {
	const isLeft = typeof value === 'string' && isLeftover(value);
	return isLeft || isNothing(value) ? undefined : value;
}

function problemOf(value: unknown, saved: unknown, origin: Origin): InputProblem | undefined {
	if (typeof saved !== 'string') return problemInside(value, saved, origin);
	if (!holdsExpression(saved)) return fixedProblem(saved, codesInBraces(saved), origin);
	const isDoubtful = holdsSuspicious(value);
	const cut = cutExpression(saved);
	if (cut.codes.length === 0) return fixedProblem(saved.slice(1), [], origin);
	if (!isDoubtful && (isWhole(cut) || !origin.needsAllParts)) return undefined;
	if (!isWhole(cut)) return problemOfParts(value, cut.codes, origin);
	const [code = ''] = cut.codes;
	const flaw =
		typeof value === 'string' ? flawOf(value, code) : flawOfTexts(allTextsIn(value), code);
	return flaw && partProblem(value, code, flaw, origin.label);
}

/** Of a value that is saved in parts, each an expression or fixed. */
function problemInside(value: unknown, saved: unknown, origin: Origin): InputProblem | undefined {
	if (typeof saved !== 'object' || saved === null) return undefined;
	for (const name of Object.keys(saved)) {
		const problem = problemOf(partOf(value, name), partOf(saved, name), origin);
		if (problem) return problem;
	}
	return undefined;
}

/**
 * Evaluates each part of a joined text once more, alone: for people, to see whether it is blank, else if a look at the
 * text raises a doubt. Never to build the text, because the time differs.
 */
function problemOfParts(value: unknown, codes: readonly string[], origin: Origin) {
	const isJson = typeof value !== 'string';
	for (const code of codes) {
		const flaw = flawOfPart(code, origin, isJson);
		if (flaw) return partProblem(value, code, flaw, origin.label);
	}
	return undefined;
}

function flawOfPart(code: string, origin: Origin, isInJson: boolean): Flaw | undefined {
	let written: unknown;
	let value: unknown;
	try {
		written = origin.evaluate(`{{${code}}}`);
		value = plainValue(written);
	} catch {
		return UNREADABLE;
	}
	// n8n also writes nothing for a big zero.
	const isBlank = isNothing(value) || written === 0n;
	const mustSay = isBlank && origin.needsAllParts && !saysBlank(code);
	return flawOf(value, code, isInJson) ?? (mustSay ? NO_VALUE : undefined);
}

function partProblem(value: unknown, code: string, { does, remedy }: Flaw, label: string) {
	return new InputProblem(
		`'${label}' would be ${quoted(value)}, because {{ ${plainText(code.trim(), MAX_SHOWN_CHARACTERS)} }} ${does}`,
		remedy,
	);
}

function fixedProblem(text: string, codes: readonly string[], { label }: Origin) {
	if (codes.length === 0 && !REFERENCE.test(text)) return undefined;
	return new InputProblem(
		`'${label}' would be ${quoted(text)}, as it is written`,
		"Nothing was sent. Switch this field to 'Expression', and write what n8n fills in between {{ and }}, such as {{ $json.name }}. Or write the value itself in place of a placeholder.",
		'Nothing was done. This field of the node must be switched to an expression by a person.',
	);
}
