import type { IDataObject } from 'n8n-workflow';

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
import type { SyncOptions } from './syncFields';
import { removeTags, saveById, saveByPhone } from './write';

/** What became of a row, or of the contact of several rows. */
export interface Result {
	/** `saved`: sent without comparing, and not new. */
	action: 'created' | 'updated' | 'saved' | 'unchanged' | 'failed' | 'invalid';
	/** The contact as it is in the CRM now; undefined if it failed. */
	record?: IDataObject;
	/** Undefined if it was not compared. */
	changedFields?: string[];
	keepsOptOut?: boolean;
	/** The fields that the answer shows with other values than we sent. Each run sends them again. */
	storedDifferently?: string[];
	error?: unknown;
}

interface SyncRun {
	api: Api;
	options: SyncOptions;
	/** Whether one failed item ends the run. */
	stopsAtFirst: boolean;
	known: KnownContacts;
	/** The failure that affects every request, once there is one. */
	refusal?: CrmError;
}

/**
 * Updates the contacts, several at a time; the requests for one contact run in sequence. One failure
 * does not stop the rest, unless it affects every request. A dry run does the same without writing.
 *
 * @returns the results by the indexes of the input items
 * @throws ItemFailure for the first failure, if the run stops at it
 */
export async function applyAll(
	run: SyncRun,
	desired: readonly DesiredContact[],
): Promise<Result[]> {
	const results: Result[] = [];
	await forEachAtOnce(desired, ITEMS_AT_ONCE, async (each) => {
		const result = await apply(run, each).catch(asFailure);
		for (const item of each.items) results[item] = result;
		const { error } = result;
		if (error !== undefined && run.stopsAtFirst) throw new ItemFailure(each.items[0] ?? 0, error);
		if (!(error instanceof CrmError && error.concernsAll)) return;
		if (run.options.dryRun) throw error;
		run.refusal = error;
	});
	return results;
}

/** Other errors, such as a stopped execution, do not concern the contact. */
function asFailure(error: unknown): Result {
	if (error instanceof CrmError || error instanceof InputProblem)
		return { action: 'failed', error };
	throw error;
}

async function apply(run: SyncRun, desired: DesiredContact): Promise<Result> {
	const { api, options, known } = run;
	const plan = await planNow(run, desired);
	if (options.dryRun || isUnchanged(plan)) {
		return resultOf(plan, asPlanned(plan), !known.unread.has(desired));
	}
	const { sent, shown } = await save(run, plan);
	// The fields that the answer does not show as sent, and the tags to remove.
	const left = compare({ ...plan.fields, tags: desired.fields.tags }, shown, options);
	// If the service changes tag names, such as "VIP" to "vip", an extra tag may be one from the input.
	const extraTags = left.fields.tags ? [] : left.extraTags;
	await removeTags(api, shown.id, extraTags);
	const tags = shown.tags.filter((tag) => !extraTags.includes(tag));
	const phone = plan.current?.phone || desired.phone;
	const isOtherPhone = phoneDigits(shown.phone) !== phoneDigits(phone);
	// Whoever said no still gets campaigns then.
	const isStillConfirmed = sent.consent.opt_in === false && shown.optInStatus === 'confirmed';
	return {
		...resultOf({ ...sent, extraTags }, { ...shown.record, tags }, shown.isNew),
		storedDifferently: [
			...(isOtherPhone ? ['phone'] : []),
			...(isStillConfirmed ? ['opt_in'] : []),
			...namesOf({ ...left, extraTags: [] }),
		],
	};
}

/** @param isNew whether the service says that it created the contact */
function resultOf(plan: Plan, record: IDataObject, isNew: boolean): Result {
	const { current, keepsOptOut } = plan;
	const changedFields = namesOf(plan);
	if (!current && !isNew) return { action: 'saved', record, keepsOptOut };
	const known = changedFields.length > 0 ? 'updated' : 'unchanged';
	return { action: current ? known : 'created', record, changedFields, keepsOptOut };
}

/** Plans with the newest answers. Before opting in, reads the opted-out contacts again if needed. */
async function planNow(run: SyncRun, desired: DesiredContact): Promise<Plan> {
	const { known, options, refusal } = run;
	const plan = planFor(desired, known, options);
	if (isUnchanged(plan)) return plan;
	if (refusal) throw refusal;
	if (!mayBreakOptOut(plan.consent, options)) return plan;
	await known.refreshOptOuts();
	return planFor(desired, known, options);
}

interface Saved {
	/** The plan, with the consent that was finally sent. */
	sent: Plan;
	/** The contact from the last answer; new if any answer said so. */
	shown: Contact;
}

/** How often to plan again if consent waited too long for the rate limit. */
const MAX_TRIES = 5;

/**
 * Sends consent with the other fields if it is certain which contact gets it; otherwise sends it
 * afterwards, once the contact is identified.
 */
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
	// A proof alone is sent only with other changes, which are saved by now.
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

/** Sends fields with as few requests as possible: the service accepts tags and consent only by phone. */
async function send(run: SyncRun, plan: Plan, fields: ContactFields): Promise<Contact> {
	const { api, options } = run;
	const { desired, current } = plan;
	const needsPhone = ['tags', 'opt_in', 'consent_proof'].some((name) => name in fields);
	const isOutdated = mayBreakOptOut(fields, options) ? run.known.isOutdated : undefined;
	const answer =
		current && !(needsPhone && isCertain(plan))
			? await saveById(api, current.id, fields)
			: await saveByPhone(api, plan, fields, isOutdated);
	const known = current?.record ?? { phone: desired.phone };
	const { created, ...record } = { ...known, ...answer.record };
	const shown = { ...readContact(record), isNew: created === true };
	// Its number may differ from those in the rows.
	run.known.add(shown);
	return shown;
}

function isEmpty(fields: ContactFields): boolean {
	return Object.keys(fields).length === 0;
}
