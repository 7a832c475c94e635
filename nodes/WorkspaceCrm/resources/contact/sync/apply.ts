import type { Api } from '../../../api/client';
import { CrmError, unlessGone } from '../../../api/crmError';
import { path } from '../../../api/urls';
import { readContact, type Contact } from '../../../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { InputProblem } from '../../../domain/problem';
import { ItemFailure } from '../../../operations/define';
import { readWholeContact } from '../../contactReference';
import { forEachTag } from '../../tag/eachTag';
import { changeContact, failAs, saveContact } from '../save';
import {
	asPlanned,
	changedFields,
	findExtraTags,
	hasAllTags,
	isOptInBarred,
	type Plan,
	type Saving,
	plannedAction,
	planToChange,
	savingOf,
} from './plan';
import { givesConsent, withoutConsent } from './row';
import type { RenewPlan } from './snapshot';
import type { SyncSettings } from './syncFields';

/** What was done to a contact; `saved`: it was there, and what was sent may or may not have changed it. */
type SyncAction = 'created' | 'updated' | 'unchanged' | 'saved';

/** What came of a plan: the contact as the CRM has it now, or why it could not be done. */
export type Result =
	| {
			contact: Contact;
			action: SyncAction;
			/** Undefined if the contact was not compared. */
			changedFields?: string[];
			keepsOptOut: boolean;
			/** Whether it keeps tags that may be too many. */
			keepsTags?: boolean;
			error?: undefined;
	  }
	| { error: CrmError | InputProblem };

const IS_GONE = 'The contact was deleted during the sync. No other contact was created.';
const WAS_DELETED =
	'The contact was deleted during the sync. To create it again, run the sync again.';

/**
 * What would come of a plan.
 *
 * @param isCompared whether a run would know what the contact is like; a dry run knows it of all
 */
export function resultAsPlanned(plan: Plan, isCompared = true): Result {
	if (plan.problem) return { error: plan.problem };
	const action = isCompared ? plannedAction(plan) : 'saved';
	const contact = (action === 'unchanged' && plan.current) || asPlanned(plan);
	return { contact, action, changedFields: changedFields(plan), keepsOptOut: plan.keepsOptOut };
}

/**
 * Carries out the plans, several at a time; the requests for one contact go one after the other.
 * A contact that fails leaves the others alone, unless they would fail just so.
 *
 * @throws ItemFailure for the first that fails, where that ends the run
 */
export async function applyPlans(
	api: Api,
	plans: readonly Plan[],
	settings: SyncSettings,
	renewed: RenewPlan,
): Promise<Result[]> {
	const results: Result[] = [];
	let refusal: CrmError | undefined;
	const act = async (plan: Plan): Promise<Result> => {
		if (plan.problem || plannedAction(plan) === 'unchanged') return resultAsPlanned(plan);
		if (refusal) return { error: refusal };
		return await carryOutOne(api, plan, settings, renewed).catch(asFailure);
	};
	await forEachAtOnce(plans.entries(), ITEMS_AT_ONCE, async ([index, plan]) => {
		const result = await act(plan);
		const { error } = result;
		if (error && settings.stopsAtFirst) throw new ItemFailure(plan.desired.items[0], error);
		if (error instanceof CrmError && error.concernsAll) refusal = error;
		results[index] = result;
	});
	return results;
}

/** Other errors, such as that of an execution that was stopped, are not the contact's. */
function asFailure(error: unknown): Result {
	if (error instanceof CrmError || error instanceof InputProblem) return { error };
	throw error;
}

async function carryOutOne(
	api: Api,
	planned: Plan,
	settings: SyncSettings,
	renewed: RenewPlan,
): Promise<Result> {
	const plan = await renewed(planned);
	const { desired } = plan;
	if (plannedAction(plan) === 'unchanged') return resultAsPlanned(plan);
	// All of them before the first request, so that nothing is done if one cannot be removed.
	for (const tag of plan.extraTags) tagPath(plan.current?.id ?? '', tag);

	const { contact, isNew, keepsOptOut } = await save(api, plan, settings);
	// A service that folds names shows "vip" for "VIP": then an extra tag may be one that was given.
	const isExact = hasAllTags(desired, contact);
	const extraTags = isExact ? findExtraTags(desired, contact, settings) : [];
	const tidied = await removeTags(api, contact, extraTags);
	const action = isNew ? 'created' : plan.current ? 'updated' : 'saved';
	const fields = keepsOptOut ? withoutConsent(plan.fields) : plan.fields;
	const keepsTags = settings.tagMode === 'match' && !isExact && !isNew;
	const changed = action === 'saved' ? undefined : changedFields({ fields, extraTags });
	return { contact: tidied, action, changedFields: changed, keepsOptOut, keepsTags };
}

