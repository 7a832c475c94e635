import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { readContact, type Contact } from '../../../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { isSameJson } from '../../../domain/json';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { ItemFailure } from '../../../operations/define';
import { mayBreakOptOut, splitConsent } from './consent';
import type { DesiredContact } from './desired';
import type { KnownContacts } from './known';
import { asPlanned, changedFields, findExtraTags, planFor, type Plan } from './plan';
import type { SyncSettings } from './syncFields';
import { isChangedById, removeTags, saveById, saveByPhone, tagPath } from './write';

/** What came of a plan: the contact as the CRM has it now, or why it could not be done. */
export type Result =
	| {
			contact: Contact;
			action: Plan['action'];
			/** Undefined if the contact was not compared. */
			changedFields?: string[];
			keepsOptOut: boolean;
			/** Whether it keeps tags that may be too many. */
			keepsTags?: boolean;
			/** The fields that an answer shows otherwise than they were sent. */
			storedDifferently?: string[];
			error?: undefined;
	  }
	| { error: CrmError | InputProblem };

interface SyncRun {
	api: Api;
	settings: SyncSettings;
	known: KnownContacts;
}

/**
 * Carries out the plans, several at a time; the requests for one contact go one after the other. One
 * failure does not stop the rest, unless it affects every request. A dry run is the same without writes.
 *
 * @throws ItemFailure for the first that fails, where that ends the run
 */
export async function applyPlans(run: SyncRun, plans: readonly Plan[]): Promise<Result[]> {
	const { isDryRun, stopsAtFirst } = run.settings;
	const results: Result[] = [];
	let refusal: CrmError | undefined;
	await forEachAtOnce(plans.entries(), ITEMS_AT_ONCE, async ([index, plan]) => {
		const needsRequest = plan.action !== 'unchanged';
		const result: Result =
			refusal && needsRequest ? { error: refusal } : await apply(run, plan).catch(asFailure);
		results[index] = result;
		const { error } = result;
		if (error && stopsAtFirst) throw new ItemFailure(plan.desired.items[0] ?? 0, error);
		if (!(error instanceof CrmError && error.concernsAll)) return;
		if (isDryRun) throw error;
		refusal = error;
	});
	return results;
}

/** Other errors, such as that of an execution that was stopped, are not the contact's. */
function asFailure(error: unknown): Result {
	if (error instanceof CrmError || error instanceof InputProblem) return { error };
	throw error;
}

async function apply(run: SyncRun, planned: Plan): Promise<Result> {
	const { api, settings } = run;
	const plan = mayBreakOptOut(planned.fields, settings)
		? await planNow(run, planned.desired)
		: planned;
	if (plan.problem) throw plan.problem;
	if (settings.isDryRun || plan.action === 'unchanged') return asResult(plan);
	// All of them before the first request, so that nothing is done if one cannot be removed.
	for (const tag of plan.extraTags) tagPath(plan.current?.id ?? '', tag);

	const { answers, keepsOptOut } = await save(run, plan);
	const shown = answers.reduce(withAnswer, asPlanned({ ...plan, extraTags: [] }));
	const { tags = [] } = plan.desired.fields;
	// A service that folds names shows "vip" for "VIP": then an extra tag may be one that was given.
	const isExact = tags.every((tag) => (answers.at(-1) ?? shown).tags.includes(tag));
	const extraTags = isExact ? findExtraTags(plan.desired, shown, settings) : [];
	await removeTags(api, shown.id, extraTags);
	const isNew = answers.some((answer) => answer.isNew);
	const action = isNew ? 'created' : plan.current ? 'updated' : 'saved';
	const fields = keepsOptOut ? splitConsent(plan.fields).others : plan.fields;
	const kept = shown.tags.filter((tag) => !extraTags.includes(tag));
	return {
		...asResult({ ...plan, action, fields, extraTags }),
		contact: readContact({ ...shown.record, tags: kept }),
		keepsOptOut,
		keepsTags: settings.tagMode === 'match' && !isExact && !isNew,
		storedDifferently: differences(plan, shown),
	};
}

