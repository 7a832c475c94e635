/**
 * How n8n reads the text of an expression (`splitExpression` in @n8n/tournament, seen in n8n 2.41), and what can
 * be told of its code without running it. Takes time in proportion to the text.
 */

/** The texts outside of `{{ }}`, and the code in each, in turns: there is one text more. */
export interface Cut {
	literals: string[];
	codes: string[];
}

/** Cuts a saved expression, which begins with `=`, into slices of it. Backslashes stay. */
export function cutExpression(saved: string): Cut {
	const cut: Cut = { literals: [], codes: [] };
	let start = 1;
	for (;;) {
		const open = findBraces(saved, '{{', start);
		cut.literals.push(saved.slice(start, open));
		if (open === saved.length) return cut;
		// n8n also evaluates a last part that is not closed.
		const close = findBraces(saved, '}}', open + 2);
		cut.codes.push(saved.slice(open + 2, close));
		start = close + 2;
	}
}

/** The next braces without a backslash before them (two make one that is text); or the end of the text. */
function findBraces(text: string, braces: string, start: number): number {
	let from = start;
	for (;;) {
		const index = text.indexOf(braces, from);
		if (index < 0) return text.length;
		let before = index;
		while (before > from && text[before - 1] === '\\') before -= 1;
		if ((index - before) % 2 === 0) return index;
		from = index + 2;
	}
}

/** The code in all `{{ }}` of a text that is no expression, as far as there is any. */
export function codesInBraces(text: string): string[] {
	const codes: string[] = [];
	let open = text.indexOf('{{');
	while (open >= 0) {
		const close = text.indexOf('}}', open + 2);
		if (close < 0) break;
		codes.push(text.slice(open + 2, close).trim());
		open = text.indexOf('{{', close + 2);
	}
	return codes.filter((code) => code !== '');
}

/** The code of an expression, without what must not be taken for code. */
export interface Outline {
	/** Without blanks and comments. A quoted text is `""` if it is empty, else `"…"`; so is a pattern. */
	code: string;
	/** The quoted texts, as they are written, without those that are only compared with. */
	quoted: string[];
}

/** Behind one of these, or at the start, a slash begins a pattern. Elsewhere it divides. */
const BEFORE_PATTERN = '(,=:[!&|?{};+-*%<>~^';

/** Tells quoted texts, comments and patterns from the rest of JavaScript code. */
export function outlineOf(code: string): Outline {
	const quoted: string[] = [];
	const pieces: string[] = [];
	/** For each open template literal with code in it, how many braces were open there. */
	const templates: number[] = [];
	let braces = 0;
	let index = 0;
	const quote = (end: number) => {
		const text = code.slice(index + 1, end);
		// What code only compares with, it writes nowhere.
		const isCompared =
			/[!=]=$/.test(pieces.slice(-2).join('')) ||
			/^\s{0,9}[!=]=/.test(code.slice(end + 1, end + 13));
		if (!isCompared) quoted.push(text);
		pieces.push(text === '' ? '""' : '"…"');
		index = end + 1;
	};
	const template = () => {
		quote(endOfQuoted(code, index + 1, '`', '${'));
		if (code[index - 1] !== '$') return;
		pieces.push('${');
		templates.push(braces);
		index += 1;
	};
	while (index < code.length) {
		const character = code[index] ?? '';
		if (code.startsWith('//', index)) index = endOf(code, '\n', index);
		else if (code.startsWith('/*', index)) index = endOf(code, '*/', index + 2) + 2;
		else if (character === '"' || character === "'") {
			quote(endOfQuoted(code, index + 1, character, character));
		} else if (character === '`') template();
		else if (character === '}' && templates.at(-1) === braces) {
			templates.pop();
			template();
		} else if (character === '/' && BEFORE_PATTERN.includes(pieces.at(-1) ?? '(')) {
			pieces.push('"…"');
			index = endOfPattern(code, index + 1);
		} else {
			braces += Number(character === '{') - Number(character === '}');
			if (character.trim() !== '') pieces.push(character);
			index += 1;
		}
	}
	return { code: pieces.join(''), quoted };
}

function endOf(code: string, end: string, from: number): number {
	const index = code.indexOf(end, from);
	return index < 0 ? code.length : index;
}

/** The first of two ends that has no backslash before it. */
function endOfQuoted(code: string, from: number, end: string, otherEnd: string): number {
	let index = from;
	while (index < code.length && !code.startsWith(end, index) && !code.startsWith(otherEnd, index)) {
		index += code[index] === '\\' ? 2 : 1;
	}
	return index;
}

/** In square brackets, a slash is part of the pattern. */
function endOfPattern(code: string, from: number): number {
	let isInBrackets = false;
	let index = from;
	while (index < code.length && (isInBrackets || code[index] !== '/')) {
		if (code[index] === '[') isInBrackets = true;
		if (code[index] === ']') isInBrackets = false;
		index += code[index] === '\\' ? 2 : 1;
	}
	return index + 1;
}
