import type { IDataObject } from 'n8n-workflow';

import { readContact, type Contact } from '../../../api/types';
import { isSameJson, type JsonObject } from '../../../domain/json';
import { InputProblem } from '../../../domain/problem';
import type { DesiredContact } from './desired';
import { type ContactFields, fieldNames, givesConsent, withoutConsent } from './row';

/** What is the same for all contacts of a run. */
export interface SyncRules {
	/** Whether contacts who opted out may be opted in again. */
	optInOptedOut: boolean;
	/** Whether tags that the input does not give are removed. */
	tagMode: 'add' | 'match';
	/** What a tag must begin with to be removed. */
	tagPrefix: string;
}

/** What is to be done to one contact. */
export interface Plan {
	desired: DesiredContact;
	/** As the CRM has it; undefined when it is new, or when it is not known. */
	current?: Contact;
	/** What is sent of the desired fields. */
	fields: ContactFields;
	/** What is removed, as far as it is known. */
	extraTags: string[];
	/** Whether it stays opted out against the input. */
	keepsOptOut: boolean;
	/** Why nothing can be done. */
	problem?: InputProblem;
}

/**
 * The plan for a contact, by those that the CRM is known to have under its number.
 *
 * Several have the same digits where one was stored without plus: then nothing is done.
 */
export function planFor(
	desired: DesiredContact,
	found: readonly Contact[],
	rules: SyncRules,
): Plan {
	const [current, ...others] = desired.contact ? [desired.contact] : found;
	if (!current) return planToSave(desired);
	if (others.length > 0) {
		return planNothing(
			desired,
			`${found.length} contacts have the phone number ${desired.phone}`,
			`Delete all but one of them, or give the ID of the right one in the column 'Contact ID'. Their IDs: ${found.map(({ id }) => id).join(', ')}. Nothing was done.`,
		);
	}
	const plan = planToChange(desired, current, rules);
	if (current.phone !== '' || !desired.contact || !givesConsent(plan.fields)) return plan;
	return planNothing(
		desired,
		'This contact has no phone number, so its consent cannot be changed',
		"The service takes 'Opt In' and 'Consent Proof' only with a phone number. Nothing was done.",
	);
}

function planNothing(desired: DesiredContact, message: string, remedy: string): Plan {
	const problem = new InputProblem(message, remedy);
	return { desired, fields: {}, extraTags: [], keepsOptOut: false, problem };
}

/**
 * The plan for a contact that the CRM does not have, or of which nothing is known: all that is given
 * is sent.
 */
export function planToSave(desired: DesiredContact): Plan {
	return { desired, fields: desired.fields, extraTags: [], keepsOptOut: false };
}

/** The plan for a contact that the CRM has: only what differs is sent. */
export function planToChange(desired: DesiredContact, current: Contact, rules: SyncRules): Plan {
	const given = desired.fields;
	const keepsOptOut = current.optInStatus === 'opted_out' && isOptInBarred(desired.fields, rules);
	const fields: ContactFields = {};
	for (const name of ['name', 'locale', 'source'] as const) {
		if (given[name] !== undefined && given[name] !== current[name]) fields[name] = given[name];
	}
	const attributes = newAttributes(given.attributes ?? {}, current.attributes);
	if (Object.keys(attributes).length > 0) fields.attributes = attributes;
	const tags = (given.tags ?? []).filter((tag) => !current.tags.includes(tag));
	if (tags.length > 0) fields.tags = tags;
	// A refusal is sent unless it is known: what it does to other states, the reference leaves open.
	const isKnown = current.optInStatus === (given.opt_in ? 'confirmed' : 'opted_out');
	if (given.opt_in !== undefined && !keepsOptOut && !isKnown) fields.opt_in = given.opt_in;

	const extraTags = findExtraTags(desired, current, rules);
	const goesWithProof =
		given.opt_in === undefined ? Object.keys(fields).length > 0 : fields.opt_in !== undefined;
	if (given.consent_proof !== undefined && goesWithProof)
		fields.consent_proof = given.consent_proof;
	return { desired, current, fields, extraTags, keepsOptOut };
}

/** The tags of a contact that are to be removed: none when the input gives no tags for it. */
export function findExtraTags(
	{ fields: { tags } }: DesiredContact,
	current: Contact,
	{ tagMode, tagPrefix }: SyncRules,
): string[] {
	if (tagMode === 'add' || tags === undefined) return [];
	return current.tags.filter((tag) => !tags.includes(tag) && tag.startsWith(tagPrefix));
}

