import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { firstText, readChoice } from '../api/assumptions';
import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { processRuntime, type Runtime } from '../api/runtime';
import { readContact, readId, type WireRecord } from '../api/types';
import { path } from '../api/urls';
import { isJsonObject } from '../domain/json';
import { InputProblem } from '../domain/problem';
import { isFirstAfterPause, markBegun, pollBudgetMs } from '../n8n/polling';
import { toNodeError, toTriggerError } from '../operations/nodeErrors';
import { loadBaseline, PollMemory, processPollMemory, storeBaseline } from './baseline';
import { toChangeOutput, unnamedTags, type Change, type TagNames } from './changeOutput';
import { Comparison, type Found } from './comparison';
import { packContacts, unpackContacts } from './contactMap';
import { sampleChanges } from './sampleChanges';
import { digest } from './snapshot';
import { readWatched, surelyMatches, type Watched } from './watched';

/** A poll takes at most 100 requests for its list. */
const MAX_CONTACTS = 10_000;

/** Missing contacts that a poll asks for, so that an emptied list leaves requests for others. */
const MAX_ASKED = 100;

/** Of the time that n8n gives a poll, the share after which nothing more is sent. */
const SEND_SHARE = 0.9;

/** The first polls without a complete list are only logged. */
const FAILURES_UNTIL_ERROR = 3;

interface Poll {
	context: IPollFunctions;
	api: Api;
	watched: Watched;
	/** Aborts when the time of the poll is over. */
	deadline: AbortSignal;
	runtime: Runtime;
	memory: PollMemory;
}

/**
 * One poll: reads the whole list and returns what changed since the last complete one; null if nothing
 * did. The editor's test returns samples and changes nothing.
 *
 * @throws NodeError when publishing or testing fails, when what is watched cannot be used, when the
 * service refuses, and from the third poll in a row without a complete list
 */
export async function pollForChanges(
	context: IPollFunctions,
	runtime = processRuntime,
	memory = processPollMemory,
): Promise<INodeExecutionData[][] | null> {
	const isManual = context.getMode() === 'manual';
	const node = isManual ? undefined : memory.nodeOf(context);
	// n8n starts the next poll although one is under way.
	if (node?.isPolling) return skipped(context, 'the previous poll is still running');
	if (node) node.isPolling = true;
	const deadline = runtime.clock.signalAfter(pollBudgetMs(context) * SEND_SHARE);
	try {
		const maxWaitMs = pollBudgetMs(context);
		const options = { effect: 'read', runtime, maxWaitMs, signal: deadline } as const;
		const api = await createApi(context, options);
		const watched = readWatched(context);
		if (!node) return await sampleChanges(api, watched);
		const changes = await poll({ context, api, watched, deadline, runtime, memory });
		node.failures = 0;
		return changes;
	} catch (caught) {
		const error: unknown = deadline.aborted ? tooSlow() : caught;
		// n8n shows only the message of a failed publishing.
		if (isFirstAfterPause(context)) throw toTriggerError(context.getNode(), error);
		const nodeError = toNodeError(context.getNode(), error);
		if (!node || !mayPass(error)) throw nodeError;
		node.failures += 1;
		if (node.failures >= FAILURES_UNTIL_ERROR) throw nodeError;
		context.logger.warn(
			`${context.getNode().name}: ${nodeError.message}. The next poll tries again.`,
		);
		return null;
	} finally {
		if (node) node.isPolling = false;
	}
}

function skipped(context: IPollFunctions, reason: string): null {
	context.logger.debug(`${context.getNode().name}: ${reason}`);
	return null;
}

/** Whether a later poll may succeed without any change by the user. */
function mayPass(error: unknown): boolean {
	if (!(error instanceof CrmError)) return false;
	const { status = 500 } = error;
	return status >= 500 || status === 429 || status === 408;
}

async function poll(run: Poll): Promise<INodeExecutionData[][] | null> {
	const { context, api, watched, memory } = run;
	const { clock } = run.runtime;
	const isFirst = isFirstAfterPause(context);
	const workspaceId = await workspaceOf(api, memory);
	const baseline = isFirst ? undefined : loadBaseline(context, memory, clock);
	if (baseline === 'saving') return skipped(context, 'n8n is still saving the previous poll');
	const isSame = baseline?.watched === watched.key && baseline.workspaceId === workspaceId;
	const comparison = new Comparison(
		isSame ? unpackContacts(baseline.contacts) : undefined,
		watched,
	);
	await readContacts(api, watched, (id, record) => comparison.take(id, record));
	await askForMissing(run, comparison);
	const { changes } = comparison;
	const tagNames = await nameTags(api, changes);
	// Nothing is awaited from here on, so that n8n gets the events with the baseline they belong to.
	const contacts = packContacts(comparison.contacts);
	const known = { workspaceId, watched: watched.key, contacts };
	storeBaseline(context, memory, clock, known, changes.length > 0);
	markBegun(context);
	if (!isSame) logFirstReading(context, comparison.contacts.size, changes.length);
	if (changes.length === 0) return null;
	return [changes.map((change) => ({ json: toChangeOutput(change, tagNames, watched.simplify) }))];
}

