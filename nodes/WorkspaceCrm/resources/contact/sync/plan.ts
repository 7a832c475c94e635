import type { IDataObject } from 'n8n-workflow';

import { readContact, type Contact } from '../../../api/types';
import { ATTRIBUTE } from '../../../domain/contactColumns';
import { isSameJson, type JsonObject } from '../../../domain/json';
import { phoneDigits, phoneKey } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { consentToSend } from './consent';
import type { DesiredContact } from './desired';
import type { KnownContacts } from './known';
import type { Consent, ContactFields } from './row';
import type { SyncOptions } from './syncFields';

/** The differences between a contact and the input. */
interface Changes {
	/** Without consent. */
	fields: ContactFields;
	consent: Consent;
	extraTags: string[];
	/** Whether the contact stays opted out although the input opts it in. */
	keepsOptOut: boolean;
}

/** The changes to make to one contact. */
export interface Plan extends Changes {
	desired: DesiredContact;
	/** The contact in the CRM; undefined if it does not exist, or was not looked up. */
	current?: Contact;
}

/** @throws InputProblem if it is not certain which contact is meant */
export function planFor(desired: DesiredContact, known: KnownContacts, options: SyncOptions): Plan {
	const current = findCurrent(desired, known);
	const plan = { desired, current, ...compare(desired.fields, current, options) };
	if (!current || Object.keys(plan.consent).length === 0) return plan;
	// Consent is sent by phone, so no other contact may have the same one.
	const same = known.of({ phone: current.phone });
	if (same.length > 1) throw severalContacts(same, current.phone);
	return plan;
}

/**
 * Finds the contact with the ID or the number.
 *
 * @throws InputProblem unless it is certain which contact is meant
 */
export function findCurrent(desired: DesiredContact, known: KnownContacts): Contact | undefined {
	if (known.unread.has(desired)) return undefined;
	const { id, phone } = desired;
	const found = known.of({ id, phone });
	if (id === undefined) {
		if (found.length > 1) throw severalContacts(found, phone);
		return found[0];
	}
	const current = found.find((each) => each.id.toLowerCase() === id.toLowerCase());
	if (!current) throw noSuchContact(id);
	// Of several rows with the ID, one may be meant for another contact.
	const other = desired.phones.find((each) => phoneKey(each) !== phoneKey(current.phone));
	if (other !== undefined) throw otherNumber(other, current.phone);
	return current;
}

/** Whether it is certain which contact a request with the phone number of the row changes. */
export function isCertain({ desired, current }: Plan): boolean {
	if (!current) return !desired.isUnverified;
	return desired.id === undefined && phoneDigits(desired.phone) === phoneDigits(current.phone);
}

/** Computes the changes that bring a contact in line with the input; without a contact, everything. */
export function compare(
	given: ContactFields,
	current: Contact | undefined,
	options: SyncOptions,
): Changes {
	const fields: ContactFields = {};
	for (const name of ['name', 'locale', 'source'] as const) {
		if (given[name] !== undefined && given[name] !== current?.[name]) fields[name] = given[name];
	}
	const attributes = newAttributes(given.attributes ?? {}, current?.attributes ?? {});
	if (Object.keys(attributes).length > 0) fields.attributes = attributes;
	const known = current?.tags ?? [];
	const tags = given.tags?.filter((tag) => !known.includes(tag)) ?? [];
	if (tags.length > 0) fields.tags = tags;
	const { tagMode, tagPrefix = '' } = options;
	const isExtra = (tag: string) => !given.tags?.includes(tag) && tag.startsWith(tagPrefix);
	const extraTags = tagMode === 'match' && given.tags ? known.filter(isExtra) : [];
	const changesOthers = !current || Object.keys(fields).length > 0;
	return {
		fields,
		extraTags,
		...consentToSend(given, current?.optInStatus, changesOthers, options),
	};
}

function newAttributes(given: JsonObject, known: JsonObject): JsonObject {
	const isNew = ([key, value]: [string, unknown]) =>
		!Object.hasOwn(known, key) || !isSameJson(value, known[key]);
	return Object.fromEntries(Object.entries(given).filter(isNew));
}

/** The names of the changes, with each attribute listed separately: `name`, `attributes.city`, `tags`. */
export function namesOf({ fields, consent, extraTags }: Changes): string[] {
	const changed = { ...fields, ...(extraTags.length > 0 && { tags: extraTags }), ...consent };
	return Object.keys(changed).flatMap((name) =>
		name === 'attributes'
			? Object.keys(fields.attributes ?? {}).map((key) => `${ATTRIBUTE}${key}`)
			: [name],
	);
}

export function isUnchanged(plan: Plan): boolean {
	return plan.current !== undefined && namesOf(plan).length === 0;
}

/** The contact after the changes. Its opt-in status stays, because only the service decides that. */
export function asPlanned(plan: Plan): IDataObject {
	const { desired, current, fields, extraTags } = plan;
	if (current && isUnchanged(plan)) return current.record;
	const { attributes, tags = [], ...plain } = fields;
	const before = current ?? readContact({ phone: desired.phone });
	const kept = before.tags.filter((tag) => !extraTags.includes(tag));
	const merged = { ...before.attributes, ...attributes } as IDataObject;
	return { ...before.record, ...plain, attributes: merged, tags: [...kept, ...tags] };
}

/** Their numbers are equal for messaging services, or one is stored without its plus. */
function severalContacts(contacts: readonly Contact[], phone: string): InputProblem {
	return new InputProblem(
		`${contacts.length} contacts have the phone number ${phone}`,
		`Delete all but one of them, or give the ID of the right one in the column 'Contact ID'. Their IDs: ${contacts.map(({ id }) => id).join(', ')}. No consent was changed.`,
	);
}

function noSuchContact(id: string): InputProblem {
	return new InputProblem(
		`No contact has the ID ${id}`,
		'It may have been erased. Nothing was sent for this item, and no contact was created. Correct the ID; without an ID, the contact is found or created by its phone number.',
	);
}

function otherNumber(phone: string, current: string): InputProblem {
	return new InputProblem(
		`The contact with this ID does not have the phone number ${phone}`,
		`It has ${current === '' ? 'none' : current}. Nothing was sent for this item. Correct the ID or the phone number, or leave one of them blank.`,
	);
}
