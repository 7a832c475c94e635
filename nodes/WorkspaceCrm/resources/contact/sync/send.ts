import type { Api } from '../../../crm/client';
import { CrmError, OutdatedError, unlessNotFound, unlessOutdated } from '../../../crm/crmError';
import { endpoints } from '../../../crm/endpoints';
import { onlyOf } from '../../../crm/lookUp';
import { readContact, type Contact, type WireRecord } from '../../../crm/records';
import { isJsonObject } from '../../../domain/json';
import { InputProblem, quoted } from '../../../domain/problem';
import type { ItemMemory } from '../../../operations/define';
import { asKnownTags, forEachTag } from '../../tag';
import { changeContact, failAs, saveContact, withLocale } from '../save';
import type { DesiredContact, doubtsIn } from './desired';
import { mergeNotes } from './notes';
import { WAS_DELETED, wasDeleted, type KnownContacts } from './known';
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
	doubtOf?: ReturnType<typeof doubtsIn>;
	/** What the run has done for the contact so far. */
	memory: ItemMemory<Result>;
	/** The failure that affects every request, once there is one. */
	refusal?: CrmError;
}

/** About how many requests `save` takes for a plan, and those for extra tags. */
export function costOf(run: SyncRun, plan: Plan): number {
	const { current, fields, consent, extraTags } = plan;
	const { tags = [], locale } = fields;
	const isSplit = !isEmpty(consent) && !(current ? run.known.looksAround : isCertain(run, plan));
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
	} else if (mayBreakOptOut(consent, options)) await known.refreshOptOuts();
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
	const plan = planChanges(desired, known.find(desired), options);
	const { current, fields, consent } = plan;
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

const CONSENT_NOT_SENT =
	'No consent was sent for this item, as that goes by phone number. Its other fields are saved by its ID. Delete all but one of the contacts.';
const NOTHING_SENT =
	'Nothing was sent for this item, as consent goes by phone number. Delete all but one of the contacts.';

/** Why a request with the phone number may change the consent of another contact. */
function numberProblem(
	{ known, options }: Pick<SyncRun, 'known' | 'options'>,
	{ desired, current, consent }: Plan,
): InputProblem | undefined {
	// Whether the CRM has the contact at all, only the answer to a request with its other fields shows.
	if (!current && !options.dryRun) return undefined;
	const { id, phone } = current ?? { id: undefined, phone: desired.phone };
	const advice = consent.opt_in === undefined ? NOTHING_SENT : CONSENT_NOT_SENT;
	try {
		onlyOf(known.of({ phone }), phone, advice);
	} catch (problem) {
		return problem as InputProblem;
	}
	const twin = mayBreakOptOut(consent, options) && known.optedOutTwin({ id, phone });
	return twin ? mayHaveOptedOut(phone, twin) : undefined;
}

function mayHaveOptedOut(phone: string, twin: Contact): InputProblem {
	const shown =
		twin.phone === '' ? 'without a phone number' : `with the number ${quoted(twin.phone)}`;
	return new InputProblem(
		`The phone number ${phone} may be that of a contact who has opted out`,
		`The CRM shows the contact ${twin.id} ${shown}, so the two cannot be told apart. No consent was sent for this item; its other fields are saved. In the CRM, give that contact its number with a plus and its country code, or delete one of the two if they are the same person.`,
	);
}

function noPhone(id: string): InputProblem {
	return new InputProblem(
		`The contact ${id} has no phone number, so its consent cannot be changed`,
		"Nothing was sent for this item. Leave 'Opt In' and 'Consent Proof' blank, or give the contact a phone number in the CRM.",
	);
}

/** The contact would be created first. If the proof then failed, the next run would find nothing to send. */
function onlyProof(phone: string): InputProblem {
	return new InputProblem(
		`'Consent Proof' alone cannot be sent for a new contact with the number ${phone}`,
		"The number cannot be checked, so the proof would be sent after the contact was created, and could get lost. Nothing was sent for this item. Add 'Opt In' or another field, or correct the number.",
	);
}

/** Whether it is certain which contact a request with the phone number changes. */
function isCertain({ known, options }: SyncRun, { desired, current, consent }: Plan): boolean {
	// One that was deleted must not be created again.
	if (current) return known.isFresh(current);
	if (desired.isIdentified) return true;
	const mayBeOther = mayBreakOptOut(consent, options) && known.optedOutTwin(desired) !== undefined;
	return !desired.isUnverified && !mayBeOther;
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
	if (isEmpty(consent) || isCertain(run, plan)) {
		const shown = await send(run, plan).catch(unlessOutdated);
		if (shown) return { ...plan, shown };
		return await save(run, await planNow(run, desired), tries - 1);
	}
	const isProof = consent.opt_in === undefined;
	const first = await send(run, { ...plan, consent: {}, ...(isProof && { fields: {} }) });
	const { id, phone } = first;
	const target = { ...desired, id: id || undefined, phone, isIdentified: true };
	const rest = isProof ? target : { ...target, fields: consent };
	const then = await save(run, await planNow(run, rest), tries - 1);
	const { shown, consent: sent, problem, notes } = then;
	return { ...plan, consent: sent, problem, shown, notes: mergeNotes(plan.notes, notes) };
}

/** Sends a plan with as few requests as possible: the service accepts tags and consent only by phone. */
async function send(run: SyncRun, plan: Plan): Promise<Contact> {
	const { desired, current } = plan;
	const tags = plan.fields.tags && (await asKnownTags(run.api, plan.fields.tags));
	const sent = { ...plan, fields: { ...plan.fields, ...(tags && { tags }) } };
	const answer =
		current && isById(plan)
			? await saveById(run, current.id, sent.fields)
			: await saveByPhone(run, sent);
	note(run, changesIn(sent), answer.isNew);
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
	const isOptIn = mayBreakOptOut(consent, options);
	const isOutdated = isEmpty(consent) ? undefined : () => known.isOutdated(current, isOptIn);
	const answer = await saveContact(api, body, isOutdated);
	if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer, current);
	note(run, changesIn({ ...plan, fields }), answer.isNew);
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
		note(run, { tags: { added: [name], removed: [] } });
		// The API reference does not say what the answer is.
		const isContact = isJsonObject(answer) && answer.id === id && 'tags' in answer;
		shown = isContact ? readContact(answer as WireRecord) : undefined;
	});
	if (isEmpty(fields)) return shown ?? (await known.readAgain(id));
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