/** Whether a contact has all tags that the input gives for it, in exactly this form. */
export function hasAllTags({ fields: { tags = [] } }: DesiredContact, current: Contact): boolean {
	const has = new Set(current.tags);
	return tags.every((tag) => has.has(tag));
}

/** The names of what changes: `name`, `attributes.city`, `tags`. */
export function changedFields({ fields, extraTags }: Pick<Plan, 'fields' | 'extraTags'>): string[] {
	return fieldNames(extraTags.length > 0 ? { tags: [], ...fields } : fields);
}

/** What is done: for a contact of which nothing is known, the answer tells whether it is new. */
export function plannedAction(plan: Plan): 'created' | 'updated' | 'unchanged' {
	if (!plan.current) return 'created';
	return changedFields(plan).length > 0 ? 'updated' : 'unchanged';
}

/**
 * What saves the fields of a plan: one request, and one more for a locale that it cannot hold. By an
 * ID, first each tag, then the other fields, then consent.
 */
export type Saving =
	| { kind: 'post'; body: JsonObject; locale?: string }
	| { kind: 'patch'; body: JsonObject }
	| { kind: 'byId'; tags: readonly string[]; body: JsonObject; consent: ContactFields }
	| { kind: 'none' };

/**
 * The fewest requests for a plan's fields. A known contact is changed by its id where the service
 * lets us; tags and consent it takes only with the phone.
 */
export function savingOf({ desired, current, fields }: Plan): Saving {
	const { locale, ...body } = fields;
	if (current && desired.contact) return savingById(fields);
	const needsPost = ['tags', 'opt_in', 'consent_proof'].some((name) => name in fields);
	if (current && !needsPost) {
		return fieldNames(fields).length > 0
			? { kind: 'patch', body: { ...fields } }
			: { kind: 'none' };
	}
	// As the CRM has it, so that it finds the same contact.
	const phone = current?.phone || desired.phone;
	return { kind: 'post', body: { phone, ...body }, locale };
}

/** A contact that is deleted meanwhile must not be created again, and a POST with its phone would do so. */
function savingById(fields: ContactFields): Saving {
	const { tags = [], opt_in, consent_proof, ...body } = fields;
	return { kind: 'byId', tags, body, consent: { opt_in, consent_proof } };
}

/** The contact as it will be. What opting in makes of its state, only the service knows. */
export function asPlanned({ desired, current, fields, extraTags }: Plan): Contact {
	const { attributes, tags = [], ...plain } = withoutConsent(fields);
	const before = current ?? readContact({ phone: desired.phone });
	const kept = before.tags.filter((tag) => !extraTags.includes(tag));
	const merged = { ...before.attributes, ...attributes } as IDataObject;
	return readContact({ ...before.record, ...plain, attributes: merged, tags: [...kept, ...tags] });
}

/** Whether the fields would opt in a contact against its opt-out. */
export function isOptInBarred({ opt_in }: ContactFields, { optInOptedOut }: SyncRules): boolean {
	return opt_in === true && !optInOptedOut;
}

function newAttributes(given: JsonObject, known: JsonObject): JsonObject {
	const isNew = ([key, value]: [string, unknown]) =>
		!Object.hasOwn(known, key) || !isSameJson(value, known[key]);
	return Object.fromEntries(Object.entries(given).filter(isNew));
}

/** Up to this many contacts, nothing that reads a list can be cheaper than just saving them. */
export const FEW_CONTACTS = 2;

/**
 * Where one page tells most about a workspace: in the middle of where the input would lie. The
 * newest contacts, and the oldest, are not like the others.
 */
export function sampleOffset(contacts: number, pageSize: number): number {
	return Math.floor(contacts / 2 / pageSize) * pageSize;
}

interface Sample {
	/** How many contacts the input has. */
	contacts: number;
	/** How many the CRM has. */
	total: number;
	/** How many of those that were looked at are in the input. */
	matched: number;
	/** How many of these are as the input wants them. */
	unchanged: number;
}

/** What is taken for unchanged where the sample holds nothing of the input, and so tells nothing. */
const UNKNOWN_SHARE = 1 / 4;

/** Whether reading all contacts costs fewer requests than it saves by finding the unchanged ones. */
export function isReadingCheaper(sample: Sample, pageSize: number): boolean {
	const { contacts, total, matched, unchanged } = sample;
	const share = matched > 0 ? unchanged / matched : UNKNOWN_SHARE;
	return pageCount(total, pageSize) < share * Math.min(contacts, total);
}

export function pageCount(total: number, pageSize: number): number {
	return Math.ceil(total / pageSize);
}
