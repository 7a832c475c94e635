import { ATTRIBUTE } from '../../../domain/contactColumns';
import type { JsonObject } from '../../../domain/json';

/** Contact fields to send, by their API names; missing means unchanged, and none is blank. */
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

/** Fields without what they say about consent. */
export function withoutConsent(fields: ContactFields): ContactFields {
	const others = { ...fields };
	delete others.opt_in;
	delete others.consent_proof;
	return others;
}

/** Only what fields say about consent. */
export function consentOf({ opt_in, consent_proof }: ContactFields): ContactFields {
	return {
		...(opt_in !== undefined && { opt_in }),
		...(consent_proof !== undefined && { consent_proof }),
	};
}

export function givesConsent(fields: ContactFields): boolean {
	return fields.opt_in !== undefined || fields.consent_proof !== undefined;
}
