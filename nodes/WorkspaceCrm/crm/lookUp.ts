import type { Api, ListOptions } from './client';
import { CrmError, unlessNotFound } from './crmError';
import { endpoints } from './endpoints';
import { MAX_PAGE_SIZE } from './pagination';
import { readContact, type Contact } from './records';
import { forEachInParallel, ITEMS_AT_ONCE } from '../domain/concurrency';
import { InputProblem } from '../domain/inputProblem';
import { firstKey, KEPT_DIGITS, keysOf, phoneForms, type Named } from '../domain/sameNumber';

type Visit = (contact: Contact) => void;

/** The contacts in the answers of a run, by their keys. */
export class SeenContacts {
	private readonly byId = new Map<string, Contact>();
	private readonly idsByKey = new Map<string, string[]>();

	/** Keeps the newest version. An opt-out counts for the rest of the run, and so does a number that is not shown again. */
	readonly add = (contact: Contact): void => {
		// An answer may show a contact without its ID.
		const id = contact.id || firstKey(contact);
		const before = this.byId.get(id);
		const phone = contact.phone || (before?.phone ?? '');
		const hasOptedOut = before?.optInStatus === 'opted_out';
		const isWhole = phone === contact.phone && !hasOptedOut;
		const optInStatus = hasOptedOut ? 'opted_out' : contact.optInStatus;
		this.byId.set(id, isWhole ? contact : { ...contact, phone, optInStatus });
		for (const key of keysOf(contact)) {
			const ids = this.idsByKey.get(key);
			if (!ids) this.idsByKey.set(key, [id]);
			else if (!ids.includes(id)) ids.push(id);
		}
	};

	/** The contacts with the ID, and those with the number in whichever form. */
	of(named: Named): Contact[] {
		const ids = keysOf(named).flatMap((key) => this.idsByKey.get(key) ?? []);
		return [...new Set(ids)].flatMap((id) => this.byId.get(id) ?? []);
	}
}

/** @throws InputProblem that names all of them, if several contacts have a phone number */
export function onlyOf(
	contacts: readonly Contact[],
	phone: string,
	advice: string,
): Contact | undefined {
	if (contacts.length <= 1) return contacts[0];
	const ids = contacts.map(({ id }) => id).sort();
	throw new InputProblem(
		`${contacts.length} contacts have the phone number ${phone}`,
		`${advice} Their IDs: ${ids.join(', ')}.`,
	);
}

interface LookUpOptions<N> {
	/** Whether to visit all contacts, whatever that takes. */
	needsAll?: boolean;
	/** Whether a contact need not be looked up by itself. */
	isOptional?: (named: N) => boolean;
	/** What else to look up, after it is known what the answers so far show. */
	then?: (named: N) => readonly Named[];
}

/**
 * Looks up contacts with as few requests as possible: reads all if they have no more pages than the look-ups
 * would take requests, else looks them up one by one.
 *
 * @param visit called for more contacts than the wanted ones
 * @returns those that are not known: with the failure of their look-up, or without if they were not looked up
 * @throws CrmError for failures that affect every request, or for an incomplete list
 */
export async function lookUpAll<N extends Named>(
	api: Api,
	wanted: readonly N[],
	visit: Visit,
	{ needsAll = false, isOptional = () => false, then = () => [] }: LookUpOptions<N> = {},
): Promise<Map<N, CrmError | undefined>> {
	const unknown = new Map<N, CrmError | undefined>();
	let left = wanted;
	let isLeftOut = isOptional;
	if (needsAll || wanted.length > 1) {
		const firstPage = await api.page(endpoints.getContacts());
		const pages = Math.ceil((firstPage.total ?? Infinity) / MAX_PAGE_SIZE);
		const lookUps = wanted.reduce(
			(sum, each) => sum + (isOptional(each) ? 1 : leastRequests(each)),
			0,
		);
		if (needsAll || pages <= lookUps) {
			const keys = new Set<string>();
			await visitContacts(api, { firstPage }, (contact) => {
				for (const key of keysOf({ id: contact.id })) keys.add(key);
				visit(contact);
			});
			// A list that changes while it is read can hide a contact.
			left = wanted.filter(
				({ id }) => id !== undefined && !keysOf({ id }).some((k) => keys.has(k)),
			);
			isLeftOut = () => false;
		} else {
			for (const record of firstPage.records) visit(readContact(record));
		}
	}
	const lookUpOne = async (each: N) => {
		if (isLeftOut(each)) unknown.set(each, undefined);
		else await lookUp(api, each, visit);
		for (const more of then(each)) await lookUp(api, more, visit);
	};
	await forEachInParallel(left, ITEMS_AT_ONCE, async (each) => {
		await lookUpOne(each).catch((error) => unknown.set(each, ownFailure(error)));
	});
	return unknown;
}

function leastRequests({ id, phone = '' }: Named): number {
	return id === undefined ? phoneForms(phone).length + 1 : 1;
}

/** A failure that concerns only one contact. */
function ownFailure(error: unknown): CrmError {
	if (error instanceof CrmError && !error.failure.endsRun) return error;
	throw error;
}

/** Visits the contact with the ID, or otherwise all contacts with the number in whichever form, and others. */
export async function lookUp(api: Api, { id, phone = '' }: Named, visit: Visit): Promise<void> {
	if (id === undefined) return await searchNumber(api, phone, visit);
	const contact = await readWholeContact(api, { id }).catch(unlessNotFound);
	if (contact) visit(contact);
}

/** All contacts with a number, in whichever form. */
export async function contactsWith(api: Api, phone: string): Promise<Contact[]> {
	const seen = new SeenContacts();
	await searchNumber(api, phone, seen.add);
	return seen.of({ phone });
}

/**
 * Searches for each form of a number, without and with the plus. "Matches contact name or phone" (API
 * reference, GET /v1/contacts) does not say whether a search for the digits finds both. If it finds a number
 * with a plus, and not by the name, it does. A number may be stored with blanks or a zero more, such as
 * "+49 0151 …", so the last digits are searched for, too.
 */
async function searchNumber(api: Api, phone: string, visit: Visit): Promise<void> {
	const [key = ''] = keysOf({ phone });
	let findsBoth = false;
	const search = async (text: string) =>
		await visitContacts(api, { query: { search: text } }, (contact) => {
			visit(contact);
			if (!keysOf(contact).includes(key)) return;
			findsBoth ||= contact.phone === `+${text}` && !contact.name?.includes(text);
		});
	const forms = phoneForms(phone);
	for (const form of forms) await search(form);
	await search(phone.slice(-KEPT_DIGITS));
	if (findsBoth) return;
	for (const form of forms) await search(`+${form}`);
}

/**
 * Visits all contacts, or those that match a query, without keeping them. If two pages show a contact,
 * visits it twice, because its consent may have changed in between.
 */
export async function visitContacts(api: Api, list: ListOptions, visit: Visit): Promise<void> {
	const all = api.records(endpoints.getContacts(), { ...list, withCopies: true });
	for await (const record of all) visit(readContact(record));
}

/** A contact: only its ID, or everything if it was looked up. */
export type FoundContact = Pick<Contact, 'id'> & Partial<Contact>;

/** Reads the whole contact, unless the look-up already did. */
export async function readWholeContact(api: Api, found: FoundContact): Promise<Contact> {
	if (found.record !== undefined) return found as Contact;
	return readContact(await api.sendForRecord(endpoints.getContact(found.id)));
}