function logFirstReading(context: IPollFunctions, contacts: number, started: number): void {
	const starts = started > 0 ? `starts the workflow with ${started} of them` : 'starts nothing';
	const read = contacts.toLocaleString('en');
	context.logger.info(
		`${context.getNode().name}: the first poll read ${read} contacts, and ${starts}`,
	);
}

/** Hands over each contact of the list once. @throws if the list is incomplete or too long */
async function readContacts(
	api: Api,
	watched: Watched,
	take: (id: string, record: WireRecord) => void,
): Promise<void> {
	const { path: listPath, query, textsAre } = watched;
	const firstPage = await api.page({ ...watched, offset: 0 });
	if ((firstPage.total ?? 0) > MAX_CONTACTS) throw tooLong();
	const ifIncomplete = 'The list has to be complete to be compared.';
	const list = { path: listPath, query, textsAre, firstPage, ifIncomplete };
	let count = 0;
	await api.visit({ ...list, isPaged: true, maxRecords: Infinity }, (record) => {
		count += 1;
		if (count > MAX_CONTACTS) throw tooLong();
		const id = idOf(record);
		if (id !== undefined) take(id, record);
	});
}

/** The ID of the contact in a row. The API reference does not show the rows of a segment. */
function idOf(row: WireRecord): string | undefined {
	const { contact } = row;
	const record = isJsonObject(contact) ? (contact as WireRecord) : row;
	return firstText(row, ['contact_id']) ?? firstText(record, ['id']);
}

/** A contact that could not be asked for stays missing, and holds up no other. */
async function askForMissing(run: Poll, comparison: Comparison): Promise<void> {
	const { context, deadline } = run;
	for (const id of comparison.findMissing().slice(0, MAX_ASKED)) {
		try {
			comparison.takeMissing(id, await find(run, id));
		} catch (error) {
			const { message } = toNodeError(context.getNode(), error);
			context.logger.warn(`${context.getNode().name}: could not ask for contact ${id}. ${message}`);
			if (deadline.aborted || (error instanceof CrmError && error.concernsAll)) return;
		}
	}
}

/** Only a 404 by its ID says that a contact is erased (API reference, errors). */
async function find({ api, watched }: Poll, id: string): Promise<Found> {
	try {
		const record = await api.sendForRecord({ method: 'GET', path: path`/v1/contacts/${id}` });
		return surelyMatches(watched, readContact(record)) ? 'hidden' : record;
	} catch (error) {
		if (error instanceof CrmError && error.status === 404) return 'erased';
		throw error;
	}
}

/** One request for each key in each process. Empty if the service does not say. */
async function workspaceOf(api: Api, { workspaces }: PollMemory): Promise<string> {
	const known = workspaces.get(api.accountId);
	if (known !== undefined) return known;
	const { id } = await api.sendForRecord({ method: 'GET', path: path`/v1/workspace` });
	const workspaceId = readId(id);
	workspaces.set(api.accountId, workspaceId);
	return workspaceId;
}

/** The names of removed tags, for which a failed request is not worth losing the poll. */
async function nameTags(api: Api, changes: Change[]): Promise<TagNames> {
	const names = changes.flatMap(({ contact }) => readContact(contact).tags);
	const tagNames = new Map(names.map((name) => [digest(name), name]));
	if (unnamedTags(changes).every((tag) => tagNames.has(tag))) return tagNames;
	const list = { path: path`/v1/tags`, isPaged: false, maxRecords: Infinity };
	for (const record of await api.list(list).catch(() => [])) {
		const name = readChoice(record)?.name;
		if (name !== undefined) tagNames.set(digest(name), name);
	}
	return tagNames;
}

function tooLong(): InputProblem {
	const most = MAX_CONTACTS.toLocaleString('en');
	return new InputProblem(
		`The list has more than ${most} contacts`,
		'Narrow it: watch a segment, or use a filter.',
	);
}

function tooSlow(): CrmError {
	return new CrmError(
		'The service did not answer in the time that a poll has',
		'If this happens often, other workflows may use up the rate limit of the API key.',
	);
}
