import type { IDataObject } from 'n8n-workflow';

import { readContact, type Contact } from '../../../api/types';
import { ATTRIBUTE } from '../../../domain/contactColumns';
import { isSameJson, type JsonObject } from '../../../domain/json';
import { phoneKey } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { consentToSend, splitConsent, type ConsentRules } from './consent';
import type { DesiredContact } from './desired';
import type { ContactFields } from './row';

/** What is the same for all contacts of a run. */
export interface SyncRules extends ConsentRules {
	/** Whether tags that the input does not give are removed. */
	tagMode: 'add' | 'match';
	/** What a tag must begin with to be removed. */
	tagPrefix: string;
}

/** What is to be done to one contact. */
export interface Plan {
	desired: DesiredContact;
	/** As the CRM has it; undefined if it has none, or if that is not known. */
	current?: Contact;
	/** `saved`: the contact was not read, so all its fields are sent, and the answer says if it is new. */
	action: 'created' | 'updated' | 'unchanged' | 'saved';
	/** What is sent of the desired fields. */
	fields: ContactFields;
	extraTags: string[];
	/** Whether it stays opted out against the input. */
	keepsOptOut: boolean;
	/** Why nothing can be done. */
	problem?: InputProblem;
}

/**
 * The plan for a contact.
 *
 * @param found those of the CRM that have its ID or its number
 */
export function planFor(
	desired: DesiredContact,
	found: readonly Contact[],
	rules: SyncRules,
): Plan {
	if (desired.id !== undefined) return planById(desired, found, rules);
	const [current, ...others] = found;
	if (!current) return planToSave(desired, 'created');
	if (others.length > 0) return planNothing(desired, twoContacts(found, desired));
	return planToChange(desired, current, rules);
}

function planById(desired: DesiredContact, found: readonly Contact[], rules: SyncRules): Plan {
	const { id = '', phone } = desired;
	const current = found.find((each) => each.id.toLowerCase() === id.toLowerCase());
	if (!current) return planNothing(desired, noSuchContact(id));
	const key = phoneKey(current.phone);
	if (phone !== '' && phoneKey(phone) !== key) {
		return planNothing(desired, otherNumber(desired, current));
	}
	const plan = planToChange(desired, current, rules);
	// Consent goes by the phone, so it has to be the phone of this contact, and of no other.
	if (!splitConsent(plan.fields).hasConsent) return plan;
	if (key === '') return planNothing(desired, noPhone());
	const same = found.filter((each) => phoneKey(each.phone) === key);
	return same.length > 1 ? planNothing(desired, twoContacts(same, current)) : plan;
}

/** A contact by its ID and by its phone: in which order its rows are meant, nobody knows. */
export function withoutDoubles(plans: readonly Plan[]): Plan[] {
	const byId = new Map<string, Plan[]>();
	for (const plan of plans) {
		const id = plan.current?.id ?? '';
		if (id !== '') byId.set(id, [...(byId.get(id) ?? []), plan]);
	}
	return plans.map((plan) => {
		const same = (plan.current && byId.get(plan.current.id)) ?? [];
		return same.length > 1 ? planNothing(plan.desired, doubled(same)) : plan;
	});
}

function planNothing(desired: DesiredContact, problem: InputProblem): Plan {
	return { ...planToSave(desired, 'unchanged'), fields: {}, problem };
}

/** The plan for a contact that the CRM does not have, or that was not read: all that is given is sent. */
export function planToSave(desired: DesiredContact, action: Plan['action']): Plan {
	return { desired, action, fields: desired.fields, extraTags: [], keepsOptOut: false };
}

