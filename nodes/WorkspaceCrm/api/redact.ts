/** A shorter secret cannot be told from other text: hiding "key" would garble names and messages. */
const MIN_SECRET_CHARACTERS = 8;

/**
 * Hides a secret in texts: plain, escaped as in JSON, or percent-encoded as in URLs. Each character
 * may have its own form, because programs differ in what they encode.
 *
 * @param shownAs what takes its place
 */
export function redactor(secret: string, shownAs: string): (text: string) => string {
	if (secret.length < MIN_SECRET_CHARACTERS) return (text) => text;
	const parts = secret.match(/\\+|[^\\]/gu) ?? [];
	const pattern = new RegExp(parts.map(formsOf).join(''), 'gi');
	// No form is shorter than the secret, most texts are, and comparing lengths costs nothing.
	return (text) => (text.length < secret.length ? text : text.replace(pattern, shownAs));
}

/** A pattern for all forms of a character, or of a run of backslashes. */
function formsOf(part: string): string {
	const char = part[0] === '\\' ? '\\' : part;
	const units = char.split('').map((unit) => `u${hex(unit.charCodeAt(0), 4)}`);
	const plain = units.map((unit) => `\\${unit}`).join('');
	const escaped = units.map((unit) => `\\\\${unit}`).join('');
	// Twice, where a URL stands in another URL.
	const encoded = [...Buffer.from(char)].map((byte) => `%(?:25)?${hex(byte, 2)}`).join('');
	const short = /["/]/.test(char) ? '\\\\?' : '';
	const plus = char === ' ' ? '\\+|' : '';
	const pattern = `(?:${escaped}|${encoded}|${plus}${short}${plain})`;
	// Escaped, each backslash is two. Counted together, so that there are not many ways to match.
	return char === '\\' ? `${pattern}{${part.length},${2 * part.length}}` : pattern;
}

function hex(value: number, digits: number): string {
	return value.toString(16).padStart(digits, '0');
}
