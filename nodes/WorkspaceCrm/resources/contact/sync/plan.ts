import { readContact, type Contact } from '../../../crm/records';
import { isSegment } from '../../../crm/urls';
import { ATTRIBUTE } from '../../../domain/contactColumns';
import type { InputProblem } from '../../../domain/inputProblem';
import { type JsonObject, ownValue } from '../../../domain/plainData';
import { isSameStored, nameBeginsWith, nameFinder } from '../../../domain/sameText';
import { meantText } from '../../../domain/typedValues';
import type { ItemMemory } from '../../../operations/define';
import { changedAttributes, changedExactly } from './attributes';
import { consentToSend, mustKeepOptOuts } from './consentRule';
import { sameContact, type DesiredContact } from './desired';
import { IS_PENDING, KEEPS_OPT_OUT, STATUS_NOT_SENT, tagStays } from './notes';
import { CellReader } from './sheetValues';
import { CONSENT, type Consent, type ContactFields, type GivenFields } from './row';
import type { SyncOptions } from './syncFields';

/** The changes that bring one contact in line with the input. */
export interface Plan {
	desired: DesiredContact;
	/** The contact in the CRM; undefined if it does not exist, or was not looked up. */
	current?: Contact;
	/** Without consent. */
	fields: ContactFields;
	consent: Consent;
	extraTags: string[];
	notes: readonly string[];
	/** Why no consent is sent although the input asks for it. The other fields are saved. */
	problem?: InputProblem;
	/** Why the other fields cannot be saved. */
	refused?: InputProblem;
}

/** What a field was, and what it becomes. For tags, which are added and which removed. */
export type Changes = Record<string, JsonObject>;

/** What became of a row, or of the contact of several rows. */
export interface SyncResult {
	/**
	 * `saved`: it is not known what changed: it was not compared and is not new, or an answer was lost.
	 * `noNotTaken`: 'Opt In: No' was sent, and the CRM does not show the contact as opted out. `consentWithheld`: the
	 * contact is in the CRM with the other fields, and the error says why not with its consent. `notStarted`: the run
	 * ended before.
	 */
	action:
		| 'created'
		| 'updated'
		| 'noNotTaken'
		| 'saved'
		| 'unchanged'
		| 'consentWithheld'
		| 'failed'
		| 'invalid'
		| 'skipped'
		| 'notStarted';
	/** The contact as it is in the CRM now; undefined if it failed. */
	record?: JsonObject;
	/** What the run has changed; undefined if that is not known. */
	changes?: Changes;
	notes?: readonly string[];
	/** What was sent as 'Opt In'; in a dry run, what would be. */
	optIn?: boolean;
	/** The tags that the run adds. */
	addedTags?: readonly string[];
	/** How many requests the changes take. */
	cost?: number;
	error?: unknown;
}

/**
 * Plans what differs from a contact; without a contact, everything.
 *
 * @param isUnknown whether the contact was not looked up
 */
export function planChanges(
	desired: DesiredContact,
	current: Contact | undefined,
	options: SyncOptions,
	isUnknown = false,
): Plan {
	const { tagMode, tagPrefix = '' } = options;
	const given = desired.fields;
	const fields: ContactFields = {};
	const cells = new CellReader(given.types);
	for (const name of ['name', 'locale', 'source'] as const) {
		if (given[name] === undefined) continue;
		const value = String(cells.read(name, current?.[name], given[name]) ?? '');
		if (!isSameStored(value, current?.[name] ?? '')) fields[name] = value;
	}
	const stored = current?.attributes ?? {};
	const attributes = [
		...changedAttributes(withoutExact(given), stored, given.isFlat, cells),
		...changedExactly(given.exactAttributes ?? {}, stored),
	];
	for (const [name, value] of attributes)
		cells.check(ATTRIBUTE + name, Object.hasOwn(stored, name) ? value : { [name]: value });
	if (attributes.length > 0) fields.attributes = Object.fromEntries(attributes);
	const known = current?.tags ?? [];
	const isKnown = nameFinder(known);
	const listed = (given.tags ?? []).map((tag) => meantText(tag, isKnown(tag)));
	const tags = [...new Set(listed.filter(isNotIn(known)))];
	cells.check('tags', tags);
	if (tags.length > 0) fields.tags = tags;
	const isMatched = tagMode === 'match' && listed.length > 0;
	const unlisted = isMatched ? known.filter(isNotIn(listed)) : [];
	const extra = unlisted.filter((tag) => nameBeginsWith(tag, tagPrefix));
	const extraTags = extra.filter(isSegment);
	const lasting = extra.filter((tag) => !isSegment(tag));
	const keepsOptOut = current?.optInStatus === 'opted_out' && mustKeepOptOuts(given, options);
	const changesOthers = !current || current.isNew || !isEmpty(fields);
	const consent = keepsOptOut ? {} : consentToSend(given, current?.optInStatus, changesOthers);
	const notes = [...sameContact(desired.rows), ...lasting.map(tagStays), ...cells.notes];
	if (keepsOptOut) notes.push(KEEPS_OPT_OUT);
	const saysOptedOut = desired.rows.some(({ shown }) => shown?.hasOptedOut);
	const mayBeOptedOut = current
		? [undefined, 'opted_out'].includes(current.optInStatus)
		: isUnknown;
	if (saysOptedOut && given.opt_in === undefined && !mayBeOptedOut) notes.push(STATUS_NOT_SENT);
	if (given.opt_in && current?.optInStatus === 'pending') notes.push(IS_PENDING);
	return { desired, current, fields, consent, extraTags, notes, refused: cells.problem };
}

