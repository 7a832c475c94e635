import type { Contact } from '../../../api/types';
import { nationalLength } from '../../../domain/phone';
import type { Result } from './apply';
import type { KnownContacts } from './known';
import type { Row } from './row';

/** The contacts of the CRM that the input does not have, and who else may be missing. */
export interface Missing {
	contacts: Contact[];
	/** How many have no phone number that could be compared. */
	unclear: number;
	/** The index of an item that may be about anyone, so that no contact is missing; -1 for none. */
	unreadableItem: number;
}

export function findMissing(
	{ unmentioned }: KnownContacts,
	rows: readonly Row[],
	results: readonly Result[],
): Missing {
	const unreadableItem = rows.findIndex(({ id, phone }) => id === undefined && phone === '');
	if (unreadableItem >= 0) return { contacts: [], unclear: 0, unreadableItem };
	// One may have been saved under another form of its number.
	const done = new Set(results.map((result) => !result.error && result.contact.id));
	const others = [...unmentioned.values()].filter(({ id }) => !done.has(id));
	const contacts = others.filter(({ phone }) => isComparable(phone));
	return { contacts, unclear: others.length - contacts.length, unreadableItem };
}

/** Whether a stored number is an international one, with or without its plus. */
function isComparable(phone: string): boolean {
	return /^\+[1-9]\d{6,14}$/.test(phone) || (/^[1-9]\d+$/.test(phone) && nationalLength(phone) > 0);
}
