import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../../../api/client';
import { CrmError, rethrow, unlessGone, unlessOutdated } from '../../../api/crmError';
import { endpoints } from '../../../api/endpoints';
import { readContact, type Contact } from '../../../api/types';
import { isSameNumber } from '../../../domain/sameContact';
import { InputProblem } from '../../../domain/problem';
import { runAll, type ItemMemory } from '../../../operations/engine';
import { onlyOf, readWholeContact } from '../../../api/lookUp';
import { asKnownTags, forEachTag } from '../../tag';
import { changeContact, failAs, saveContact } from '../save';
import type { KnownContacts } from './known';
import {
	asPlanned,
	changesOf,
	CONSENT,
	isEmpty,
	isUnchanged,
	mayBreakOptOut,
	phoneOf,
	planChanges,
	resultOf,
	type DesiredContact,
	type Plan,
	type Result,
} from './plan';
import type { ContactFields } from './row';
import type { SyncOptions } from './syncFields';

interface SyncRun {
	api: Api;
	options: SyncOptions;
	/** Whether one failed item ends the run. */
	stopsAtFirst: boolean;
	known: KnownContacts;
	/** What earlier tries of the run did, by item. */
	memory: (item: number) => ItemMemory;
	/** The failure that affects every request, once there is one. */
	refusal?: CrmError;
}

/**
 * Updates the contacts, several at a time; the requests for one contact run in sequence. One failure
 * does not stop the rest, unless it affects every request. A dry run does the same without writing.
 *
 * @returns the results by the indexes of the input items; none for those that were not started
 */
export async function applyAll(
	run: SyncRun,
	desired: readonly DesiredContact[],
): Promise<Result[]> {
	const results: Result[] = [];
	let isOver = false;
	await runAll(desired, {
		order: 'parallel',
		// The look-ups have shown that the key is accepted.
		firstAlone: false,
		isOver: () => isOver,
		async act(each) {
			const memory = run.memory(each.rows[0].item);
			const earlier = memory.result as Result | undefined;
			const result = earlier ?? (await apply(run, each).catch(asFailure));
			const { error } = result;
			if (error === undefined) memory.result = result;
			for (const { item } of each.rows) results[item] = result;
			isOver ||= error !== undefined && run.stopsAtFirst;
			if (!(error instanceof CrmError && error.failure.endsRun)) return;
			if (run.options.dryRun) throw error;
			run.refusal = error;
		},
	});
	return results;
}

/** Other errors, such as a stopped execution, do not concern the contact. */
function asFailure(error: unknown): Result {
	const isItsOwn = error instanceof CrmError || error instanceof InputProblem;
	return isItsOwn ? { action: 'failed', error } : rethrow(error);
}

async function apply(run: SyncRun, desired: DesiredContact): Promise<Result> {
	const { options, known } = run;
	const plan = await planNow(run, desired);
	if (options.dryRun || isUnchanged(plan)) {
		const result = resultOf(plan, asPlanned(plan), known.isLookedUp(desired));
		return options.dryRun ? { ...result, cost: costOf(run, plan) } : result;
	}
	const { shown, ...sent } = await save(run, plan);
	// The fields that the answer does not show as sent, and the tags to remove.
	const sentFields = { ...sent.fields, ...sent.consent, tags: desired.fields.tags };
	const left = planChanges({ ...desired, fields: shownOf(sentFields, shown) }, shown, options);
	// If the service changes tag names, such as "VIP" to "vip", an extra tag may be one from the input.
	const hidesTags = !('tags' in shown.record) && plan.extraTags.length > 0;
	const extraTags = left.fields.tags || hidesTags ? [] : left.extraTags;
	await removeTags(run.api, shown.id, extraTags);
	const tags = shown.tags.filter((tag) => !extraTags.includes(tag));
	const isOtherPhone = !isSameNumber(shown.phone, phoneOf(plan));
	const record = { ...shown.record, ...('tags' in shown.record && { tags }) };
	const different = Object.keys(changesOf({ ...left, extraTags: [] }));
	return {
		...resultOf({ ...sent, extraTags }, record, shown.isNew),
		storedDifferently: [...(isOtherPhone ? ['phone'] : []), ...different],
		hidesTags,
	};
}

