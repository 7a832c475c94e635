import type { JsonObject } from '../../../domain/json';
import { phoneDigits } from '../../../domain/phone';
import type { ContactFields } from './writableFields';
import { contactKey, type Row } from './row';

/** A contact as the input wants it: all rows with its phone number in one. */
export interface DesiredContact extends Row {
	/** To find it among the contacts of the CRM; undefined when only the service can read its phone. */
	digits?: string;
	/** The indexes of the input items that give it. */
	items: number[];
}

/** One contact for each phone number, in the order of their first rows. */
export function mergeRows(rows: ReadonlyArray<{ item: number; row: Row }>): DesiredContact[] {
	const byKey = new Map<string, { desired: DesiredContact; fields: ContactFields[] }>();
	for (const { item, row } of rows) {
		const key = contactKey(row);
		const sofar = byKey.get(key);
		if (sofar) {
			sofar.desired.items.push(item);
			sofar.fields.push(row.fields);
			// Of two ways to write the same number, the international one is certain.
			if (row.phone.startsWith('+')) sofar.desired.phone = row.phone;
		} else {
			const digits = row.country === undefined ? phoneDigits(row.phone) : undefined;
			byKey.set(key, { desired: { ...row, digits, items: [item] }, fields: [row.fields] });
		}
	}
	return Array.from(byKey.values(), ({ desired, fields }) => ({
		...desired,
		fields: mergeFields(fields),
	}));
}

/**
 * Rows of the same contact as one: what a later one gives counts, attributes one by one, and tags
 * are those of all.
 */
export function mergeFields(rows: readonly ContactFields[]): ContactFields {
	const merged: ContactFields = {};
	const attributes = new Map<string, unknown>();
	const tags = new Set<string>();
	for (const row of rows) {
		const isOtherConsent = row.opt_in !== undefined && row.opt_in !== merged.opt_in;
		// How somebody once agreed is no proof for what a later row says.
		if (isOtherConsent && merged.opt_in !== undefined) delete merged.consent_proof;
		Object.assign(merged, row);
		for (const [name, value] of Object.entries(row.attributes ?? {})) attributes.set(name, value);
		for (const tag of row.tags ?? []) tags.add(tag);
	}
	if (merged.attributes) merged.attributes = Object.fromEntries(attributes) as JsonObject;
	if (merged.tags) merged.tags = [...tags];
	return merged;
}
