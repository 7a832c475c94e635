/** Brings one contact up to date, request by request. */
import type { Api } from '../../../crm/client';
import { CrmError, isNotFound, OutdatedError } from '../../../crm/crmError';
import { readContact, type Contact, type WireRecord } from '../../../crm/records';
import { InputProblem, rethrow } from '../../../domain/inputProblem';
import type { JsonObject } from '../../../domain/plainData';
import { hasSameDigits } from '../../../domain/sameNumber';
import type { ItemMemory } from '../../../operations/define';
import { failAs } from '../save';
import {
	fieldOf,
	imaginedAfter,
	isAddedTag,
	isConsent,
	isRemovedTag,
	recordAfter,
	tagsAddedIn,
	withStatus,
	type Change,
	type Changes,
} from './changes';
import {
	mustKeepOptOuts,
	planConsent,
	saysOptedOut,
	type ConsentPlan,
	type ConsentRule,
} from './consentRule';
import type { DesiredContact } from './desired';
import { wasDeleted } from './known';
import { HIDDEN_TAGS, OTHER_TAG_NAMES, STATUS_NOT_SENT, storedDifferently } from './notes';
import { planChanges, type Plan } from './plan';
import { send, type Answer } from './requests';
import { nextStep, type Knowledge, type Step } from './steps';

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

/** What it takes to update contacts. */
export interface SyncRun extends ConsentRule {
	api: Api;
}

/** What differs, with the consent to send. */
interface WholePlan extends Plan {
	consent: ConsentPlan;
}

/**
 * Plans with what is known so far.
 *
 * @throws InputProblem or CrmError if nothing can be sent for the contact
 */
export function planFor(run: ConsentRule, desired: DesiredContact): WholePlan {
	const plan = planChanges(desired, run.known.find(desired), run.options);
	if (plan.refused) throw plan.refused;
	const { current, changes } = plan;
	const consent = planConsent(run, desired, current, current === undefined || changes.size > 0);
	const notes = saysOptedOut(run, desired, current) ? [...plan.notes, STATUS_NOT_SENT] : plan.notes;
	return { ...plan, notes, changes: new Map([...changes, ...consent.changes]), consent };
}

/** How often what consent relies on may become too old while its request waits for the rate limit. */
const MAX_OUTDATED = 5;

/** Brings a contact up to date: plans, takes one step, learns from its answer, and plans again. */
export class ContactSync {
	/** What was sent, in all tries of the run. */
	private readonly done: Map<string, Change>;
	private isNew: boolean;
	private hasSent = false;
	/** Whether an answer shows the contact as it is after what was sent. */
	private isShown = true;
	private outdated = 0;
	/** How many requests were imagined. */
	private cost = 0;
	private first?: WholePlan;
	private plan?: WholePlan;
	/** The changes that are wanted, once the contact is known: what others change later stays. */
	private planned?: ReadonlySet<string>;
	private record?: WireRecord;
	private readonly givenPhone: string;

	/**
	 * @param memories what earlier tries have done, for each of its rows
	 * @param refusal why nothing more is sent
	 */
	constructor(
		private readonly run: SyncRun,
		private desired: DesiredContact,
		private readonly memories: ReadonlyArray<ItemMemory<SyncResult>>,
		private readonly refusal?: CrmError,
	) {
		const { action, changes } = memories[0]?.partial ?? {};
		this.done = new Map(changes);
		this.isNew = action === 'created';
		this.givenPhone = desired.phone;
	}

	/** @throws errors that do not concern the contact, such as that of a stopped execution */
	async sync(): Promise<SyncResult> {
		try {
			for (let step = this.nextStep(); step; step = this.nextStep()) {
				if (this.refusal) throw this.refusal;
				await this.take(step).catch((error: unknown) => this.unlessOutdated(error, step));
			}
			return this.result();
		} catch (error) {
			const isItsOwn = error instanceof CrmError || error instanceof InputProblem;
			return isItsOwn ? { ...this.outcome(), action: 'failed', error } : rethrow(error);
		}
	}

	private nextStep(): Step | undefined {
		const plan = planFor(this.run, this.desired);
		this.plan = plan;
		this.first ??= plan;
		const { current, changes } = plan;
		this.record = current?.record;
		const mustExist = this.desired.mustExist ?? this.run.options.onlyUpdate;
		if (!current && mustExist) return undefined;
		if (current) this.planned ??= new Set(changes.keys());
		const progress = { done: this.done, planned: this.planned ?? new Set() };
		const step = nextStep(plan, progress, this.knowledge(plan));
		if (step) this.rememberContact(current);
		return step;
	}

	private knowledge({ current, changes }: WholePlan): Knowledge {
		const { known } = this.run;
		const keepsOptOuts = changes.has('opt_in') && this.keepsOptOuts;
		const mayBeOther = keepsOptOuts && !current && known.optedOutTwin(this.desired) !== undefined;
		return {
			needsOptOuts: keepsOptOuts && (current ? !known.hasReadOptOuts : known.areOptOutsOutdated),
			isCertain: !this.desired.isUnverified && !mayBeOther,
			isFresh: current !== undefined && known.isFresh(current),
			isShown: this.isShown,
		};
	}

	private get keepsOptOuts(): boolean {
		return mustKeepOptOuts(this.desired.fields, this.run.options);
	}

	/** @throws CrmError if the contact was deleted during the run, in all tries */
	private rememberContact(current?: Contact): void {
		const wasKnown = this.memories.some(({ contactId }) => contactId !== undefined);
		if (!current && wasKnown) throw wasDeleted();
		for (const memory of this.memories) memory.contactId = current?.id || undefined;
	}

