/** What Sync does, without n8n: `syncOperation.ts` reads the fields and makes the outputs. */
import type { Api } from '../../../crm/client';
import { CrmError } from '../../../crm/crmError';
import type { Contact } from '../../../crm/records';
import { forEachInParallel, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { addTo } from '../../../domain/groups';
import { InputProblem } from '../../../domain/inputProblem';
import { asPlainHeading, nameFinder } from '../../../domain/sameText';
import { keysOf, type Named } from '../../../domain/sameNumber';
import { ItemFailure, type ItemMemory } from '../../../operations/define';
import { EndOfRun, unlessFinished } from '../../../operations/endOfRun';
import { tagNames } from '../../tag';
import { askingForNo, doubtsIn, mergeRows, type DesiredContact } from './mergedRows';
import { isConsent } from './changes';
import type { ConsentRule } from './consentRule';
import { KnownContacts } from './knownContacts';
import { ContactSync, planFor, type SyncRun } from './oneContact';
import type { Row } from './row';
import type { SyncOptions } from './syncFields';
import type { SyncResult } from './syncResult';

/** Whether the first row that fails ends the run, and an invalid one before anything is sent. */
export type SyncSettings = SyncOptions & { stopsAtFirst?: boolean };

/** What earlier tries of the run did, and who hears how far it is. */
export interface SyncMemory {
	/** What was done for a row, by the index of its item. */
	of(item: number): ItemMemory<SyncResult>;
	/** Called with the number of contacts. Returns what to call after each. */
	progress?(contacts: number): () => void;
}

/** A tag that a run adds, and one that differs from it only in case or spelling. */
export interface NewTag {
	name: string;
	similar?: string;
	/** Whether that is not in the CRM, either. */
	isSimilarNew?: boolean;
}

export interface Synced {
	/** The result of each row; rows of one contact share it. */
	results: SyncResult[];
	/** The contacts in the CRM that no row mentions, if the options ask for them. */
	unmentioned: Contact[];
	/** How many contacts with an international number the CRM has, as far as they were read. */
	inCrm: number;
	/** How many requests it has sent. */
	requests: number;
	/** Those that a dry run would create. */
	newTags: NewTag[];
}

/**
 * Brings the contacts of the CRM up to date with all rows together. A dry run does the same without writing.
 *
 * @throws ItemFailure for the first invalid row, if that ends the run; CrmError if the contacts cannot be read
 */
export async function syncContacts(
	crm: Api,
	rows: readonly Row[],
	options: SyncSettings,
	memory: SyncMemory,
): Promise<Synced> {
	const { dryRun, stopsAtFirst = false } = options;
	if (stopsAtFirst) assertNoProblem(rows);
	const known = new KnownContacts(crm, options, rows);
	const refusedNoes = rows.filter(({ problem, saysNo }) => problem !== undefined && saysNo);
	const isOpen = ({ result, contactId }: ItemMemory) =>
		result === undefined && contactId !== undefined;
	const wasKnown = (each: DesiredContact) => each.rows.some(({ item }) => isOpen(memory.of(item)));
	await known.read([...mergeRows(rows, options), ...askingForNo(refusedNoes)], wasKnown);
	rememberContacts(known, rows, memory);
	// Only now it is known which IDs and numbers are of one contact.
	const contacts = mergeRows(rows, options, (row) => known.keyOf(row));
	markProblems(contacts, { known, options });
	if (stopsAtFirst) assertNoProblem(rows);

	const run = { api: crm, options, known, doubtOf: doubtsIn(rows, options) };
	const possible = contacts.filter(({ rows: [first] }) => first.problem === undefined);
	const applied = await applyAll(run, possible, stopsAtFirst, memory);
	const refused = rows.map((row) => applied[row.item] ?? notApplied(row));
	const results = await withNoes(run, rows, refused, memory);
	const unmentioned = [...known.unmentioned.values()];
	const inCrm = known.ids.size;
	const requests = crm.requestCount;
	const newTags = dryRun ? await tagsToCreate(crm, results) : [];
	return { results, unmentioned, inCrm, requests, newTags };
}

/** Also of rows that are refused, or not begun: after a deletion, another try must not create the contact again. */
function rememberContacts(known: KnownContacts, rows: readonly Row[], memory: SyncMemory): void {
	for (const row of rows) {
		const [contact] = known.meantBy(row);
		if (contact?.id) memory.of(row.item).contactId ??= contact.id;
	}
}

/**
 * Sends the 'Opt In: No' of rows of which nothing else could be sent, unless another row of the contact says Yes. It
 * creates no contact.
 */
async function withNoes(
	run: SyncRun,
	rows: readonly Row[],
	results: readonly SyncResult[],
	memory: SyncMemory,
): Promise<SyncResult[]> {
	const asking = askingForNo(rows.filter((row, at) => row.saysNo && isRefused(results[at])));
	const yes = new Set(rows.filter(({ fields }) => fields.opt_in).flatMap(keysOf));
	const saysYes = (named: Named) => keysOf(named).some((key) => yes.has(key));
	const clear = asking.filter((each) => ![each, ...run.known.of(each)].some(saysYes));
	const ofItem = { of: (item: number) => memory.of(item) };
	const noes = clear.length > 0 ? await applyAll(run, clear, false, ofItem) : [];
	const counted = new Set<SyncResult>();
	return results.map((result, at) => {
		const no = noes[rows[at]?.item ?? -1];
		const said = no && whatBecameOf(no);
		if (!no || said === undefined) return result;
		const { record, changes, optIn, cost } = no;
		const withNo = { ...result, error: withSentence(result.error, said), record, changes };
		// Rows of one contact are one No.
		if (counted.has(no)) return withNo;
		counted.add(no);
		return { ...withNo, optIn, cost };
	});
}

/** What is said of the No of a refused row; undefined if there is nothing to say. */
function whatBecameOf({ error, optIn, changes = new Map() }: SyncResult): string | undefined {
	if (error instanceof CrmError) return `Its 'Opt In: No' failed: ${error.message}.`;
	if (optIn === undefined) return undefined;
	const isOnly = [...changes.keys()].every(isConsent);
	return isOnly ? "Only its 'Opt In: No' is sent." : "Its 'Opt In: No' is sent, too.";
}

/** By us or by the service, for a value. Other failures may show that the contact was deleted. */
function isRefused({ action, error }: Partial<SyncResult> = {}): boolean {
	if (error instanceof CrmError) return error.failure.status === 422;
	return action === 'invalid' || action === 'failed';
}

function withSentence(error: unknown, said: string): unknown {
	if (!(error instanceof InputProblem)) return (error as CrmError).withContext(said);
	const remedy = error.description.replace('Nothing was sent for this item. ', '');
	return new InputProblem(error.message, `${said} ${remedy}`);
}

/** @throws ItemFailure for the first invalid row */
function assertNoProblem(rows: readonly Row[]): void {
	for (const { item, problem } of rows) {
		const isOurs = problem instanceof InputProblem || problem instanceof CrmError;
		const shown = isOurs ? problem.withContext('Nothing was saved.') : problem;
		if (problem !== undefined) throw new ItemFailure(item, shown);
	}
}

/** Marks all rows of a contact if nothing can be sent for it. */
function markProblems(contacts: readonly DesiredContact[], rule: ConsentRule): void {
	for (const each of contacts) {
		try {
			planFor(rule, each);
		} catch (problem) {
			for (const row of each.rows) row.problem = problem;
		}
	}
}

/**
 * Updates the contacts, several at a time; the requests for one contact run in sequence. One failure
 * does not stop the rest, unless it affects every request.
 *
 * @param stopsAtFirst whether one failed row ends the run
 * @returns the results by the indexes of the items; none for those that were not started
 */
async function applyAll(
	run: SyncRun,
	contacts: readonly DesiredContact[],
	stopsAtFirst: boolean,
	memory: SyncMemory,
): Promise<SyncResult[]> {
	const { dryRun } = run.options;
	const results: SyncResult[] = [];
	const count = memory.progress?.(contacts.length);
	const end = new EndOfRun(stopsAtFirst);
	await forEachInParallel(contacts, ITEMS_AT_ONCE, async (each) => {
		if (end.hasEnded) return;
		const done = memory.of(each.rows[0].item);
		const memories = dryRun ? [] : each.rows.map(({ item }) => memory.of(item));
		// An earlier try may not have known yet that the rows are of one contact.
		if (memories.some(({ result }) => result === undefined)) done.result = undefined;
		// The rest of a row of which only a No is sent is tried again.
		const isDone = ({ error }: SyncResult) => error === undefined && !dryRun && !each.mustExist;
		const act = async () => await new ContactSync(run, each, memories, end.refusal).sync();
		const result = await unlessFinished(done, act, isDone);
		for (const ofRow of memories) ofRow.result = done.result;
		for (const { item } of each.rows) results[item] = result;
		end.take(each.rows[0].item, result);
		if (dryRun && end.refusal) throw result.error;
		count?.();
	});
	return results;
}

function notApplied({ isBlank, problem }: Row): SyncResult {
	if (isBlank) return { action: 'skipped' };
	if (problem === undefined) return { action: 'notStarted' };
	return { action: problem instanceof CrmError ? 'failed' : 'invalid', error: problem };
}

/** The tags that a run would create for good, each with one that differs only in case or spelling. */
async function tagsToCreate(api: Api, results: readonly SyncResult[]): Promise<NewTag[]> {
	const added = new Set(results.flatMap(({ addedTags = [] }) => addedTags));
	if (added.size === 0) return [];
	const known = await tagNames(api);
	const sameTag = nameFinder(known);
	const inCrm = new Set(known);
	const byLooseKey = new Map<string, string[]>();
	for (const name of new Set([...known, ...added])) addTo(byLooseKey, asPlainHeading(name), name);
	return [...added]
		.filter((name) => sameTag(name) === undefined)
		.map((name) => {
			const similar = byLooseKey.get(asPlainHeading(name))?.find((other) => other !== name);
			return { name, similar, isSimilarNew: similar !== undefined && !inCrm.has(similar) };
		});
}
