import type { Contact } from '../../../api/types';
import { nationalLength, phoneKey } from '../../../domain/phone';
import type { Result } from './apply';
import type { Row } from './row';

/** Whether a stored number is an international one, with or without its plus, so that it can be compared. */
function isComparable(phone: string): boolean {
	return /^\+[1-9]\d{6,14}$/.test(phone) || (/^[1-9]\d+$/.test(phone) && nationalLength(phone) > 0);
}

/** The contacts of the CRM that the input does not have, also not in items that are invalid for other reasons. */
export class Missing {
	/** The index of an item that may be about anyone, so that no contact is missing; -1 for none. */
	readonly unreadableItem: number;
	private readonly present: ReadonlySet<string>;
	/** By their IDs: pages may show one twice. */
	private readonly candidates = new Map<string, Contact>();

	constructor(rows: readonly Row[]) {
		this.unreadableItem = rows.findIndex(({ id, phone }) => id === undefined && phone === '');
		this.present = new Set(
			rows.flatMap(({ id, phone, otherReading = '' }) => [
				`id ${id?.toLowerCase()}`,
				phoneKey(phone),
				phoneKey(otherReading),
			]),
		);
	}

	/** Has to get each contact of the CRM. */
	note(contact: Contact): void {
		const isPresent = [`id ${contact.id.toLowerCase()}`, phoneKey(contact.phone)].some(
			(name) => name !== '' && this.present.has(name),
		);
		if (!isPresent && this.unreadableItem < 0) this.candidates.set(contact.id, contact);
	}

	/** @param results of the run: a contact may have been saved under another form of its number */
	without(results: readonly Result[]): { contacts: Contact[]; unclear: number } {
		const done = new Set(results.map((result) => !result.error && result.contact.id));
		const others = [...this.candidates.values()].filter(({ id }) => !done.has(id));
		const contacts = others.filter(({ phone }) => isComparable(phone));
		return { contacts, unclear: others.length - contacts.length };
	}
}