/** The plan for a contact that the CRM has: only what differs is sent. */
function planToChange(desired: DesiredContact, current: Contact, rules: SyncRules): Plan {
	const given = desired.fields;
	const others: ContactFields = {};
	for (const name of ['name', 'locale', 'source'] as const) {
		if (given[name] !== undefined && given[name] !== current[name]) others[name] = given[name];
	}
	const attributes = newAttributes(given.attributes ?? {}, current.attributes);
	if (Object.keys(attributes).length > 0) others.attributes = attributes;
	const tags = (given.tags ?? []).filter((tag) => !current.tags.includes(tag));
	if (tags.length > 0) others.tags = tags;
	const changesOthers = Object.keys(others).length > 0;
	const { consent, keepsOptOut } = consentToSend(given, current.optInStatus, changesOthers, rules);
	const fields = { ...others, ...consent };
	const extraTags = findExtraTags(desired, current, rules);
	const action = changedFields({ fields, extraTags }).length > 0 ? 'updated' : 'unchanged';
	return { desired, current, action, fields, extraTags, keepsOptOut };
}

/** The tags of a contact that are to be removed: none if the input gives no tags for it. */
export function findExtraTags(
	{ fields: { tags } }: DesiredContact,
	current: Contact,
	{ tagMode, tagPrefix }: SyncRules,
): string[] {
	if (tagMode === 'add' || tags === undefined) return [];
	return current.tags.filter((tag) => !tags.includes(tag) && tag.startsWith(tagPrefix));
}

const NAMES = ['name', 'locale', 'source', 'attributes', 'tags', 'opt_in', 'consent_proof'];

/** The names of what changes, each attribute by itself: `name`, `attributes.city`, `tags`. */
export function changedFields({ fields, extraTags }: Pick<Plan, 'fields' | 'extraTags'>): string[] {
	const changed = extraTags.length > 0 ? { tags: [], ...fields } : fields;
	return NAMES.filter((name) => name in changed).flatMap((name) =>
		name === 'attributes'
			? Object.keys(fields.attributes ?? {}).map((key) => `${ATTRIBUTE}${key}`)
			: [name],
	);
}

/** The contact as it will be. What opting in makes of its state, only the service knows. */
export function asPlanned({ desired, current, fields, extraTags }: Plan): Contact {
	const { attributes, tags = [], ...plain } = splitConsent(fields).others;
	const before = current ?? readContact({ phone: desired.phone });
	const kept = before.tags.filter((tag) => !extraTags.includes(tag));
	const merged = { ...before.attributes, ...attributes } as IDataObject;
	return readContact({ ...before.record, ...plain, attributes: merged, tags: [...kept, ...tags] });
}

function newAttributes(given: JsonObject, known: JsonObject): JsonObject {
	const isNew = ([key, value]: [string, unknown]) =>
		!Object.hasOwn(known, key) || !isSameJson(value, known[key]);
	return Object.fromEntries(Object.entries(given).filter(isNew));
}

/** Their numbers are the same for messaging services, or one was stored without its plus. */
function twoContacts(contacts: readonly Contact[], { phone }: { phone: string }): InputProblem {
	return new InputProblem(
		`${contacts.length} contacts have the phone number ${phone}`,
		`Delete all but one of them, or give the ID of the right one in the column 'Contact ID'. Their IDs: ${contacts.map(({ id }) => id).join(', ')}. No consent was changed.`,
	);
}

function doubled(plans: readonly Plan[]): InputProblem {
	const items = plans.map(({ desired: { items } }) => (items[0] ?? 0) + 1).sort((a, b) => a - b);
	return new InputProblem(
		`Items ${items.join(' and ')} are the same contact, by its ID and by its phone number`,
		`Nothing was sent for them. Give the ID in both, or in none. The ID of the contact: ${plans[0]?.current?.id}`,
	);
}

function noSuchContact(id: string): InputProblem {
	return new InputProblem(
		`No contact has the ID ${id}`,
		'It may have been erased. Nothing was sent for this item, and no contact was created. Correct the ID; without an ID, the contact is found or created by its phone number.',
	);
}

function otherNumber({ phone }: DesiredContact, current: Contact): InputProblem {
	return new InputProblem(
		`The contact with this ID does not have the phone number ${phone}`,
		`It has ${current.phone === '' ? 'none' : current.phone}. Nothing was sent for this item. Correct the ID or the phone number, or leave one of them blank.`,
	);
}

function noPhone(): InputProblem {
	return new InputProblem(
		'This contact has no phone number, so its consent cannot be changed',
		"The service takes 'Opt In' and 'Consent Proof' only with a phone number. Nothing was done.",
	);
}
