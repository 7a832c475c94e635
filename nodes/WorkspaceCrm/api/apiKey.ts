import { InputProblem } from '../domain/problem';

/** The characters that an HTTP header can hold. n8n silently drops all others and sends the rest of the key. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The API key that the user pasted.
 *
 * @throws InputProblem if it contains characters that a header cannot hold
 */
export function readApiKey(value: unknown): string {
	const key = String(value).trim();
	if (SENDABLE.test(key)) return key;
	throw new InputProblem(
		'The API key contains a character that cannot be sent',
		'Open the credential and paste the key again. A hidden character may have been copied with it.',
	);
}

/** Shorter keys are not hidden: replacing "key" everywhere would garble names and messages. */
const MIN_HIDDEN_CHARACTERS = 8;

/** Returns a function that replaces the key in a text, also where it is JSON-escaped or percent-encoded. */
export function keyHider(key: string): (text: string) => string {
	if (key.length < MIN_HIDDEN_CHARACTERS) return (text) => text;
	const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
	return (text) => [...forms].reduce((rest, form) => rest.replaceAll(form, '(the API key)'), text);
}
