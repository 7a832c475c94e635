/** What became of a contact. */
import { readContact, type WireRecord } from '../../../crm/records';
import type { JsonObject } from '../../../domain/plainData';
import { hasSameDigits } from '../../../domain/sameNumber';
import {
	fieldOf,
	isAddedTag,
	isConsent,
	isRemovedTag,
	tagsAddedIn,
	withStatus,
	type Changes,
} from './changes';
import type { ConsentPlan } from './consentRule';
import type { DesiredContact } from './mergedRows';
import { HIDDEN_TAGS, OTHER_TAG_NAMES, storedDifferently } from './notes';
import type { Plan } from './plannedChanges';
import type { SyncOptions } from './syncFields';

/** What became of a row, or of the contact of several rows. */
export interface SyncResult {
	/**
	 * `saved`: it is not known what changed: it was not compared and is not new, or an answer was lost.
	 * `noNotTaken`: 'Opt In: No' was sent, and the CRM does not show the contact as opted out. `consentWithheld`: the
	 * contact is in the CRM with the other fields, and the error says why not with its consent. `notInCrm`: no
	 * contact may be created. `notStarted`: the run ended before.
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
		| 'notInCrm'
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

/** What was planned and sent for a contact. */
export interface Course {
	desired: DesiredContact;
	options: SyncOptions;
	/** The plans before anything was sent, and now. */
	first?: Plan;
	plan?: Plan & { consent: ConsentPlan };
	planned?: ReadonlySet<string>;
	/** The contact as answers have shown it. */
	record?: WireRecord;
	/** In all tries. */
	done: Changes;
	isNew: boolean;
	/** Whether a request may have taken effect without an answer, in all tries. */
	mayHaveHappened: boolean;
	/** Whether this try has sent anything. */
	hasSent: boolean;
	cost: number;
}

type Done = Pick<SyncResult, 'record' | 'changes' | 'optIn'>;

/** What was done so far. */
export function doneIn({ done, record, options }: Course): Done {
	const optIn = done.get('opt_in')?.to as boolean | undefined;
	const shown = record && readContact(record).optInStatus;
	const status = options.dryRun ? (optIn ? 'Yes' : 'No') : (shown ?? 'unknown');
	return { record, changes: withStatus(done, status), optIn };
}

export function resultOf(course: Course): SyncResult {
	const { first, plan, record, done, cost } = course;
	if (!first || !plan || !record) return { action: 'notInCrm' };
	const result = doneIn(course);
	const { problem, notes: ofConsent } = plan.consent;
	return {
		...result,
		...actionFor(course, result),
		...(problem && { action: 'consentWithheld', error: problem }),
		notes: [
			...first.notes,
			...(done.has('opt_in') ? [] : ofConsent),
			...notesOnAnswers(course, plan.changes, record),
		],
		addedTags: tagsAddedIn(done),
		cost,
	};
}

function actionFor(
	{ isNew, first, mayHaveHappened }: Course,
	{ record, changes, optIn }: Done,
): Pick<SyncResult, 'action' | 'changes'> {
	if (isNew) return { action: 'created' };
	if (optIn === false && record?.opt_in_status !== 'opted_out') return { action: 'noNotTaken' };
	const isNothing = changes?.size === 0;
	if (!first?.current || (isNothing && mayHaveHappened))
		return { action: 'saved', changes: undefined };
	return { action: isNothing ? 'unchanged' : 'updated' };
}

/** What the answers show otherwise than it was sent, as far as they show it. */
function notesOnAnswers(
	{ hasSent, done, first, desired, options, planned = new Set() }: Course,
	changes: Changes,
	record: WireRecord,
): string[] {
	if (!hasSent) return [];
	const different = [...changes.keys()].filter(
		(name) => done.has(name) && !isConsent(name) && fieldOf(name) in record,
	);
	const fields = new Set(different.map((name) => (isAddedTag(name) ? 'tags' : name)));
	const phone = first?.current?.phone || desired.phone;
	if (!hasSameDigits(readContact(record).phone, phone)) fields.add('phone');
	const hidesTags = [...planned].some(isRemovedTag) && !('tags' in record);
	return [
		...Array.from(fields, storedDifferently),
		...(options.tagMode === 'match' && fields.has('tags') ? [OTHER_TAG_NAMES] : []),
		...(hidesTags ? [HIDDEN_TAGS] : []),
	];
}