interface Saved {
	contact: Contact;
	/** Whether the service says that it is new; it says so only where the phone is sent. */
	isNew: boolean;
	keepsOptOut: boolean;
}

/** Saves the fields; what is said about consent only once it is certain whose it is. */
async function save(api: Api, plan: Plan, settings: SyncSettings): Promise<Saved> {
	const { desired, current, fields, keepsOptOut } = plan;
	const isUncertain = !current && desired.isUnverified;
	if (!isUncertain || !isOptInBarred(fields, settings)) {
		return { ...(await sendFields(api, plan)), keepsOptOut };
	}
	const { contact, isNew } = await sendFields(api, { ...plan, fields: withoutConsent(fields) });
	const rest = planToChange(desired, contact, settings);
	return { ...(await sendFields(api, rest)), isNew, keepsOptOut: rest.keepsOptOut };
}

async function sendFields(api: Api, plan: Plan): Promise<Omit<Saved, 'keepsOptOut'>> {
	const saving = savingOf(plan);
	const current = plan.current ?? readContact({});
	const over = (contact: Contact) => readContact({ ...current.record, ...contact.record });
	if (saving.kind === 'none') return { contact: current, isNew: false };
	if (saving.kind === 'patch') {
		const contact = await changeContact(api, current.id, saving.body, WAS_DELETED);
		return { contact: over(contact), isNew: false };
	}
	if (saving.kind === 'byId') {
		return { contact: await saveById(api, current, saving, plan.extraTags), isNew: false };
	}
	const contact = await saveContact(api, saving.body, saving.locale);
	if (contact.isNew && plan.current) throw createdAgain();
	const { record } = over(contact);
	delete record.created;
	return { contact: readContact(record), isNew: contact.isNew };
}

/** Saves the fields of a contact by its ID. Only consent goes by its phone, right after it was seen. */
async function saveById(
	api: Api,
	before: Contact,
	{ tags, body, consent }: Extract<Saving, { kind: 'byId' }>,
	extraTags: readonly string[],
): Promise<Contact> {
	const { id } = before;
	const advice = { 404: IS_GONE };
	const add = async (name: string) =>
		await api.send({ method: 'POST', path: path`/v1/contacts/${id}/tags`, body: { name }, advice });
	await forEachTag(tags, 'added', add);
	const hasBody = Object.keys(body).length > 0;
	const hasConsent = givesConsent(consent);
	// An extra tag may be one that was just added, under the name that the service gives it.
	const showsTags = tags.length > 0 && extraTags.length > 0;
	const answer = hasBody
		? await changeContact(api, id, body, IS_GONE)
		: (hasConsent || showsTags) && (await readWholeContact(api, { id }));
	const added = showsTags ? {} : { tags: [...new Set([...before.tags, ...tags])] };
	const contact = readContact({ ...before.record, ...added, ...(answer && answer.record) });
	if (!hasConsent) return contact;
	const { phone } = contact;
	const consented = await saveContact(api, { phone, ...consent }, undefined);
	if (consented.isNew) throw createdAgain();
	if (consented.id !== id) throw otherContact(consented);
	const record = { ...contact.record, ...consented.record };
	delete record.created;
	return readContact(record);
}

function otherContact({ id, phone }: Contact): InputProblem {
	return new InputProblem(
		`The consent of another contact was changed: that of ${id}`,
		`During the sync, the phone number ${phone} went to that contact. Check its consent in the CRM.`,
	);
}

function createdAgain(): InputProblem {
	return new InputProblem(
		'The contact was deleted during the sync, and created again with only some of its fields',
		'Run the sync again to save the others.',
	);
}

async function removeTags(api: Api, contact: Contact, extraTags: string[]): Promise<Contact> {
	if (extraTags.length === 0) return contact;
	const { id } = contact;
	const remove = async (tag: string) =>
		await api.send({ method: 'DELETE', path: tagPath(id, tag) }).catch(unlessGone);
	await forEachTag(extraTags, 'removed', remove).catch(
		failAs(`Some extra tags could not be removed from the contact ${id}`),
	);
	const tags = contact.tags.filter((tag) => !extraTags.includes(tag));
	return readContact({ ...contact.record, tags });
}

function tagPath(id: string, tag: string): string {
	return path`/v1/contacts/${id}/tags/${tag}`;
}
