import { tryParseJson } from '../domain/plainData';

/**
 * Reads a body that the service sent: an answer or a delivery. An integer that would lose digits as a number (from
 * 2^53 on) becomes a text: otherwise, an ID would be that of something else.
 *
 * @param hide changes the text before it is read
 * @returns undefined if it is not JSON. The value of a blank body is undefined
 */
export function readJson(
	body: Buffer,
	hide = (text: string) => text,
): { value: unknown } | undefined {
	// `trim` also removes a byte order mark.
	const text = body.toString('utf8').trim();
	if (text === '') return { value: undefined };
	const json = hide(plainly(text));
	const value = tryParseJson(json);
	if (value === undefined) return undefined;
	return { value: MAY_LOSE_DIGITS.test(json) ? tryParseJson(quoteLostIntegers(json)) : value };
}

/** In JSON, each character can be written as an escape, also those of what is to be hidden. */
function plainly(json: string): string {
	return json.replace(ESCAPE, (escape) =>
		JSON.stringify(JSON.parse(`"${escape}"`) as string).slice(1, -1),
	);
}

/** Of a character that a header can hold. Of two backslashes, the second begins none. */
const ESCAPE = /\\(?:[\\/]|u00[\da-fA-F]{2})/g;

/** Numbers keep 15 digits. It may also match within texts. */
const MAY_LOSE_DIGITS = /(^|[:,[\s])-?\d{16}/;

/**
 * A quote, an escape in a text, or a number. Not a whole text: of one with millions of characters, a pattern would
 * overflow the stack.
 */
const TOKEN = /"|\\.|-?\d[\d.eE+-]*/g;

/** @param json valid JSON, so that each text in it has an end */
function quoteLostIntegers(json: string): string {
	let isText = false;
	return json.replace(TOKEN, (token) => {
		if (token === '"') isText = !isText;
		return isText ? token : quoteIfLost(token);
	});
}

function quoteIfLost(literal: string): string {
	const isShort = literal.length < 16;
	if (isShort || /[.eE]/.test(literal) || String(Number(literal)) === literal) return literal;
	return `"${literal}"`;
}