/** The value in the JSON counts: otherwise, each run would write the other one. */
function withoutExact({ attributes = {}, exactAttributes }: GivenFields): JsonObject {
	if (!exactAttributes) return attributes;
	const exact = nameFinder(Object.keys(exactAttributes));
	const others = Object.entries(attributes).filter(([name]) => exact(name) === undefined);
	return Object.fromEntries(others);
}

function isNotIn(names: readonly string[]): (name: string) => boolean {
	const sameName = nameFinder(names);
	return (name) => sameName(name) === undefined;
}

/**
 * The changes of a plan, with each attribute listed separately: `name`, `attributes.city`, `tags`.
 *
 * @param status the opt-in status after it, which only the service decides
 */
export function changesOf(
	{ current, fields, consent, extraTags }: Plan,
	status = consent.opt_in ? 'Yes' : 'No',
): Changes {
	const { attributes = {}, tags = [], ...plain } = fields;
	const change = (from: unknown, to: unknown) => ({ from: from ?? null, to });
	const texts = Object.entries(plain).map(([name, to]) => [
		name,
		change(ownValue(current?.record, name), to),
	]);
	const own = Object.entries(attributes).map(([key, to]) => [
		ATTRIBUTE + key,
		change(ownValue(current?.attributes, key), to),
	]);
	const { opt_in, consent_proof } = consent;
	const isChange = opt_in !== undefined && status !== current?.optInStatus;
	return {
		...Object.fromEntries([...texts, ...own]),
		...(tags.length + extraTags.length > 0 && { tags: { added: tags, removed: extraTags } }),
		...(isChange && { opt_in: change(current?.optInStatus, status) }),
		...(consent_proof !== undefined && { consent_proof: change(null, consent_proof) }),
	} as Changes;
}

/** The changes of two requests, or of two tries of a run. */
export function mergeChanges(earlier: Changes = {}, later: Changes): Changes {
	const merged = Object.entries(later).map(([name, change]): [string, JsonObject] => {
		const before = ownValue(earlier, name) as JsonObject | undefined;
		if (!before) return [name, change];
		if (!('added' in change)) return [name, { ...change, from: before.from }];
		const both = (list: 'added' | 'removed') =>
			[...new Set([before[list], change[list]].flat())] as string[];
		return [name, { added: both('added'), removed: both('removed') }];
	});
	const all = Object.entries({ ...later, ...earlier, ...Object.fromEntries(merged) });
	return Object.fromEntries(all.sort(([one], [other]) => LAST.indexOf(one) - LAST.indexOf(other)));
}

/** The changes that come last, as in a plan. */
const LAST = ['tags', ...CONSENT];

export function isUnchanged({ current, fields, consent, extraTags }: Plan): boolean {
	return current !== undefined && isEmpty(fields) && isEmpty(consent) && extraTags.length === 0;
}

export function isEmpty(fields: object): boolean {
	return Object.keys(fields).length === 0;
}

/** The contact after the changes. Its opt-in status stays, because only the service decides that. */
export function asPlanned(plan: Plan): JsonObject {
	const { desired, current, fields, extraTags } = plan;
	const { attributes, tags = [], ...plain } = fields;
	const before = current ?? readContact({ phone: desired.phone });
	const kept = before.tags.filter((tag) => !extraTags.includes(tag));
	const merged = { ...before.attributes, ...attributes } as JsonObject;
	return { ...before.record, ...plain, attributes: merged, tags: [...kept, ...tags] };
}

/** @param memory what the run has done, in all tries */
export function resultOf(
	plan: Plan,
	record: JsonObject,
	{ partial, mayHaveHappened }: Pick<ItemMemory<SyncResult>, 'partial' | 'mayHaveHappened'>,
): SyncResult {
	const { current, fields, consent, notes, problem } = plan;
	const { action, changes = {} } = partial ?? {};
	const optIn = consent.opt_in;
	const result = { record, notes, optIn, addedTags: fields.tags };
	if (problem) return { ...result, action: 'consentWithheld', error: problem, changes };
	if (action === 'created') return { ...result, action, changes };
	if (optIn === false && record.opt_in_status !== 'opted_out')
		return { ...result, action: 'noNotTaken', changes };
	if (!current || (isEmpty(changes) && mayHaveHappened)) return { ...result, action: 'saved' };
	return { ...result, action: isEmpty(changes) ? 'unchanged' : 'updated', changes };
}

/** The number of the contact, in the form that the CRM has stored. */
export function phoneOf({ desired, current }: Plan): string {
	return current?.phone || desired.phone;
}
