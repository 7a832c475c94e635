/** Brings one contact up to date, request by request. */
import type { Api } from '../../../crm/client';
import { CrmError, isNotFound, OutdatedError } from '../../../crm/crmError';
import { readContact, type Contact, type WireRecord } from '../../../crm/records';
import { InputProblem, rethrow } from '../../../domain/inputProblem';
import type { ItemMemory } from '../../../operations/define';
import { failAs } from '../save';
import { imaginedAfter, recordAfter, type Change } from './changes';
import {
	mustKeepOptOuts,
	planConsent,
	saysOptedOut,
	type ConsentPlan,
	type ConsentRule,
} from './consentRule';
import type { DesiredContact } from './mergedRows';
import { wasDeleted } from './knownContacts';
import { STATUS_NOT_SENT } from './notes';
import { planChanges, type Plan } from './plannedChanges';
import { send, type Answer } from './requests';
import { nextStep, type Knowledge, type Step } from './nextStep';
import type { SyncOptions } from './syncFields';
import { doneIn, resultOf, type Course, type SyncResult } from './syncResult';

/** What it takes to update contacts. */
export interface SyncRun extends ConsentRule {
	api: Api;
}

/** What differs, with the consent to send. */
export interface WholePlan extends Plan {
	consent: ConsentPlan;
}

/**
 * Plans with what is known so far.
 *
 * @throws InputProblem or CrmError if nothing can be sent for the contact
 */
export function planFor(
	run: ConsentRule,
	desired: DesiredContact,
	current = run.known.find(desired),
): WholePlan {
	const plan = planChanges(desired, current, run.options);
	if (plan.refused) throw plan.refused;
	const { changes } = plan;
	const consent = planConsent(run, desired, current, current === undefined || changes.size > 0);
	const notes = saysOptedOut(run, desired, current) ? [...plan.notes, STATUS_NOT_SENT] : plan.notes;
	return { ...plan, notes, changes: new Map([...changes, ...consent.changes]), consent };
}

/** How often what consent relies on may become too old while its request waits. */
const MAX_OUTDATED = 5;
const MAX_LOOKS = 2 * MAX_OUTDATED;

/** Brings a contact up to date: plans, takes one step, learns from its answer, and plans again. */
export class ContactSync implements Course {
	/** What was sent and answered for any of its rows, in all tries of the run. */
	readonly done: Map<string, Change>;
	isNew: boolean;
	hasSent = false;
	/** How many requests were imagined. */
	cost = 0;
	first?: WholePlan;
	plan?: WholePlan;
	/** The changes that are wanted, once the contact is known. What others change later stays, but for these. */
	planned: ReadonlySet<string> | undefined;
	record?: WireRecord;
	/** The contact, if only an answer has shown which one it is. */
	private shown?: Contact;
	/** Whether an answer shows the contact as it is after what was sent. */
	private isShown = true;
	private outdated = 0;
	private looks = 0;

	/**
	 * @param memories what earlier tries have done, for each of its rows; none for a dry run
	 * @param refusal why nothing more is sent
	 */
	constructor(
		private readonly run: SyncRun,
		readonly desired: DesiredContact,
		private readonly memories: ReadonlyArray<ItemMemory<SyncResult>>,
		private readonly refusal?: CrmError,
	) {
		const earlier = memories.flatMap(({ partial }) => partial ?? []);
		this.done = new Map(earlier.flatMap(({ changes }) => [...(changes ?? [])]));
		this.isNew = earlier.some(({ action }) => action === 'created');
	}

	get options(): SyncOptions {
		return this.run.options;
	}

	get mayHaveHappened(): boolean {
		return this.memories.some(({ mayHaveHappened }) => mayHaveHappened === true);
	}

	/** @throws errors that do not concern the contact, such as that of a stopped execution */
	async sync(): Promise<SyncResult> {
		try {
			for (let step = this.nextStep(); step; step = this.nextStep()) {
				if (this.refusal) throw this.refusal;
				await this.take(step).catch((error: unknown) => this.unlessOutdated(error, step));
			}
			return resultOf(this);
		} catch (error) {
			const isItsOwn = error instanceof CrmError || error instanceof InputProblem;
			return isItsOwn ? { ...doneIn(this), action: 'failed', error } : rethrow(error);
		}
	}

