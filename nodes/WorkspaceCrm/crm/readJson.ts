import { tryParseJson } from '../domain/json';

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

/** A number, outside of texts. */
const NUMBER = /-?\d[\d.eE+-]*/g;

/** @param json valid JSON, so that each text in it has an end */
function quoteLostIntegers(json: string): string {
	const parts: string[] = [];
	for (let at = 0; at < json.length; ) {
		const quote = json.indexOf('"', at);
		const start = quote < 0 ? json.length : quote;
		const end = endOfText(json, start);
		parts.push(json.slice(at, start).replace(NUMBER, quoteIfLost), json.slice(start, end));
		at = end;
	}
	return parts.join('');
}

function quoteIfLost(literal: string): string {
	const isShort = literal.length < 16;
	if (isShort || /[.eE]/.test(literal) || String(Number(literal)) === literal) return literal;
	return `"${literal}"`;
}

/** @param start the place of its first quote */
function endOfText(json: string, start: number): number {
	let at = start + 1;
	while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
	return at + 1;
}
