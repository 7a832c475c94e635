import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../../../api/api';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/atOnce';
import { path } from '../../../domain/path';
import { phoneDigits } from '../../../domain/phone';
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
import { findByPhone } from '../../references';
import type { SyncSettings } from './settings';

const CONTACTS = path`/v1/contacts`;

/** What was found out of the CRM before anything is changed in it. */
export interface Known {
	/** Contacts of the input that the CRM has, by the digits of their phones. */
	contacts: Map<string, IDataObject>;
	/** The digits of others of the input that have opted out. */
	optedOut: Set<string>;
	/** Contacts that are not in the input, where these are asked for. */
	missing: IDataObject[];
}

/**
 * Finds out as much of the CRM as pays: all of it where that has to be known, or where a sample
 * says that much of the input is there unchanged; else hardly anything, and all of the input is
 * just saved.
 *
 * @param isMentioned tells by the digits of a phone whether the input, also by invalid items, has it
 */
export async function readKnown(
	api: Api,
	wanted: readonly Wanted[],
	isMentioned: (digits: string) => boolean,
	settings: SyncSettings,
): Promise<Known> {
	const { isDryRun, outputsMissing } = settings;
	if (outputsMissing) return await readAll(api, wanted, isMentioned);
	if (wanted.length <= FEW_CONTACTS) {
		const isAsked = isDryRun || wanted.some(({ fields }) => isOptInBarred(fields, settings));
		return isAsked ? await lookUpEach(api, wanted) : nothing();
	}

	const offset = sampleOffset(wanted.length, MAX_PAGE_SIZE);
	const { records, total = Infinity } = await api.contactsPage(offset);
	const known = nothing();
	records.forEach(collector(known.contacts, wanted));
	if (total === 0 || (offset === 0 && records.length >= total)) return known;

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
	if (isReadingCheaper(sample, MAX_PAGE_SIZE)) return await readAll(api, wanted);
	return { ...known, optedOut: await readOptedOut(api, wanted, known, settings) };
}

function nothing(): Known {
	return { contacts: new Map(), optedOut: new Set(), missing: [] };
}

function digitsOf({ phone }: IDataObject): string {
	return phoneDigits(String(phone ?? ''));
}

/** Keeps the contacts of the input; where two have the same phone, the first. */
function collector(contacts: Known['contacts'], wanted: readonly Wanted[]) {
	const wantedDigits = new Set(wanted.map(({ digits }) => digits));
	return (contact: IDataObject) => {
		const digits = digitsOf(contact);
		if (wantedDigits.has(digits) && !contacts.has(digits)) contacts.set(digits, contact);
	};
}

/** Reads all contacts, and keeps those that the input is about; or also those that it is not. */
async function readAll(
	api: Api,
	wanted: readonly Wanted[],
	isMentioned?: (digits: string) => boolean,
): Promise<Known> {
	const known = nothing();
	const collect = collector(known.contacts, wanted);
	await api.visit({ path: CONTACTS, isPaged: true, wanted: Infinity }, (contact) => {
		collect(contact);
		if (isMentioned && !isMentioned(digitsOf(contact))) known.missing.push(contact);
	});
	return known;
}

async function lookUpEach(api: Api, wanted: readonly Wanted[]): Promise<Known> {
	const known = nothing();
	const collect = collector(known.contacts, wanted);
	await forEachAtOnce(wanted, ITEMS_AT_ONCE, async ({ phone, digits }) => {
		if (digits !== undefined) (await findByPhone(api, phone)).forEach(collect);
	});
	return known;
}

/** Lists those who opted out, where one of them might be opted in again unseen. */
async function readOptedOut(
	api: Api,
	wanted: readonly Wanted[],
	{ contacts }: Known,
	rules: SyncRules,
): Promise<Known['optedOut']> {
	const asked = wanted.filter(
		({ digits = '', fields }) => isOptInBarred(fields, rules) && !contacts.has(digits),
	);
	const found: Known['contacts'] = new Map();
	if (asked.length > 0) {
		const query = { opt_in_status: 'opted_out' };
		const list = { path: CONTACTS, query, isPaged: true, wanted: Infinity };
		await api.visit(list, collector(found, asked));
	}
	return new Set(found.keys());
}

function countUnchanged(wanted: readonly Wanted[], { contacts }: Known, rules: SyncRules): number {
	const isUnchanged = (each: Wanted) => {
		const current = contacts.get(each.digits ?? '');
		return current && plannedAction(planToChange(each, current, rules)) === 'unchanged';
	};
	return wanted.filter(isUnchanged).length;
}
