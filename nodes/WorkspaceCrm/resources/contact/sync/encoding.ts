import { InputProblem } from '../../../domain/problem';
import { labelOf, type ContactFields } from './row';

/** What readers of files put in place of letters that their encoding does not have. */
const LOST = '\ufffd';

/**
 * @param stored what the CRM has: it may have that character itself
 * @throws InputProblem if letters are lost, as in a CSV file of Excel that is read as UTF-8
 */
export function assertNoLostLetters(fields: ContactFields, stored: unknown): void {
	const lost = Object.entries(fields).find(([, value]) => hasLost(value));
	if (!lost || hasLost(stored)) return;
	const [name] = lost;
	const label = /attributes$/i.test(name) ? 'Attributes' : labelOf(name);
	throw new InputProblem(
		`'${label}' has ${LOST} in place of letters: the file was read in a wrong encoding`,
		"Nothing was sent for this item. Save the file as XLSX or as 'CSV UTF-8', or choose its encoding in the node that reads it.",
	);
}

function hasLost(value: unknown): boolean {
	return JSON.stringify(value ?? '').includes(LOST);
}