	private async take(step: Step): Promise<void> {
		const { api, known, options } = this.run;
		const current = this.plan?.current;
		if (step.kind === 'readOptOuts') return await known.readOptOuts();
		if (options.dryRun) return this.learn(step, this.imagine(step));
		if (step.kind === 'look' && current) {
			await known.look(current);
			this.isShown = true;
			return;
		}
		const phone = current?.phone || this.desired.phone;
		const isOutdated = () => this.isOutdated(current);
		const answer = await send(api, { ...step, current, phone, isOutdated });
		this.hasSent = true;
		this.learn(step, answer);
	}

	/** Whether consent relies on what is too old. */
	private isOutdated(current?: Contact): boolean {
		const { known } = this.run;
		return current ? !known.isFresh(current) : this.keepsOptOuts && known.areOptOutsOutdated;
	}

	private unlessOutdated(error: unknown, { kind }: Step): void {
		if (error instanceof OutdatedError) this.outdated += 1;
		if (error instanceof OutdatedError && this.outdated < MAX_OUTDATED) return;
		const isOfAll = error instanceof CrmError && error.failure.endsRun;
		const isRest = this.hasSent && ['change', 'addTag', 'removeTag'].includes(kind);
		if (isRest && !isOfAll && !isNotFound(error))
			failAs('Only a part of the contact was saved')(error);
		throw error;
	}

	/** The answer in a dry run. It may show a contact that was seen by chance. */
	private imagine({ changes }: Step): Answer {
		const { known, api } = this.run;
		this.cost += 1;
		const [seen] = known.of(this.desired);
		const created = !seen && known.isLookedUp(this.desired);
		const before = this.record ?? seen?.record ?? this.knownRecord;
		const record = { ...imaginedAfter(before, changes), created };
		return { record, sentMs: api.clock.elapsedMs(), sent: changes };
	}

	private get knownRecord(): WireRecord {
		return this.record ?? { phone: this.desired.phone };
	}

	private learn({ kind }: Step, { record, sentMs, sent }: Answer): void {
		const { known } = this.run;
		const before = this.knownRecord;
		// No answer shows a removed tag as gone, but it is.
		const shown = kind === 'removeTag' ? { tags: imaginedAfter(before, sent).tags } : {};
		const { created, ...after } = recordAfter(before, sent, record ?? shown);
		const contact = readContact(after as WireRecord);
		if (record) known.see(contact, sentMs);
		else known.add(contact);
		if (kind !== 'removeTag') this.isShown = record !== undefined;
		this.isNew ||= created === true;
		this.record = contact.record;
		for (const [name, change] of sent) if (!this.done.has(name)) this.done.set(name, change);
		const { id, phone } = contact;
		if (!this.plan?.current)
			this.desired = { ...this.desired, id: id || undefined, phone, isIdentified: true };
		const partial = { action: this.isNew ? 'created' : 'updated', changes: this.done } as const;
		for (const memory of this.memories)
			Object.assign(memory, { partial, contactId: id || undefined });
	}

	/** What was done so far. */
	private outcome(): Omit<SyncResult, 'action'> {
		const optIn = this.done.get('opt_in')?.to as boolean | undefined;
		const shown = this.record && readContact(this.record).optInStatus;
		const status = this.run.options.dryRun ? (optIn ? 'Yes' : 'No') : (shown ?? 'unknown');
		return { record: this.record, changes: withStatus(this.done, status), optIn };
	}

	private result(): SyncResult {
		const { first, plan, record } = this;
		if (!first || !plan || !record) return { action: 'notInCrm' };
		const outcome = this.outcome();
		const { problem, notes: ofConsent } = plan.consent;
		return {
			...outcome,
			...this.actionFor(outcome),
			...(problem && { action: 'consentWithheld', error: problem }),
			notes: [
				...first.notes,
				...(this.done.has('opt_in') ? [] : ofConsent),
				...this.notesOnAnswers(plan.changes, record),
			],
			addedTags: tagsAddedIn(this.done),
			cost: this.cost,
		};
	}

	private actionFor({
		record,
		changes,
		optIn,
	}: Omit<SyncResult, 'action'>): Pick<SyncResult, 'action' | 'changes'> {
		if (this.isNew) return { action: 'created' };
		if (optIn === false && record?.opt_in_status !== 'opted_out') return { action: 'noNotTaken' };
		const isNothing = changes?.size === 0;
		const mayHaveHappened = this.memories.some((memory) => memory.mayHaveHappened);
		if (!this.first?.current || (isNothing && mayHaveHappened))
			return { action: 'saved', changes: undefined };
		return { action: isNothing ? 'unchanged' : 'updated' };
	}

	/** What the answers show otherwise than it was sent, as far as they show it. */
	private notesOnAnswers(changes: Changes, record: WireRecord): string[] {
		if (!this.hasSent) return [];
		const different = [...changes.keys()].filter(
			(name) => this.done.has(name) && !isConsent(name) && fieldOf(name) in record,
		);
		const fields = new Set(different.map((name) => (isAddedTag(name) ? 'tags' : name)));
		const phone = this.first?.current?.phone || this.givenPhone;
		if (!hasSameDigits(readContact(record).phone, phone)) fields.add('phone');
		const isMatched = this.run.options.tagMode === 'match';
		const hidesTags = [...(this.planned ?? [])].some(isRemovedTag) && !('tags' in record);
		return [
			...Array.from(fields, storedDifferently),
			...(isMatched && fields.has('tags') ? [OTHER_TAG_NAMES] : []),
			...(hidesTags ? [HIDDEN_TAGS] : []),
		];
	}
}
