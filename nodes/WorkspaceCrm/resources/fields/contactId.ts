import { InputProblem, shown } from '../../domain/problem';

/** A UUID, in upper or lower case. */
const PATTERN = /^\s*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\s*$/i;

export const isContactId = (text: string): boolean => PATTERN.test(text);

/**
 * Checks a contact's ID before any request: a UUID (API reference, contact).
 *
 * @param otherwise what to do instead, for an ID that comes from a field without a drop-down
 * @throws InputProblem for anything else
 */
export function readContactId(
	text: string,
	otherwise = "To find the contact by its phone number instead, choose 'Phone' in the drop-down in front of the field.",
): string {
	const id = text.trim();
	if (isContactId(id)) return id;
	throw new InputProblem(
		`${shown(text)} is not a contact ID`,
		`A contact ID looks like 3f2a9c1e-5b7d-4e8f-9a0b-1c2d3e4f5a6b. Use the field 'id' of a contact. ${otherwise}`,
		"Nothing was done. Use the field 'id' of a contact that a tool has returned. Do not make up IDs.",
	);
}
