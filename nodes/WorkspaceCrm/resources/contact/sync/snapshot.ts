import type { Api } from '../../../api/client';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import type { Contact } from '../../../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneDigits } from '../../../domain/phone';
import type { Clock } from '../../../n8n/clock';
import { findByPhone, visitContacts } from '../../contactReference';
import type { DesiredContact, Presence } from './desired';
import {
	FEW_CONTACTS,
	isOptInBarred,
	isReadingCheaper,
	pageCount,
	type Plan,
	plannedAction,
	planToChange,
	sampleOffset,
	type SyncRules,
} from './plan';
import type { SyncSettings } from './syncFields';

/** What a sync knows of the CRM before it changes anything. */
export interface Snapshot {
	/** Contacts of the input that the CRM has, by the digits of their phones. */
	contacts: Map<string, Contact[]>;
	/** Only in a dry run: contacts of the input that a run would save without comparing them. */
	uncompared: Map<string, Contact[]>;
	/** Whether the CRM was searched for all contacts of the input. */
	isComplete: boolean;
	/** Contacts that are not in the input, where these are asked for. */
	missing: Contact[];
	/** The ids of those that may be in the input or not. */
	unclear: string[];
}

/**
 * Reads contacts only where that lowers the total number of requests: all of them where the run has
 * to know them, or where a sample shows that many are there unchanged. A dry run reads the same, and
 * then the contacts that a run would not compare.
 *
 * @param presenceOf tells by its phone whether the input, also by invalid items, has a contact
 */
export async function loadSnapshot(
	api: Api,
	desired: readonly DesiredContact[],
	presenceOf: (phone: string) => Presence,
	settings: SyncSettings,
): Promise<Snapshot> {
	const { snapshot, pages } = await loadForRun(api, desired, presenceOf, settings);
	if (!settings.isDryRun || snapshot.isComplete) return snapshot;
	const others = desired.filter(({ digits = '' }) => !snapshot.contacts.has(digits));
	const { contacts: uncompared } =
		pages < others.length ? await readAll(api, others) : await lookUpEach(api, others);
	return { ...snapshot, uncompared };
}

/** What a run knows, and how many pages all contacts would be. */
async function loadForRun(
	api: Api,
	desired: readonly DesiredContact[],
	presenceOf: (phone: string) => Presence,
	settings: SyncSettings,
): Promise<{ snapshot: Snapshot; pages: number }> {
	const pages = Infinity;
	if (settings.outputsMissing) {
		return { snapshot: await readAll(api, desired, presenceOf), pages };
	}
	if (desired.length <= FEW_CONTACTS) {
		const isAsked = desired.some(({ fields }) => isOptInBarred(fields, settings));
		return { snapshot: isAsked ? await lookUpEach(api, desired) : nothing(), pages };
	}
	return await loadBySample(api, desired, settings);
}

/** Reads one page, which tells whether reading all of them is worth it. */
async function loadBySample(
	api: Api,
	desired: readonly DesiredContact[],
	settings: SyncSettings,
): Promise<{ snapshot: Snapshot; pages: number }> {
	const offset = sampleOffset(desired.length, MAX_PAGE_SIZE);
	const { contacts: page, total = Infinity } = await api.contactsPage(offset);
	const snapshot = nothing();
	page.forEach(collector(snapshot.contacts, desired));
	if (total === 0 || (offset === 0 && page.length >= total)) {
		return { snapshot: { ...snapshot, isComplete: true }, pages: 1 };
	}

	const pages = pageCount(total, MAX_PAGE_SIZE);
	const sample = {
		contacts: desired.length,
		total,
		matched: snapshot.contacts.size,
		unchanged: countUnchanged(desired, snapshot, settings),
	};
	const isCheaper = isReadingCheaper(sample, MAX_PAGE_SIZE);
	return { snapshot: isCheaper ? await readAll(api, desired) : snapshot, pages };
}

function nothing(): Snapshot {
	return {
		contacts: new Map(),
		uncompared: new Map(),
		isComplete: false,
		missing: [],
		unclear: [],
	};
}

/** Keeps the contacts of the input, and tells whether a contact is one. */
function collector(contacts: Snapshot['contacts'], desired: readonly DesiredContact[]) {
	const desiredDigits = new Set(desired.map(({ digits }) => digits));
	return (contact: Contact): boolean => {
		const digits = phoneDigits(contact.phone);
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
	await visitContacts(api, {}, (contact) => {
		if (collect(contact) || !presenceOf) return;
		const presence = presenceOf(contact.phone);
		if (presence === 'missing') snapshot.missing.push(contact);
		if (presence === 'unclear') snapshot.unclear.push(contact.id);
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

/** How old the list of those who opted out may be when somebody is opted in. */
const MAX_AGE_MS = 10_000;

/** Gives a plan as it has to be now, if the contact has opted out since it was made. */
export type RenewPlan = (plan: Plan) => Promise<Plan>;

/**
 * Watches who opts out during a sync, by a list that is read again when it is more than ten seconds
 * old, or, where reading takes longer, twice as old as that took: reading never takes more requests
 * than writing.
 *
 * @param desired the contacts of the input; others are not kept
 * @param snapshotMs since when (by `elapsedMs`) the contacts are known; undefined if they are not
 */
export function watchOptOuts(
	api: Api,
	clock: Clock,
	rules: SyncRules,
	desired: readonly DesiredContact[],
	snapshotMs = -Infinity,
): RenewPlan {
	const read = async () => {
		const found: Snapshot['contacts'] = new Map();
		await visitContacts(api, { opt_in_status: 'opted_out' }, collector(found, desired));
		return found;
	};
	let list = Promise.resolve<Snapshot['contacts']>(new Map());
	let freshUntilMs = snapshotMs + MAX_AGE_MS;
	const refresh = () => {
		const startedMs = clock.elapsedMs();
		freshUntilMs = Infinity;
		list = read();
		list.then(
			() => (freshUntilMs = Math.max(startedMs + MAX_AGE_MS, 2 * clock.elapsedMs() - startedMs)),
			() => (freshUntilMs = -Infinity),
		);
	};
	return async (plan) => {
		const { digits, contact } = plan.desired;
		if (digits === undefined || !isOptInBarred(plan.fields, rules)) return plan;
		if (clock.elapsedMs() > freshUntilMs) refresh();
		const optedOut = ((await list).get(digits) ?? [])
			.filter(({ id }) => !contact || id === contact.id)
			.at(-1);
		return optedOut ? planToChange(plan.desired, optedOut, rules) : plan;
	};
}
