import type { Api } from '../../../crm/client';
import { CrmError, OutdatedError, unlessNotFound, unlessOutdated } from '../../../crm/crmError';
import { endpoints } from '../../../crm/endpoints';
import { readContact, type Contact, type WireRecord } from '../../../crm/records';
import { isJsonObject } from '../../../domain/plainData';
import type { ItemMemory } from '../../../operations/define';
import { asKnownTags, forEachTag } from '../../tag';
import { changeContact, failAs, saveContact, withLocale } from '../save';
import { isCertain, mustKeepOptOuts, noPhone, numberProblem, onlyProof } from './consentRule';
import type { DesiredContact, doubtsIn } from './desired';
import { WAS_DELETED, wasDeleted, type KnownContacts } from './known';
import {
	changesOf,
	isEmpty,
	isUnchanged,
	mergeChanges,
	phoneOf,
	planChanges,
	type Changes,
	type Plan,
	type SyncResult,
} from './plan';
import type { SyncOptions } from './syncFields';

/** What it takes to update a contact. */
export interface SyncRun {
	api: Api;
	options: SyncOptions;
	known: KnownContacts;
	doubtOf?: ReturnType<typeof doubtsIn>;
	/** What the run has done for the contact so far. */
	memory: ItemMemory<SyncResult>;
	/** The failure that affects every request, once there is one. */
	refusal?: CrmError;
}

/**
 * Whether consent waits until the answer to the other fields has shown which contact gets it. Where one request looks
 * at many contacts again, that is cheaper.
 */
function mustBeShown(run: SyncRun, plan: Plan): boolean {
	const isLookedAt = plan.current !== undefined && run.known.looksAround;
	return !isEmpty(plan.consent) && !isLookedAt && !isCertain(run, plan);
}

/** About how many requests `save` takes for a plan, and those for extra tags. */
export function costOf(run: SyncRun, plan: Plan): number {
	const { current, fields, consent, extraTags } = plan;
	const { tags = [], locale } = fields;
	const isSplit = mustBeShown(run, plan);
	const isSent = !current || !isEmpty(fields) || !isEmpty(consent);
	const hasOthers = Object.keys(fields).some((name) => name !== 'tags');
	const isByTag = isById(isSplit ? { ...plan, consent: {} } : plan);
	const byTag = Math.max(1, tags.length + Number(hasOthers));
	const one = isByTag ? byTag : 1 + Number(locale !== undefined);
	return (isSent ? one : 0) + Number(isSplit) + extraTags.length;
}

/**
 * Plans with the newest answers. Before sending consent, looks again at the contact, or at the opted-out ones, if
 * what is known of them is too old.
 *
 * @throws CrmError if the contact was deleted during the run, in all tries
 */
export async function planNow(run: SyncRun, desired: DesiredContact): Promise<Plan> {
	const plan = planFor(run, desired);
	if (isUnchanged(plan)) return plan;
	if (run.refusal) throw run.refusal;
	const { known, memory, options } = run;
	const { current, consent } = plan;
	if (!current && memory.contactId !== undefined) throw wasDeleted();
	memory.contactId = current?.id;
	if (isEmpty(consent)) return plan;
	if (current && known.looksAround) {
		if (options.dryRun) return plan;
		await known.lookAround(current);
	} else if (mustKeepOptOuts(consent, options)) await known.refreshOptOuts();
	else return plan;
	return planFor(run, desired);
}

/**
 * Plans with what is known so far. Consent goes by phone number, so the contact needs one of its own.
 *
 * @throws InputProblem or CrmError if nothing can be sent for the contact
 */
export function planFor(
	{ known, options, doubtOf }: Pick<SyncRun, 'known' | 'options' | 'doubtOf'>,
	desired: DesiredContact,
): Plan {
	const plan = planChanges(desired, known.find(desired), options, !known.isLookedUp(desired));
	const { current, fields, consent, refused } = plan;
	if (refused) throw refused;
	if (isEmpty(consent)) return plan;
	if (current?.phone === '') throw noPhone(current.id);
	const isProof = consent.opt_in === undefined;
	if (!current && isProof && isEmpty(fields) && desired.isUnverified)
		throw onlyProof(desired.phone);
	const problem =
		doubtOf?.(desired, current ? [desired, current] : [desired]) ??
		numberProblem({ known, options }, plan);
	if (!problem) return plan;
	// A proof cannot be read back: if the other fields were saved, the next run would not send it.
	if (isProof) throw problem;
	return { ...plan, consent: {}, problem };
}

/** How often to plan again if consent waited too long for the rate limit. */
const MAX_PLANS = 6;

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
	if (tries === 0) throw new OutdatedError();
	if (!mustBeShown(run, plan)) {
		// if the consent has become uncertain meanwhile, nothing is sent
		const shown = await sendPlan(run, plan).catch(unlessOutdated);
		if (shown) return { ...plan, shown };
		return await save(run, await planNow(run, desired), tries - 1);
	}
	const isProof = consent.opt_in === undefined;
	const first = await sendPlan(run, { ...plan, consent: {}, ...(isProof && { fields: {} }) });
	const { id, phone } = first;
	const target = { ...desired, id: id || undefined, phone, isIdentified: true };
	const rest = isProof ? target : { ...target, fields: consent };
	const then = await save(run, await planNow(run, rest), tries - 1);
	const { shown, consent: sent, problem, notes } = then;
	return { ...plan, consent: sent, problem, shown, notes: [...new Set([...plan.notes, ...notes])] };
}

