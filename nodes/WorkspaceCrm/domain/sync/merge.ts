import { phoneDigits } from '../phone';
import type { ContactFields } from './fields';
import { contactKey, type Row } from './row';

/** A contact as the input wants it: all rows with its phone number in one. */
export interface Wanted extends Row {
	/** To find it among the contacts of the CRM; undefined when only the service can read its phone. */
	digits?: string;
	/** The indexes of the input items that give it. */
	items: number[];
}

/** One contact for each phone number, in the order of their first rows. */
export function mergeRows(rows: ReadonlyArray<{ item: number; row: Row }>): Wanted[] {
	const byKey = new Map<string, Wanted>();
	for (const { item, row } of rows) {
		const key = contactKey(row);
		const sofar = byKey.get(key);
		if (sofar) {
			sofar.items.push(item);
			sofar.fields = mergeFields(sofar.fields, row.fields);
			// Of two ways to write the same number, the international one is certain.
			if (row.phone.startsWith('+')) sofar.phone = row.phone;
		} else {
			const digits = row.country === undefined ? phoneDigits(row.phone) : undefined;
			byKey.set(key, { ...row, digits, items: [item] });
		}
	}
	return [...byKey.values()];
}

/**
 * Two rows of the same contact as one: what the later one gives counts, attributes one by one, and
 * tags are those of both.
 */
export function mergeFields(first: ContactFields, later: ContactFields): ContactFields {
	const merged: ContactFields = { ...first, ...later };
	if (first.attributes && later.attributes) {
		merged.attributes = { ...first.attributes, ...later.attributes };
	}
	if (first.tags && later.tags) merged.tags = [...new Set([...first.tags, ...later.tags])];
	const isOtherConsent = later.opt_in !== undefined && later.opt_in !== first.opt_in;
	// How somebody once agreed is no proof for what a later row says.
	if (isOtherConsent && later.consent_proof === undefined && first.opt_in !== undefined) {
		delete merged.consent_proof;
	}
	return merged;
}
