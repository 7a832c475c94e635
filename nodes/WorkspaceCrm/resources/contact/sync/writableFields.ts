import type { JsonObject } from '../../../domain/json';
import { ATTRIBUTE } from '../../../domain/contactColumns';

/**
 * What is given of a contact, under the names that it has on the wire. What is not there is left
 * as it is; nothing here is ever blank.
 */
export interface ContactFields {
	name?: string;
	locale?: string;
	source?: string;
	attributes?: JsonObject;
	tags?: string[];
	opt_in?: boolean;
	consent_proof?: string;
}

const NAMES = ['name', 'locale', 'source', 'attributes', 'tags', 'opt_in', 'consent_proof'];

/** The names of the fields, with each attribute by itself: `name`, `attributes.city`, `tags`. */
export function fieldNames(fields: ContactFields): string[] {
	return NAMES.flatMap((name) => {
		if (name !== 'attributes') return name in fields ? [name] : [];
		return Object.keys(fields.attributes ?? {}).map((key) => `${ATTRIBUTE}${key}`);
	});
}

/** Whether a value says nothing, so that it changes nothing. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}
