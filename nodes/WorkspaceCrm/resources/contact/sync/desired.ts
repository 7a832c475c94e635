import { phoneKey } from '../../../domain/phone';
import type { ContactFields, Row } from './row';

/** A contact as the input describes it, merged from all rows with its phone number or ID. */
export interface DesiredContact {
	/** If the rows contain it. Then requests use the ID, so that they never create a contact. */
	id?: string;
	/** Empty if the rows contain only the ID. */
	phone: string;
	/** Of all rows with this ID; more than one contact's would be a mistake. */
	phones: readonly string[];
	isUnverified?: boolean;
	fields: ContactFields;
	/** The indexes of its input items. */
	items: number[];
}

/** The keys to match rows with contacts: the ID, if there is one, then the number. */
export function keysOf({ id = '', phone }: { id?: string; phone: string }): string[] {
	return [id && `id ${id.toLowerCase()}`, phoneKey(phone)].filter((key) => key !== '');
}

/** Merges rows into one contact per ID or phone number, in the order of their first rows. */
export function mergeRows(rows: readonly Row[]): DesiredContact[] {
	const byKey = new Map<string, number[]>();
	for (const [item, row] of rows.entries()) {
		if (row.problem !== undefined) continue;
		const [key = ''] = keysOf(row);
		byKey.set(key, [...(byKey.get(key) ?? []), item]);
	}
	return Array.from(byKey.values(), (items) => {
		const same = items.flatMap((item) => rows[item] ?? []);
		const withPhone = same.filter((row) => row.phone !== '');
		const { id, phone = '', isUnverified } = withPhone[0] ?? same[0] ?? {};
		const phones = withPhone.map((row) => row.phone);
		const fields = mergeFields(same.map((row) => row.fields));
		return { id, phone, phones, isUnverified, fields, items };
	});
}

/** Takes the last value of each field and attribute, and all tags. */
function mergeFields(rows: readonly ContactFields[]): ContactFields {
	const merged: ContactFields = {};
	const attributes = new Map<string, unknown>();
	const tags = new Set<string>();
	for (const row of rows) {
		const isOtherConsent = row.opt_in !== undefined && row.opt_in !== merged.opt_in;
		// A proof of consent does not prove a later, different consent.
		if (isOtherConsent && merged.opt_in !== undefined) delete merged.consent_proof;
		Object.assign(merged, row);
		for (const [name, value] of Object.entries(row.attributes ?? {})) attributes.set(name, value);
		for (const tag of row.tags ?? []) tags.add(tag);
	}
	if (merged.attributes) merged.attributes = Object.fromEntries(attributes);
	if (merged.tags) merged.tags = [...tags];
	return merged;
}
