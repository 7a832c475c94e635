import { ownValue, type JsonObject } from '../../../domain/json';
import { InputProblem } from '../../../domain/problem';
import { labelOf, type ContactFields } from './row';

/** What readers of files put in place of letters that their encoding does not have. */
const LOST = '\ufffd';

/**
 * @param stored what the CRM has: it may have that character itself
 * @throws InputProblem if letters are lost, as in a CSV file of Excel that is read as UTF-8
 */
export function assertNoLostLetters(fields: ContactFields, stored: JsonObject = {}): void {
	const nameOf = (field: string) => (field === 'exactAttributes' ? 'attributes' : field);
	const lost = Object.entries(fields).find(
		([field, value]) => hasLost(value) && !hasLost(ownValue(stored, nameOf(field))),
	);
	if (!lost) return;
	const name = nameOf(lost[0]);
	const label = name === 'attributes' ? 'Attributes' : labelOf(name);
	throw new InputProblem(
		`'${label}' has ${LOST} in place of letters: the file was read in a wrong encoding`,
		"Nothing was sent for this item. Save the file as XLSX or as 'CSV UTF-8', or choose its encoding in the node that reads it.",
	);
}

function hasLost(value: unknown): boolean {
	return JSON.stringify(value ?? '').includes(LOST);
}
