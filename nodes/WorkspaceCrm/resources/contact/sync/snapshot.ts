import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../../../api/client';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneDigits } from '../../../domain/phone';
import type { Presence } from './mentions';
import type { DesiredContact } from './desired';
import { isOptInBarred, plannedAction, planToChange, type SyncRules } from './plan';
import { FEW_CONTACTS, isReadingCheaper, pageCount, sampleOffset } from './strategy';
import { ALL_CONTACTS, findByPhone } from '../../references';
import type { SyncSettings } from './settings';

/** What was found out of the CRM before anything is changed in it. */
export interface Snapshot {
	/** Contacts of the input that the CRM has, by the digits of their phones. */
	contacts: Map<string, IDataObject[]>;
	/** Whether the CRM was searched for all contacts of the input. */
	isComplete: boolean;
	/** Contacts that are not in the input, where these are asked for. */
	missing: IDataObject[];
	/** The ids of those that may be in the input or not. */
	unclear: string[];
}

/**
 * Reads contacts only where that lowers the total number of requests: all of them where the run has
 * to know them, or where a sample shows that many are there unchanged.
 *
 * @param presenceOf tells by its phone whether the input, also by invalid items, has a contact
 */
export async function loadSnapshot(
	api: Api,
	desired: readonly DesiredContact[],
	presenceOf: (phone: string) => Presence,
	settings: SyncSettings,
): Promise<Snapshot> {
	const { isDryRun, outputsMissing } = settings;
	if (outputsMissing) return await readAll(api, desired, presenceOf);
	if (desired.length <= FEW_CONTACTS) {
		const isAsked = isDryRun || desired.some(({ fields }) => isOptInBarred(fields, settings));
		return isAsked ? await lookUpEach(api, desired) : nothing();
	}

	const offset = sampleOffset(desired.length, MAX_PAGE_SIZE);
	const { records, total = Infinity } = await api.contactsPage(offset);
	const snapshot = nothing();
	records.forEach(collector(snapshot.contacts, desired));
	if (total === 0 || (offset === 0 && records.length >= total)) {
		return { ...snapshot, isComplete: true };
	}

	const pages = pageCount(total, MAX_PAGE_SIZE);
	if (isDryRun) {
		return pages < desired.length ? await readAll(api, desired) : await lookUpEach(api, desired);
	}
	const sample = {
		contacts: desired.length,
		total,
		matched: snapshot.contacts.size,
		unchanged: countUnchanged(desired, snapshot, settings),
	};
	return isReadingCheaper(sample, MAX_PAGE_SIZE) ? await readAll(api, desired) : snapshot;
}

function nothing(): Snapshot {
	return { contacts: new Map(), isComplete: false, missing: [], unclear: [] };
}

/** Keeps the contacts of the input, and tells whether a contact is one. */
export function collector(contacts: Snapshot['contacts'], desired: readonly DesiredContact[]) {
	const desiredDigits = new Set(desired.map(({ digits }) => digits));
	return (contact: IDataObject): boolean => {
		const digits = phoneDigits(String(contact.phone ?? ''));
		if (!desiredDigits.has(digits)) return false;
		contacts.set(digits, [...(contacts.get(digits) ?? []), contact]);
		return true;
	};
}

/** Reads all contacts, and keeps those that the input is about; or also those that it is not. */
async function readAll(
	api: Api,
	desired: readonly DesiredContact[],
	presenceOf?: (phone: string) => Presence,
): Promise<Snapshot> {
	const snapshot = { ...nothing(), isComplete: true };
	const collect = collector(snapshot.contacts, desired);
	await api.visit(ALL_CONTACTS, (contact) => {
		if (collect(contact) || !presenceOf) return;
		const presence = presenceOf(String(contact.phone ?? ''));
		if (presence === 'missing') snapshot.missing.push(contact);
		if (presence === 'unclear') snapshot.unclear.push(String(contact.id));
	});
	return snapshot;
}

async function lookUpEach(api: Api, desired: readonly DesiredContact[]): Promise<Snapshot> {
	const snapshot = { ...nothing(), isComplete: true };
	const collect = collector(snapshot.contacts, desired);
	await forEachAtOnce(desired, ITEMS_AT_ONCE, async ({ phone, digits }) => {
		if (digits !== undefined) (await findByPhone(api, phone)).forEach(collect);
	});
	return snapshot;
}

function countUnchanged(
	desired: readonly DesiredContact[],
	{ contacts }: Snapshot,
	rules: SyncRules,
): number {
	const isUnchanged = (each: DesiredContact) => {
		const [current] = contacts.get(each.digits ?? '') ?? [];
		return current && plannedAction(planToChange(each, current, rules)) === 'unchanged';
	};
	return desired.filter(isUnchanged).length;
}
