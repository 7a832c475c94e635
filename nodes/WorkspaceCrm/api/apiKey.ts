import { InputProblem } from '../domain/problem';

/** What an HTTP header can hold. Of anything else, n8n sends the rest of the key without a word. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The API key that the user pasted.
 *
 * @throws InputProblem when it cannot be sent as it is
 */
export function readApiKey(value: unknown): string {
	const key = String(value).trim();
	if (SENDABLE.test(key)) return key;
	throw new InputProblem(
		'The API key contains a character that cannot be sent',
		'Open the credential and paste the key again. A hidden character may have been copied with it.',
	);
}
