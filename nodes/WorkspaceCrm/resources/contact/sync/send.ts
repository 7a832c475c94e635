import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../../../crm/client';
import { CrmError, rethrow, unlessNotFound, unlessOutdated } from '../../../crm/crmError';
import { endpoints } from '../../../crm/endpoints';
import { onlyOf, readWholeContact } from '../../../crm/lookUp';
import { readContact, type Contact } from '../../../crm/records';
import { isSameNumber } from '../../../domain/sameContact';
import { InputProblem } from '../../../domain/problem';
import type { ItemMemory } from '../../../operations/define';
import { asKnownTags, forEachTag } from '../../tag';
import { changeContact, failAs, saveContact, withLocale } from '../save';
import type { DesiredContact } from './desired';
import type { KnownContacts } from './known';
import {
	changesOf,
	isEmpty,
	isUnchanged,
	mayBreakOptOut,
	mergeChanges,
	phoneOf,
	planChanges,
	type Changes,
	type Plan,
	type Result,
} from './plan';
import type { SyncOptions } from './syncFields';

/** What it takes to update a contact. */
export interface SyncRun {
	api: Api;
	options: SyncOptions;
	known: KnownContacts;
	/** What the run has done for the contact so far. */
	memory: ItemMemory<Result>;
	/** The failure that affects every request, once there is one. */
	refusal?: CrmError;
}

/** About how many requests `save` takes for a plan, and those for extra tags. */
export function costOf(run: SyncRun, plan: Plan): number {
	const { current, fields, consent, extraTags } = plan;
	const { tags = [], locale } = fields;
	const isSplit = !isEmpty(consent) && !isCertain(run, plan);
	const isSent = !current || !isEmpty(fields) || !isEmpty(consent);
	const isByTag = isById(run, isSplit ? { ...plan, consent: {} } : plan);
	const one = isByTag ? tags.length + 1 : 1 + Number(locale !== undefined);
	return (isSent ? one : 0) + Number(isSplit) + extraTags.length;
}

/** Plans with the newest answers. Before opting in, reads the opted-out contacts again if needed. */
export async function planNow(run: SyncRun, desired: DesiredContact): Promise<Plan> {
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
const MAX_PLANS = 5;

/**
 * Sends consent with the other fields if it is certain which contact gets it; otherwise once an answer has
 * shown the contact. A proof cannot be read back, so it goes with the other fields then: if it fails, the next
 * run sends both.
 *
 * @returns the plan with the consent that was finally sent, and the contact from the last answer
 */
export async function save(
	run: SyncRun,
	plan: Plan,
	tries = MAX_PLANS,
): Promise<Plan & { shown: Contact }> {
	const { desired, current, fields, consent } = plan;
	if (current && isEmpty(fields) && isEmpty(consent)) return { ...plan, shown: current };
	if (isEmpty(consent) || isCertain(run, plan)) {
		const shown = await send(run, plan).catch(tries > 1 ? unlessOutdated : rethrow);
		if (shown) return { ...plan, shown };
		return await save(run, await planNow(run, desired), tries - 1);
	}
	const isProof = consent.opt_in === undefined;
	const first = await send(run, { ...plan, consent: {}, ...(isProof && { fields: {} }) });
	const { id, phone } = first;
	const target = { ...desired, id: id || undefined, phone, isIdentified: true };
	const rest = isProof ? target : { ...target, fields: consent };
	const { shown, keepsOptOut, problem, ...last } = await save(run, await planNow(run, rest));
	return { ...plan, consent: last.consent, keepsOptOut, problem, shown };
}

/** Sends a plan with as few requests as possible: the service accepts tags and consent only by phone. */
async function send(run: SyncRun, plan: Plan): Promise<Contact> {
	const { desired, current } = plan;
	const tags = plan.fields.tags && (await asKnownTags(run.api, plan.fields.tags));
	const sent = { ...plan, fields: { ...plan.fields, ...(tags && { tags }) } };
	const answer =
		current && isById(run, plan)
			? await saveById(run, current.id, sent.fields)
			: await saveByPhone(run, sent);
	note(run, changesIn(sent), answer.isNew);
	const known = current?.record ?? { phone: desired.phone };
	// What was sent is no longer what it was, even if the answer does not show it.
	const kept = Object.entries(known).filter(([name]) => !(name in plan.fields));
	const { created, ...record } = { ...Object.fromEntries(kept), ...answer.record } as IDataObject;
	const shown = { ...readContact(record), isNew: created === true };
	// Its number may differ from those in the rows.
	run.known.add(shown);
	return shown;
}

function changesIn(plan: Plan): Changes {
	return changesOf({ ...plan, extraTags: [] });
}

/** Remembers what was done, because a later request for the contact may fail. */
function note({ memory }: SyncRun, done: Changes, isNew = false): void {
	const { action, changes } = memory.partial ?? {};
	const wasNew = isNew || action === 'created';
	memory.partial = {
		action: wasNew ? 'created' : 'updated',
		changes: mergeChanges(changes, done),
	};
}

function isById(run: SyncRun, plan: Plan): boolean {
	const needsPhone = !isEmpty(plan.consent) || plan.fields.tags !== undefined;
	return plan.current !== undefined && !(needsPhone && isCertain(run, plan));
}

/** Sends a plan by phone, in the form that the CRM has stored, so that it finds the same contact. */
async function saveByPhone(run: SyncRun, plan: Plan): Promise<Contact> {
	const { api, known, options } = run;
	const { current, consent } = plan;
	const { locale, ...fields } = plan.fields;
	const body = { phone: phoneOf(plan), ...fields, ...consent };
	const isOutdated = mayBreakOptOut(consent, options) ? known.isOutdated : undefined;
	const answer = await saveContact(api, body, isOutdated);
	if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer, current);
	note(run, changesIn({ ...plan, fields }), answer.isNew);
	return await withLocale(api, answer, locale);
}

const WAS_DELETED = {
	404: 'The contact was deleted during the sync, and was not created again.',
};

/** Sends each tag in its own request, then the other fields; if there are none, reads the contact instead. */
async function saveById(
	run: SyncRun,
	id: string,
	{ tags = [], ...fields }: Plan['fields'],
): Promise<Contact> {
	const { api } = run;
	await forEachTag(tags, 'added', async (name) => {
		await api.send(endpoints.addTag(id), { body: { name }, advice: WAS_DELETED });
		note(run, { tags: { added: [name], removed: [] } });
	});
	if (isEmpty(fields)) return await readWholeContact(api, { id });
	return await changeContact(api, id, { ...fields }, WAS_DELETED);
}

export async function removeTags(run: SyncRun, id: string, tags: readonly string[]): Promise<void> {
	const remove = async (tag: string) => {
		await run.api.send(endpoints.removeTag(id, tag)).catch(unlessNotFound);
		note(run, { tags: { added: [], removed: [tag] } });
	};
	await forEachTag(tags, 'removed', remove).catch(
		failAs(`Some extra tags could not be removed from the contact ${id}`),
	);
}

function otherContact({ id, phone }: Contact, current: Contact): CrmError {
	return new CrmError(
		`Another contact was changed: ${id}`,
		`The contact ${current.id} was deleted during the sync, or its phone number ${phone} went to that contact. Check the consent and the fields of that contact in the CRM, and run the sync again.`,
	);
}