/** The result of a plan if all of it is done, which no answer has shown. */
function asResult(plan: Plan): Exclude<Result, { error: Error }> {
	const { action, current, keepsOptOut } = plan;
	const contact = (action === 'unchanged' && current) || asPlanned(plan);
	const changed = action === 'saved' ? undefined : changedFields(plan);
	return { contact, action, changedFields: changed, keepsOptOut };
}

/** The plan by the newest answers; before somebody is opted in, those about opt-outs are renewed. */
async function planNow({ known, settings }: SyncRun, desired: DesiredContact): Promise<Plan> {
	if (mayBreakOptOut(desired.fields, settings)) await known.refreshOptOuts();
	return planFor(desired, known.of(desired), settings);
}

interface Saved {
	answers: Contact[];
	keepsOptOut: boolean;
}

/** Saves the fields. Consent goes with the others only if it is certain which contact gets it. */
async function save(run: SyncRun, plan: Plan): Promise<Saved> {
	const { desired, current, fields, extraTags, keepsOptOut } = plan;
	const { others, hasConsent } = splitConsent(fields);
	const isById = isChangedById(plan);
	const isCertain = !isById && (current !== undefined || !desired.isUnverified);
	const asksFirst = isById ? hasConsent : !isCertain && mayBreakOptOut(fields, run.settings);
	const first = { ...plan, fields: asksFirst ? others : fields };
	const mayRemoveAdded = fields.tags !== undefined && extraTags.length > 0;
	const answer = isById
		? await saveById(run.api, current?.id ?? '', first.fields, asksFirst || mayRemoveAdded)
		: await saveByPhone(run.api, first);
	const answers = answer ? [answer] : [];
	answers.forEach((each) => run.known.note(each));
	return asksFirst ? await saveConsent(run, plan, answers) : { answers, keepsOptOut };
}

/** Sends consent to the contact that the answer to its other fields has shown. */
async function saveConsent(run: SyncRun, plan: Plan, answers: Contact[]): Promise<Saved> {
	const shown = answers.reduce(withAnswer, asPlanned(plan));
	const phone = shown.phone || plan.desired.phone;
	const current = { ...shown, phone };
	run.known.add(current);
	const now = await planNow(run, { ...plan.desired, id: shown.id, phone });
	if (now.problem) throw now.problem;
	// A proof alone goes with the other fields, which are saved by now.
	const from = plan.fields.opt_in === undefined ? plan : now;
	const { consent, hasConsent } = splitConsent(from.fields);
	if (!hasConsent) return { answers, keepsOptOut: now.keepsOptOut };
	const answer = await saveByPhone(run.api, { ...plan, current, fields: consent });
	return { answers: [...answers, ...(answer ? [answer] : [])], keepsOptOut: now.keepsOptOut };
}

function withAnswer(before: Contact, answer: Contact): Contact {
	const record = { ...before.record, ...answer.record };
	delete record.created;
	return readContact(record);
}

/** The fields that an answer shows otherwise than they were sent: each run would send them again. */
function differences({ desired, current, fields }: Plan, shown: Contact): string[] {
	const { attributes = {}, tags = [] } = fields;
	const plain = (['name', 'locale', 'source'] as const).filter(
		(name) => fields[name] !== undefined && fields[name] !== shown[name],
	);
	const keys = Object.keys(attributes).filter(
		(key) => !isSameJson(attributes[key], shown.attributes[key]),
	);
	const isOtherPhone = phoneDigits(shown.phone) !== phoneDigits(current?.phone || desired.phone);
	return [
		...(isOtherPhone ? ['phone'] : []),
		...plain,
		...keys.map((key) => `attributes.${key}`),
		...(tags.every((tag) => shown.tags.includes(tag)) ? [] : ['tags']),
	];
}