	private nextStep(): Step | undefined {
		const plan = planFor(this.run, this.desired, this.shown && this.run.known.newest(this.shown));
		this.plan = plan;
		this.first ??= plan;
		const { current, changes } = plan;
		this.record = current?.record;
		const mustExist = this.desired.mustExist ?? this.options.onlyUpdate;
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
		return mustKeepOptOuts(this.desired.fields, this.options);
	}

	/** @throws CrmError if this or an earlier try has seen the contact, and it is gone */
	private rememberContact(current?: Contact): void {
		const wasKnown = this.memories.some(({ contactId }) => contactId !== undefined);
		if (!current && wasKnown) throw wasDeleted();
		this.remember({ contactId: current?.id });
	}

	private async take(step: Step): Promise<void> {
		const { api, known } = this.run;
		const current = this.plan?.current;
		const isReading = step.kind === 'readOptOuts' || step.kind === 'look';
		if (isReading && ++this.looks > MAX_LOOKS) throw notShown();
		if (step.kind === 'readOptOuts') return await known.readOptOuts();
		const phone = current?.phone || this.desired.phone;
		const isOutdated = () => this.isOutdated(current);
		const request = { ...step, current, phone, isOutdated };
		const answer = this.options.dryRun ? this.imagine(step) : await send(api, request);
		this.hasSent ||= !isReading && !this.options.dryRun;
		this.learn(step, answer);
	}

	/** Whether consent relies on what is too old. */
	private isOutdated(current?: Contact): boolean {
		const { known } = this.run;
		return current ? !known.isFresh(current) : this.keepsOptOuts && known.areOptOutsOutdated;
	}

	private unlessOutdated(error: unknown, { kind }: Step): void {
		if (error instanceof OutdatedError) {
			this.outdated += 1;
			if (error.failure.mayHaveHappened) this.remember({ mayHaveHappened: true });
			if (this.outdated < MAX_OUTDATED) return;
		}
		const isOfAll = error instanceof CrmError && error.failure.endsRun;
		const isRest = this.hasSent && ['change', 'addTag', 'removeTag'].includes(kind);
		if (isRest && !isOfAll && !isNotFound(error))
			failAs('Only a part of the contact was saved')(error);
		throw error;
	}

	/** The answer in a dry run. */
	private imagine({ changes }: Step): Answer {
		const { known, api } = this.run;
		this.cost += 1;
		const created = !this.plan?.current && known.isLookedUp(this.desired);
		const shown = { opt_in_status: undefined, ...imaginedAfter(this.knownRecord, changes) };
		const record = { ...shown, created };
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
		// Without the status, the answer does not tell whether the contact has opted out since it was last shown.
		if (record && ('opt_in_status' in record || !this.keepsOptOuts))
			known.see(contact, sentMs, kind === 'look');
		else known.add(contact);
		if (kind !== 'removeTag') this.isShown = record !== undefined;
		this.isNew ||= created === true;
		this.record = contact.record;
		for (const [name, change] of sent) if (!this.done.has(name)) this.done.set(name, change);
		if (!this.plan?.current) this.shown = contact;
		const partial = { action: this.isNew ? 'created' : 'updated', changes: this.done } as const;
		this.remember({ partial, contactId: contact.id });
	}

	/** For other tries, and for each of its rows: they may know only later that the rows are of one contact. */
	private remember({ contactId, ...what }: Partial<ItemMemory<SyncResult>>): void {
		for (const memory of this.memories) {
			Object.assign(memory, what);
			memory.contactId ??= contactId || undefined;
		}
	}
}

/** A service may show another contact than it was asked for, or not the status. */
function notShown(): CrmError {
	return new CrmError(
		'The service does not show the contact as it is now',
		"The answers about the contact show another one, or no 'opt_in_status', or each takes so long that it is outdated. So its consent cannot be sent.",
	);
}
