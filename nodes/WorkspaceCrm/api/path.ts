import { InputProblem, shown } from '../domain/problem';

/**
 * Builds the path of a request: path`/v1/contacts/${id}`.
 *
 * Each value becomes exactly one segment, whatever it contains, so that a value can never change
 * which endpoint is called.
 *
 * @throws InputProblem for a value that cannot be a segment: empty, `.`, `..`, or broken Unicode
 */
export function path(texts: TemplateStringsArray, ...values: string[]): string {
	return String.raw({ raw: texts }, ...values.map(segment));
}

function segment(value: string): string {
	// WHATWG URL parsing resolves dot segments even after encoding, so they are refused, not encoded.
	if (value === '' || value === '.' || value === '..' || !value.isWellFormed()) {
		throw new InputProblem(
			`${shown(value)} cannot be used as an ID or a name`,
			'Check the field, or the expression in it.',
		);
	}
	return encodeURIComponent(value);
}
