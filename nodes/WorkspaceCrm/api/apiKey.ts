import { InputProblem } from '../domain/problem';

/** What an HTTP header can hold. Of anything else, n8n sends the rest of the key without a word. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The API key that the user pasted.
 *
 * @throws InputProblem if it cannot be sent as it is
 */
export function readApiKey(value: unknown): string {
	const key = String(value).trim();
	if (SENDABLE.test(key)) return key;
	throw new InputProblem(
		'The API key contains a character that cannot be sent',
		'Open the credential and paste the key again. A hidden character may have been copied with it.',
	);
}

/** A shorter key cannot be told from other text: hiding "key" would garble names and messages. */
const MIN_HIDDEN_CHARACTERS = 8;

/** Hides the key in a text: as it is, escaped as in JSON, or percent-encoded as in URLs. */
export function keyHider(key: string): (text: string) => string {
	if (key.length < MIN_HIDDEN_CHARACTERS) return (text) => text;
	const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
	return (text) => [...forms].reduce((rest, form) => rest.replaceAll(form, '(the API key)'), text);
}