/** The sent fields that an answer shows. Services may answer with fewer fields. */
function shownOf(sent: ContactFields, { record }: Contact): ContactFields {
	const isShown = (name: string) => (CONSENT.includes(name) ? 'opt_in_status' : name) in record;
	return Object.fromEntries(Object.entries(sent).filter(([name]) => isShown(name)));
}

/** About how many requests `save` takes for a plan. */
function costOf(run: SyncRun, plan: Plan): number {
	const { current, fields, consent, extraTags } = plan;
	const isEarly = isEmpty(consent) || isCertain(run, plan);
	const isSent = !current || !isEmpty(fields) || !isEmpty(consent);
	const one = isSent ? sendCost(run, isEarly ? plan : { ...plan, consent: {} }) : 0;
	return one + Number(!isEarly) + extraTags.length;
}

/** How many requests `send` takes. */
function sendCost(run: SyncRun, plan: Plan): number {
	const { tags = [], locale } = plan.fields;
	return isById(run, plan) ? tags.length + 1 : 1 + Number(locale !== undefined);
}

/** Plans with the newest answers. Before opting in, reads the opted-out contacts again if needed. */
async function planNow(run: SyncRun, desired: DesiredContact): Promise<Plan> {
	const plan = planFor(run, desired);
	if (isUnchanged(plan)) return plan;
	if (run.refusal) throw run.refusal;
	if (!mayBreakOptOut(plan.consent, run.options)) return plan;
	await run.known.refreshOptOuts();
	return planFor(run, desired);
}

/**
 * Plans with what is known so far. Consent goes by phone number, so the contact needs one of its own.
 *
 * @throws InputProblem or CrmError if nothing can be sent for the contact
 */
export function planFor(
	{ known, options }: Pick<SyncRun, 'known' | 'options'>,
	desired: DesiredContact,
): Plan {
	const plan = planChanges(desired, known.find(desired), options);
	const { current, consent } = plan;
	if (!current || isEmpty(consent)) return plan;
	const { id, phone } = current;
	if (phone === '') throw noPhone(id);
	try {
		onlyOf(known.of({ phone }), phone, CONSENT_NOT_SENT);
		return plan;
	} catch (problem) {
		return { ...plan, consent: {}, problem: problem as InputProblem };
	}
}

const CONSENT_NOT_SENT =
	'No consent was sent for this item, as that goes by phone number. Its other fields are saved by its ID. Delete all but one of the contacts.';

function noPhone(id: string): InputProblem {
	return new InputProblem(
		`The contact ${id} has no phone number, so its consent cannot be changed`,
		"Nothing was sent for this item. Leave 'Opt In' and 'Consent Proof' blank, or give the contact a phone number in the CRM.",
	);
}

/** Whether it is certain which contact a request with the phone number changes. */
function isCertain({ known, options }: SyncRun, { desired, current, consent }: Plan): boolean {
	if (desired.isIdentified) return true;
	if (current) return desired.id === undefined && isSameNumber(desired.phone, current.phone);
	const mayBeOther = mayBreakOptOut(consent, options) && known.mayHaveOptedOut(desired.phone);
	return !desired.isUnverified && !mayBeOther;
}

/** How often to plan again if consent waited too long for the rate limit. */
const MAX_TRIES = 5;

/**
 * Sends consent with the other fields if it is certain which contact gets it; otherwise once an answer has
 * shown the contact.
 *
 * @returns the plan with the consent that was finally sent, and the contact from the last answer; it is
 * new if any answer said so
 */
