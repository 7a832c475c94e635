import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../../../api/api';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/atOnce';
import { phoneDigits } from '../../../domain/phone';
import type { Presence } from '../../../domain/sync/mentions';
import type { Wanted } from '../../../domain/sync/merge';
import {
	isOptInBarred,
	plannedAction,
	planToChange,
	type SyncRules,
} from '../../../domain/sync/plan';
import {
	FEW_CONTACTS,
	isReadingCheaper,
	pageCount,
	sampleOffset,
} from '../../../domain/sync/strategy';
import { ALL_CONTACTS, findByPhone } from '../../references';
import type { SyncSettings } from './settings';

/** What was found out of the CRM before anything is changed in it. */
export interface Known {
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
 * Finds out as much of the CRM as pays: all of it where that has to be known, or where a sample
 * says that much of the input is there unchanged; else hardly anything, and all of the input is
 * just saved.
 *
 * @param presenceOf tells by its phone whether the input, also by invalid items, has a contact
 */
export async function readKnown(
	api: Api,
	wanted: readonly Wanted[],
	presenceOf: (phone: string) => Presence,
	settings: SyncSettings,
): Promise<Known> {
	const { isDryRun, outputsMissing } = settings;
	if (outputsMissing) return await readAll(api, wanted, presenceOf);
	if (wanted.length <= FEW_CONTACTS) {
		const isAsked = isDryRun || wanted.some(({ fields }) => isOptInBarred(fields, settings));
		return isAsked ? await lookUpEach(api, wanted) : nothing();
	}

	const offset = sampleOffset(wanted.length, MAX_PAGE_SIZE);
	const { records, total = Infinity } = await api.contactsPage(offset);
	const known = nothing();
	records.forEach(collector(known.contacts, wanted));
	if (total === 0 || (offset === 0 && records.length >= total)) {
		return { ...known, isComplete: true };
	}

	const pages = pageCount(total, MAX_PAGE_SIZE);
	if (isDryRun) {
		return pages < wanted.length ? await readAll(api, wanted) : await lookUpEach(api, wanted);
	}
	const sample = {
		contacts: wanted.length,
		total,
		matched: known.contacts.size,
		unchanged: countUnchanged(wanted, known, settings),
	};
	return isReadingCheaper(sample, MAX_PAGE_SIZE) ? await readAll(api, wanted) : known;
}

function nothing(): Known {
	return { contacts: new Map(), isComplete: false, missing: [], unclear: [] };
}

/** Keeps the contacts of the input, and tells whether a contact is one. */
export function collector(contacts: Known['contacts'], wanted: readonly Wanted[]) {
	const wantedDigits = new Set(wanted.map(({ digits }) => digits));
	return (contact: IDataObject): boolean => {
		const digits = phoneDigits(String(contact.phone ?? ''));
		if (!wantedDigits.has(digits)) return false;
		contacts.set(digits, [...(contacts.get(digits) ?? []), contact]);
		return true;
	};
}

/** Reads all contacts, and keeps those that the input is about; or also those that it is not. */
async function readAll(
	api: Api,
	wanted: readonly Wanted[],
	presenceOf?: (phone: string) => Presence,
): Promise<Known> {
	const known = { ...nothing(), isComplete: true };
	const collect = collector(known.contacts, wanted);
	await api.visit(ALL_CONTACTS, (contact) => {
		if (collect(contact) || !presenceOf) return;
		const presence = presenceOf(String(contact.phone ?? ''));
		if (presence === 'missing') known.missing.push(contact);
		if (presence === 'unclear') known.unclear.push(String(contact.id));
	});
	return known;
}

async function lookUpEach(api: Api, wanted: readonly Wanted[]): Promise<Known> {
	const known = { ...nothing(), isComplete: true };
	const collect = collector(known.contacts, wanted);
	await forEachAtOnce(wanted, ITEMS_AT_ONCE, async ({ phone, digits }) => {
		if (digits !== undefined) (await findByPhone(api, phone)).forEach(collect);
	});
	return known;
}

function countUnchanged(wanted: readonly Wanted[], { contacts }: Known, rules: SyncRules): number {
	const isUnchanged = (each: Wanted) => {
		const [current] = contacts.get(each.digits ?? '') ?? [];
		return current && plannedAction(planToChange(each, current, rules)) === 'unchanged';
	};
	return wanted.filter(isUnchanged).length;
}
