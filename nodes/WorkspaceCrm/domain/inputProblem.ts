import { plainText } from './text';

const ASK_AGAIN =
	'Nothing was done. If an argument of yours is missing or wrong, call the tool again with a correct one. If none is, a person has to correct this:';

/**
 * A value from the user that cannot be used. No request was made for it.
 * `message` says what is wrong, `description` what to do next; the user sees both.
 */
export class InputProblem extends Error {
	constructor(
		message: string,
		readonly description: string,
		/** What to do next for the model of an AI agent, which gives arguments and cannot change the node. */
		private readonly forModel = `${ASK_AGAIN} ${description}`,
	) {
		super(message);
		this.name = 'InputProblem';
	}

	/** The same problem, with a text in front of its description. */
	withContext(context: string): InputProblem {
		return new InputProblem(this.message, `${context} ${this.description}`, this.forModel);
	}

	/** The same problem in words for a model. */
	get toModel(): InputProblem {
		return new InputProblem(this.message, this.forModel);
	}
}

export const MAX_SHOWN_CHARACTERS = 80;

/** A value for an error text, even one that JSON cannot hold. */
export function quoted(value: unknown): string {
	try {
		const text = JSON.stringify(value) ?? (value === undefined ? 'nothing' : `a ${typeof value}`);
		return plainText(text, MAX_SHOWN_CHARACTERS);
	} catch {
		return typeof value === 'bigint' ? String(value) : 'an object that contains itself';
	}
}

/**
 * The error for a value of the wrong kind.
 *
 * @param label the name of the field or column in the editor
 * @param expected what it should be, such as "true or false"
 */
export function wrongValue(label: string, value: unknown, expected: string): InputProblem {
	return new InputProblem(
		`'${label}' is ${quoted(value)}`,
		`It should be ${expected}. Check the field, or the expression in it.`,
		`It should be ${expected}.`,
	);
}

/** Rethrows an error that the handler does not cover. */
export function rethrow(error: unknown): never {
	throw error;
}