async function save(
	run: SyncRun,
	plan: Plan,
	tries = MAX_TRIES,
): Promise<Plan & { shown: Contact }> {
	const { desired, current, fields, consent } = plan;
	if (current && isEmpty(fields) && isEmpty(consent)) return { ...plan, shown: current };
	if (isEmpty(consent) || isCertain(run, plan)) {
		const shown = await send(run, plan).catch(tries > 1 ? unlessOutdated : rethrow);
		if (shown) return { ...plan, shown };
		return await save(run, await planNow(run, desired), tries - 1);
	}
	// A proof cannot be read back, so it goes with the other fields: if that fails, the next run sends both.
	const isProof = consent.opt_in === undefined;
	const first = await send(run, { ...plan, consent: {}, ...(isProof && { fields: {} }) });
	const { id, phone, isNew } = first;
	const target = { ...desired, id: id || undefined, phone, isIdentified: true };
	const rest = isProof ? desired.fields : consent;
	const last = await save(run, await planNow(run, { ...target, fields: rest }));
	const { keepsOptOut, problem } = last;
	const shown = { ...last.shown, isNew };
	return { ...plan, consent: last.consent, keepsOptOut, problem, shown };
}

/** Sends a plan with as few requests as possible: the service accepts tags and consent only by phone. */
async function send(run: SyncRun, plan: Plan): Promise<Contact> {
	const { desired, current } = plan;
	const tags = plan.fields.tags && (await asKnownTags(run.api, plan.fields.tags));
	const fields = { ...plan.fields, ...(tags && { tags }) };
	const answer =
		current && isById(run, plan)
			? await saveById(run.api, current.id, fields)
			: await saveByPhone(run, { ...plan, fields });
	const known = current?.record ?? { phone: desired.phone };
	// What was sent is no longer what it was, even if the answer does not show it.
	const kept = Object.entries(known).filter(([name]) => !(name in plan.fields));
	const { created, ...record } = { ...Object.fromEntries(kept), ...answer.record } as IDataObject;
	const shown = { ...readContact(record), isNew: created === true };
	// Its number may differ from those in the rows.
	run.known.add(shown);
	return shown;
}

function isById(run: SyncRun, plan: Plan): boolean {
	const needsPhone = !isEmpty(plan.consent) || plan.fields.tags !== undefined;
	return plan.current !== undefined && !(needsPhone && isCertain(run, plan));
}

/** Sends a plan by phone, in the form that the CRM has stored, so that it finds the same contact. */
async function saveByPhone({ api, known, options }: SyncRun, plan: Plan): Promise<Contact> {
	const { current, consent } = plan;
	const { locale, ...fields } = plan.fields;
	const body = { phone: phoneOf(plan), ...fields, ...consent };
	const isOutdated = mayBreakOptOut(consent, options) ? known.isOutdated : undefined;
	const answer = await saveContact(api, body, locale, isOutdated);
	if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer, current);
	return answer;
}

const WAS_DELETED = {
	404: 'The contact was deleted during the sync, and was not created again.',
};

/** Sends each tag in its own request, then the other fields; if there are none, reads the contact instead. */
async function saveById(
	api: Api,
	id: string,
	{ tags = [], ...fields }: ContactFields,
): Promise<Contact> {
	await forEachTag(
		tags,
		'added',
		async (name) => await api.send(endpoints.addTag(id), { body: { name }, advice: WAS_DELETED }),
	);
	if (isEmpty(fields)) return await readWholeContact(api, { id });
	return await changeContact(api, id, { ...fields }, WAS_DELETED);
}

async function removeTags(api: Api, id: string, tags: readonly string[]): Promise<void> {
	const remove = async (tag: string) =>
		await api.send(endpoints.removeTag(id, tag)).catch(unlessGone);
	await forEachTag([...tags], 'removed', remove).catch(
		failAs(`Some extra tags could not be removed from the contact ${id}`),
	);
}

function otherContact({ id, phone }: Contact, current: Contact): CrmError {
	return new CrmError(
		`Another contact was changed: ${id}`,
		`The contact ${current.id} was deleted during the sync, or its phone number ${phone} went to that contact. Check the consent and the fields of that contact in the CRM, and run the sync again.`,
	);
}
