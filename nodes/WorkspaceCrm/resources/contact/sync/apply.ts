import { CrmError } from '../../../crm/crmError';
import type { Contact } from '../../../crm/records';
import { hasSameDigits } from '../../../domain/sameNumber';
import { InputProblem, rethrow } from '../../../domain/inputProblem';
import type { DesiredContact } from './desired';
import { HIDDEN_TAGS, OTHER_TAG_NAMES, storedDifferently } from './notes';
import {
	asPlanned,
	changesOf,
	isUnchanged,
	phoneOf,
	planChanges,
	resultOf,
	type SyncResult,
} from './plan';
import type { ContactFields } from './row';
import { costOf, planNow, removeExtraTags, save, type SyncRun } from './send';

/** Other errors, such as a stopped execution, do not concern the contact. */
export function asFailure(error: unknown, done?: SyncResult): SyncResult {
	const isItsOwn = error instanceof CrmError || error instanceof InputProblem;
	return isItsOwn ? { action: 'failed', error, changes: done?.changes } : rethrow(error);
}

/** Brings one contact up to date. A dry run does the same without writing. */
export async function apply(run: SyncRun, desired: DesiredContact): Promise<SyncResult> {
	const { options, known, memory } = run;
	const plan = await planNow(run, desired);
	if (options.dryRun) {
		const isNew = !plan.current && known.isLookedUp(desired);
		const partial = { action: isNew ? 'created' : 'updated', changes: changesOf(plan) } as const;
		const planned = resultOf(plan, asPlanned(plan), { partial });
		return { ...planned, cost: costOf(run, plan) };
	}
	if (isUnchanged(plan)) return resultOf(plan, asPlanned(plan), memory);
	const { shown, ...sent } = await save(run, plan);
	// The fields that the answer does not show as sent, and the tags to remove.
	const sentFields = { ...sent.fields, tags: desired.fields.tags };
	const left = planChanges({ ...desired, fields: shownOf(sentFields, shown) }, shown, options);
	// If the service changes tag names, such as "VIP" to "vip", an extra tag may be one from the input.
	const hidesTags = !('tags' in shown.record) && plan.extraTags.length > 0;
	const extraTags = left.fields.tags || hidesTags ? [] : left.extraTags;
	await removeExtraTags(run, shown.id, extraTags);
	const tags = shown.tags.filter((tag) => !extraTags.includes(tag));
	const isOtherPhone = !hasSameDigits(shown.phone, phoneOf(plan));
	const record = { ...shown.record, ...('tags' in shown.record && { tags }) };
	const different = Object.keys(changesOf({ ...left, extraTags: [] }));
	const hasOtherNames = options.tagMode === 'match' && different.includes('tags');
	const { notes = [], ...result } = resultOf(sent, record, memory);
	const stored = [...(isOtherPhone ? ['phone'] : []), ...different];
	return {
		...result,
		notes: [
			...notes,
			...stored.map(storedDifferently),
			...(hasOtherNames ? [OTHER_TAG_NAMES] : []),
			...(hidesTags ? [HIDDEN_TAGS] : []),
		],
	};
}

/** The sent fields that an answer shows. Services may answer with fewer fields. */
function shownOf(sent: ContactFields, { record }: Contact): ContactFields {
	return Object.fromEntries(Object.entries(sent).filter(([name]) => name in record));
}
