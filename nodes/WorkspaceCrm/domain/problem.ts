/**
 * Something the user gave cannot be used, and no request was made for it.
 * `message` says what is wrong, `remedy` what to do next; both are shown to the user.
 */
export class InputProblem extends Error {
	constructor(
		message: string,
		readonly remedy: string,
	) {
		super(message);
		this.name = 'InputProblem';
	}
}

/** A value as an error shows it, also one that JSON cannot hold. */
export function shown(value: unknown): string {
	try {
		return JSON.stringify(value) ?? (value === undefined ? 'nothing' : `a ${typeof value}`);
	} catch {
		return typeof value === 'bigint' ? String(value) : 'an object that contains itself';
	}
}

const MAX_SHOWN_CHARACTERS = 80;

/**
 * For a value of the wrong kind.
 *
 * @param label what the field or the column is called in the editor
 * @param expected what it should be, such as "true or false"
 */
export function wrongValue(label: string, value: unknown, expected: string): InputProblem {
	const text = shown(value);
	const isLong = text.length > MAX_SHOWN_CHARACTERS;
	return new InputProblem(
		`'${label}' is ${isLong ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text}`,
		`It should be ${expected}. Check the field, or the expression in it.`,
	);
}