/** Sends a plan with as few requests as possible: the service accepts tags and consent only by phone. */
async function sendPlan(run: SyncRun, plan: Plan): Promise<Contact> {
	const { desired, current } = plan;
	const tags = plan.fields.tags && (await asKnownTags(run.api, plan.fields.tags));
	const sent = { ...plan, fields: { ...plan.fields, ...(tags && { tags }) } };
	const answer =
		current && isById(plan)
			? await saveById(run, current.id, sent.fields)
			: await saveByPhone(run, sent);
	rememberDone(run, changesIn(sent, answer), answer.isNew);
	const known = current?.record ?? { phone: desired.phone };
	// What was sent is no longer what it was, even if the answer does not show it.
	const changed = {
		...plan.fields,
		...(plan.consent.opt_in !== undefined && { opt_in_status: undefined }),
	};
	const kept = Object.entries(known).filter(([name]) => !Object.hasOwn(changed, name));
	const { created, ...record } = { ...Object.fromEntries(kept), ...answer.record } as WireRecord;
	const shown = { ...readContact(record), isNew: created === true };
	// Its number may differ from those in the rows.
	run.known.see(shown);
	run.memory.contactId = shown.id || undefined;
	return shown;
}

function changesIn(plan: Plan, { optInStatus }: Contact): Changes {
	return changesOf({ ...plan, extraTags: [] }, optInStatus ?? 'unknown');
}

/** Remembers what was done, because a later request for the contact may fail. */
function rememberDone({ memory }: SyncRun, done: Changes, isNew = false): void {
	const { action, changes } = memory.partial ?? {};
	const wasNew = isNew || action === 'created';
	memory.partial = {
		action: wasNew ? 'created' : 'updated',
		changes: mergeChanges(changes, done),
	};
}

/** A request by ID cannot create a contact that was deleted meanwhile. Only consent goes by phone. */
function isById({ current, consent }: Plan): boolean {
	return current !== undefined && isEmpty(consent);
}

/** Sends a plan by phone, in the form that the CRM has stored, so that it finds the same contact. */
async function saveByPhone(run: SyncRun, plan: Plan): Promise<Contact> {
	const { api, known, options } = run;
	const { current, consent } = plan;
	const { locale, ...fields } = plan.fields;
	const body = { phone: phoneOf(plan), ...fields, ...consent };
	const keepsOptOuts = mustKeepOptOuts(consent, options);
	const isOutdated = isEmpty(consent) ? undefined : () => known.isOutdated(current, keepsOptOuts);
	const answer = await saveContact(api, body, isOutdated);
	if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer, current);
	rememberDone(run, changesIn({ ...plan, fields }, answer), answer.isNew);
	return await withLocale(api, answer, locale);
}

/** Sends each tag in its own request, then the other fields. If no answer shows the contact, reads it. */
async function saveById(
	run: SyncRun,
	id: string,
	{ tags = [], ...fields }: Plan['fields'],
): Promise<Contact> {
	const { api, known } = run;
	let shown: Contact | undefined;
	await forEachTag(tags, 'added', async (name) => {
		const answer = await api.send(endpoints.addTag(id), { body: { name }, advice: WAS_DELETED });
		rememberDone(run, { tags: { added: [name], removed: [] } });
		// The API reference does not say what the answer is.
		const isContact = isJsonObject(answer) && answer.id === id && 'tags' in answer;
		shown = isContact ? readContact(answer as WireRecord) : undefined;
	});
	if (isEmpty(fields)) return shown ?? (await known.readAgain(id));
	return await changeContact(api, id, { ...fields }, WAS_DELETED);
}

export async function removeExtraTags(
	run: SyncRun,
	id: string,
	tags: readonly string[],
): Promise<void> {
	const remove = async (tag: string) => {
		await run.api.send(endpoints.removeTag(id, tag)).catch(unlessNotFound);
		rememberDone(run, { tags: { added: [], removed: [tag] } });
	};
	await forEachTag(tags, 'removed', remove).catch(
		failAs(`Some extra tags could not be removed from the contact ${id}`),
	);
}

function otherContact({ id, phone, isNew }: Contact, current: Contact): CrmError {
	if (isNew) {
		return new CrmError(
			`The contact was deleted in the moment of its request, which created it again: ${id}`,
			`The contact ${current.id} was deleted between the last look at it and the request with its consent. Delete the new contact if the person is to stay erased.`,
		);
	}
	return new CrmError(
		`Another contact was changed: ${id}`,
		`The contact ${current.id} was deleted during the sync, or its phone number ${phone} went to that contact. Check the consent and the fields of that contact in the CRM, and run the sync again.`,
	);
}
