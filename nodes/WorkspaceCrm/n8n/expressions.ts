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

const IN_BRACKETS = String.raw`\[(?:[^\]\\\n]|\\.)*\]?`;

/** What is no code in JavaScript: comments, quoted texts and patterns. One that is not closed goes on to the end. */
const NO_CODE = new RegExp(
	[
		String.raw`\/\/[^\n]*`,
		String.raw`\/\*(?:[^*]|\*+[^*/])*(?:\*+\/?)?`,
		String.raw`"(?:[^"\\]|\\.)*(?:"|\\?$)`,
		String.raw`'(?:[^'\\]|\\.)*(?:'|\\?$)`,
		// With the code in it.
		'`(?:[^`\\\\]|\\\\.)*(?:`|\\\\?$)',
		// Behind one of these, or at the start, a slash begins a pattern. Elsewhere it divides.
		String.raw`(^\s*|[(,=:[!&|?{};+*%<>~^-]\s*)\/(?:[^\\/[\n*]|\\.|${IN_BRACKETS})(?:[^\\/[\n]|\\.|${IN_BRACKETS})*\/?`,
	].join('|'),
	'gs',
);

const EMPTY_TEXT = /^(?:""|''|``)$/;

/** Code without blanks and comments. A quoted text is `""` if it is empty, else `"…"`; so is a pattern. */
export function outlineOf(code: string): string {
	const outline = code.replace(NO_CODE, (found, before?: string) => {
		if (before !== undefined) return `${before}"…"`;
		if (found.startsWith('/')) return '';
		return EMPTY_TEXT.test(found) ? '""' : '"…"';
	});
	return outline.replace(/\s/g, '');
}
