import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import type { Contact } from '../../../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { ItemFailure } from '../../../operations/define';
import { mayBreakOptOut, type OptOuts } from './consent';
import {
	asPlanned,
	changedFields,
	findExtraTags,
	plannedAction,
	planFor,
	planToChange,
	twoContacts,
	type Plan,
} from './plan';
import { consentOf, givesConsent, withoutConsent } from './rowFields';
import type { SyncSettings } from './syncFields';
import { tagPath, Writer, type Saved } from './write';

/** What was done; `saved`: it was there, and what was sent may or may not have changed it. */
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
			/** The fields that an answer shows otherwise than they were sent. */
			storedDifferently?: string[];
			error?: undefined;
	  }
	| { error: CrmError | InputProblem };

/**
 * Carries out the plans, several at a time; the requests for one contact go one after the other. One
 * failure does not stop the rest, unless it affects every request. A dry run is the same without writes.
 *
 * @throws ItemFailure for the first that fails, where that ends the run
 */
export async function applyPlans(
	api: Api,
	plans: readonly Plan[],
	settings: SyncSettings,
	optOuts: OptOuts,
): Promise<Result[]> {
	const results: Result[] = [];
	const sync = new Applying(api, settings, optOuts);
	let refusal: CrmError | undefined;
	await forEachAtOnce(plans.entries(), ITEMS_AT_ONCE, async ([index, plan]) => {
		const isNeeded = plan.problem === undefined && plannedAction(plan) !== 'unchanged';
		const result: Result =
			isNeeded && refusal ? { error: refusal } : await sync.apply(plan).catch(asFailure);
		const { error } = result;
		if (error && settings.stopsAtFirst) throw new ItemFailure(plan.desired.items[0] ?? 0, error);
		if (error instanceof CrmError && error.concernsAll) {
			if (settings.isDryRun) throw error;
			refusal = error;
		}
		results[index] = result;
	});
	return results;
}

/** Other errors, such as that of an execution that was stopped, are not the contact's. */
function asFailure(error: unknown): Result {
	if (error instanceof CrmError || error instanceof InputProblem) return { error };
	throw error;
}

function asResult(plan: Plan): Result {
	if (plan.problem) return { error: plan.problem };
	const action = plannedAction(plan);
	const contact = (action === 'unchanged' && plan.current) || asPlanned(plan);
	const changed = action === 'saved' ? undefined : changedFields(plan);
	return { contact, action, changedFields: changed, keepsOptOut: plan.keepsOptOut };
}

class Applying {
	private readonly write: Writer;

	constructor(
		api: Api,
		private readonly settings: SyncSettings,
		private readonly optOuts: OptOuts,
	) {
		this.write = new Writer(api, optOuts);
	}

	async apply(planned: Plan): Promise<Result> {
		const plan = await this.withOptOuts(planned);
		const { isDryRun, tagMode } = this.settings;
		if (isDryRun || plan.problem || plannedAction(plan) === 'unchanged') return asResult(plan);
		// All of them before the first request, so that nothing is done if one cannot be removed.
		for (const tag of plan.extraTags) tagPath(plan.current?.id ?? '', tag);

		const { contact, isNew, keepsOptOut, storedDifferently } = await this.save(plan);
		// A service that folds names shows "vip" for "VIP": then an extra tag may be one that was given.
		const isExact = (plan.desired.fields.tags ?? []).every((tag) => contact.tags.includes(tag));
		const extraTags = isExact ? findExtraTags(plan.desired, contact, this.settings) : [];
		const action = isNew ? 'created' : plan.current ? 'updated' : 'saved';
		const fields = keepsOptOut ? withoutConsent(plan.fields) : plan.fields;
		return {
			contact: await this.write.removeTags(contact, extraTags),
			action,
			changedFields: action === 'saved' ? undefined : changedFields({ fields, extraTags }),
			keepsOptOut,
			keepsTags: tagMode === 'match' && !isExact && !isNew,
			storedDifferently,
		};
	}

	/** The plan, if no answer has shown that the contact opted out; else one that leaves it so. */
	private async withOptOuts(plan: Plan): Promise<Plan> {
		const { desired, current } = plan;
		if (plan.problem || !mayBreakOptOut(plan.fields, this.settings)) return plan;
		const optedOut = await this.optOuts.of(plan);
		const [first] = optedOut;
		if (!first) return plan;
		if (!current) return planFor(desired, optedOut, this.settings);
		const digits = phoneDigits(current.phone);
		const isOther = ({ id, phone }: Contact) => id !== current.id && phoneDigits(phone) === digits;
		const others = optedOut.filter(isOther);
		if (others.length > 0) return { ...plan, problem: twoContacts([current, ...others], current) };
		const newest = optedOut.find(({ id }) => id === current.id);
		return planToChange(desired, newest ?? { ...current, optInStatus: 'opted_out' }, this.settings);
	}

	/** Saves the fields. Consent goes with the others only if it is certain which contact gets it. */
	private async save(plan: Plan): Promise<Saved & { keepsOptOut: boolean }> {
		const { desired, current, fields, keepsOptOut } = plan;
		const isById =
			current && (desired.id !== undefined || !desired.forms.has(phoneDigits(current.phone)));
		const isCertain = !isById && (current !== undefined || !desired.isUnverified);
		const hasToAsk = isById ? givesConsent(fields) : mayBreakOptOut(fields, this.settings);
		if (isCertain || !hasToAsk) {
			const saved = isById ? await this.write.saveById(plan) : await this.write.saveByPhone(plan);
			return { ...saved, keepsOptOut };
		}
		const others = { ...plan, fields: withoutConsent(fields) };
		const first = isById
			? await this.write.saveById(others, true)
			: await this.write.saveByPhone(others);
		const rest = await this.withOptOuts(planToChange(desired, first.contact, this.settings));
		if (rest.problem) throw rest.problem;
		const consent = fields.opt_in === undefined ? fields : rest.fields;
		if (!givesConsent(consent)) return { ...first, keepsOptOut: rest.keepsOptOut };
		const phone = first.contact.phone || desired.phone;
		const { contact, storedDifferently } = await this.write.saveByPhone({
			...plan,
			current: { ...first.contact, phone },
			fields: consentOf(consent),
		});
		return {
			contact,
			isNew: first.isNew,
			keepsOptOut: rest.keepsOptOut,
			storedDifferently: [...first.storedDifferently, ...storedDifferently],
		};
	}
}
