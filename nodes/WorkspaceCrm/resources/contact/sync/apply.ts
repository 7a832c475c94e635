import type { Api } from '../../../api/client';
import { CrmError, rethrow, unlessOutdated } from '../../../api/crmError';
import { readContact, type Contact } from '../../../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { ItemFailure } from '../../../operations/define';
import { mayBreakOptOut } from './consent';
import type { DesiredContact } from './desired';
import type { KnownContacts } from './known';
import { asPlanned, compare, isCertain, isUnchanged, namesOf, planFor, type Plan } from './plan';
import type { ContactFields } from './row';
import type { SyncSettings } from './syncFields';
import { removeTags, saveById, saveByPhone } from './write';

/** What came of a contact, as the CRM has it now. */
export interface Done {
	contact: Contact;
	/** `saved`: it was not compared, and not new. */
	action: 'created' | 'updated' | 'unchanged' | 'saved';
	/** Undefined if it was not compared. */
	changedFields?: string[];
	keepsOptOut: boolean;
	/** The fields that the answer shows otherwise than they were sent: each run would send them again. */
	storedDifferently: string[];
	error?: undefined;
}

export type Result = Done | { error: CrmError | InputProblem };

interface SyncRun {
	api: Api;
	settings: SyncSettings;
	known: KnownContacts;
	/** Why no request would be taken any more. */
	refusal?: CrmError;
}

/**
 * Brings the contacts up to date, several at a time; the requests for one go one after the other. One
 * failure does not stop the rest, unless it affects every request. A dry run is the same without writes.
 *
 * @throws ItemFailure for the first that fails, where that ends the run
 */
export async function applyAll(
	run: SyncRun,
	desired: readonly DesiredContact[],
): Promise<Result[]> {
	const { isDryRun, stopsAtFirst } = run.settings;
	const results: Result[] = [];
	await forEachAtOnce(desired.entries(), ITEMS_AT_ONCE, async ([index, each]) => {
		const result = await apply(run, each).catch(asFailure);
		results[index] = result;
		const { error } = result;
		if (error && stopsAtFirst) throw new ItemFailure(each.items[0] ?? 0, error);
		if (!(error instanceof CrmError && error.concernsAll)) return;
		if (isDryRun) throw error;
		run.refusal = error;
	});
	return results;
}

/** Other errors, such as that of an execution that was stopped, are not the contact's. */
function asFailure(error: unknown): Result {
	if (error instanceof CrmError || error instanceof InputProblem) return { error };
	throw error;
}

async function apply(run: SyncRun, desired: DesiredContact): Promise<Done> {
	const { api, settings, known } = run;
	const plan = await planNow(run, desired);
	if (settings.isDryRun || isUnchanged(plan)) {
		return toDone(plan, asPlanned(plan), !known.unread.has(desired));
	}
	const { sent, shown } = await save(run, plan);
	// What was sent and the answer does not show, and the tags to remove.
	const left = compare({ ...plan.fields, tags: desired.fields.tags }, shown, settings);
	// A service that folds names shows "vip" for "VIP": then an extra tag may be one that was given.
	const extraTags = left.fields.tags ? [] : left.extraTags;
	await removeTags(api, shown.id, extraTags);
	const tags = shown.tags.filter((tag) => !extraTags.includes(tag));
	const contact = readContact({ ...shown.record, tags });
	const phone = plan.current?.phone || desired.phone;
	const isOtherPhone = phoneDigits(shown.phone) !== phoneDigits(phone);
	// Whoever said no still gets campaigns then.
	const isStillConfirmed = sent.consent.opt_in === false && shown.optInStatus === 'confirmed';
	return {
		...toDone({ ...sent, extraTags }, contact, shown.isNew),
		storedDifferently: [
			...(isOtherPhone ? ['phone'] : []),
			...(isStillConfirmed ? ['opt_in'] : []),
			...namesOf({ ...left, extraTags: [] }),
		],
	};
}

/** @param isNew if there was no contact before, as far as that is known */
function toDone(plan: Plan, contact: Contact, isNew: boolean): Done {
	const known = isUnchanged(plan) ? 'unchanged' : 'updated';
	const action = plan.current ? known : isNew ? 'created' : 'saved';
	const changedFields = action === 'saved' ? undefined : namesOf(plan);
	const { keepsOptOut } = plan;
	return { contact, action, changedFields, keepsOptOut, storedDifferently: [] };
}

/** The plan by the newest answers; before somebody is opted in, those about opt-outs are renewed. */
async function planNow(run: SyncRun, desired: DesiredContact): Promise<Plan> {
	const { known, settings, refusal } = run;
	const plan = planFor(desired, known, settings);
	if (isUnchanged(plan)) return plan;
	if (refusal) throw refusal;
	if (!mayBreakOptOut(plan.consent, settings)) return plan;
	await known.refreshOptOuts();
	return planFor(desired, known, settings);
}

interface Saved {
	/** The plan, with the consent that was sent in the end. */
	sent: Plan;
	/** The contact, as the last answer shows it; new if any answer said so. */
	shown: Contact;
}

/** How often consent is judged anew because it waited too long for the rate limit. */
const MAX_TRIES = 5;

/** Sends all at once if it is certain which contact gets the consent; otherwise consent after the rest. */
async function save(run: SyncRun, plan: Plan, tries = MAX_TRIES): Promise<Saved> {
	const { desired, current, fields, consent } = plan;
	const all = { ...fields, ...consent };
	if (current && isEmpty(all)) return { sent: plan, shown: current };
	if (isEmpty(consent) || isCertain(plan)) {
		const shown = await send(run, plan, all).catch(tries > 1 ? unlessOutdated : rethrow);
		if (shown) return { sent: plan, shown };
		return await save(run, await planNow(run, desired), tries - 1);
	}
	const first = await send(run, plan, fields);
	const shownAs = { id: undefined, phone: first.phone, isUnverified: false };
	const target = { ...desired, ...shownAs, fields: consent };
	// A proof alone goes with other changes, which are saved by now.
	const isProof = consent.opt_in === undefined;
	const next = isProof
		? { ...plan, desired: target, current: first, fields: {} }
		: await planNow(run, target);
	const { sent, shown } = await save(run, next);
	const { keepsOptOut } = sent;
	return {
		sent: { ...plan, consent: sent.consent, keepsOptOut },
		shown: { ...shown, isNew: first.isNew },
	};
}

/** Sends fields with as few requests as the service lets us: tags and consent go only with the phone. */
async function send(run: SyncRun, plan: Plan, fields: ContactFields): Promise<Contact> {
	const { api, settings } = run;
	const { desired, current } = plan;
	const needsPhone = ['tags', 'opt_in', 'consent_proof'].some((name) => name in fields);
	const isOutdated = mayBreakOptOut(fields, settings) ? run.known.isOutdated : undefined;
	const answer =
		current && !(needsPhone && isCertain(plan))
			? await saveById(api, current.id, fields)
			: await saveByPhone(api, plan, fields, isOutdated);
	const known = current?.record ?? { phone: desired.phone };
	const { created, ...record } = { ...known, ...answer.record };
	const shown = { ...readContact(record), isNew: created === true };
	// It may have another number than the rows mention.
	run.known.add(shown);
	return shown;
}

function isEmpty(fields: ContactFields): boolean {
	return Object.keys(fields).length === 0;
}
