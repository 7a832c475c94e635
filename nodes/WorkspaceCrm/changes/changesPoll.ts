import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { processRuntime, type Runtime } from '../api/runtime';
import { isFirstAfterPause, markBegun, pollBudgetMs } from '../n8n/polling';
import { assertKept } from '../n8n/staticData';
import { toNodeError, toTriggerError } from '../operations/nodeErrors';
import {
	loadBaseline,
	packContacts,
	PollMemory,
	processPollMemory,
	storeBaseline,
	unpackContacts,
} from './baseline';
import { toChangeOutput } from './changeOutput';
import { Comparison } from './comparison';
import { findContact, nameTags, readContacts, sampleChanges } from './contactList';
import { readWatched, type Watched } from './watched';

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
	const maxWaitMs = pollBudgetMs(context);
	const deadline = runtime.clock.signalAfter(maxWaitMs * SEND_SHARE);
	try {
		assertKept(context);
		const options = { effect: 'read', runtime, maxWaitMs, signal: deadline } as const;
		const api = await createApi(context, options);
		const watched = readWatched(context);
		if (!node) return await sampleChanges(api, watched);
		const changes = await poll({ context, api, watched, deadline, runtime, memory });
		node.failures = 0;
		return changes;
	} catch (error) {
		const failure: unknown = deadline.aborted ? tooSlow() : error;
		// n8n shows only the message of a failed publishing.
		if (isFirstAfterPause(context)) throw toTriggerError(context.getNode(), failure);
		const nodeError = toNodeError(context.getNode(), failure);
		if (!node || !mayPass(failure)) throw nodeError;
		node.failures += 1;
		if (node.failures >= FAILURES_UNTIL_ERROR) throw nodeError;
		log(context, 'warn', `${nodeError.message}. The next poll tries again.`);
		return null;
	} finally {
		if (node) node.isPolling = false;
	}
}

function log(context: IPollFunctions, level: 'debug' | 'info' | 'warn', text: string): void {
	context.logger[level](`${context.getNode().name}: ${text}`);
}

function skipped(context: IPollFunctions, reason: string): null {
	log(context, 'debug', reason);
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
	const before = isSame ? unpackContacts(baseline.contacts) : undefined;
	const comparison = new Comparison(before, watched);
	await readContacts(api, watched, (id, record) => comparison.take(id, record));
	await askForMissing(run, comparison);
	const { changes } = comparison;
	const tagNames = await nameTags(api, changes);
	// Nothing is awaited from here on, so that n8n gets the events with the baseline they belong to.
	const known = { workspaceId, watched: watched.key, contacts: packContacts(comparison.contacts) };
	storeBaseline(context, memory, clock, known, changes.length > 0);
	markBegun(context);
	if (!isSame) logFirstReading(context, comparison.contacts.size, changes.length);
	if (changes.length === 0) return null;
	return [changes.map((change) => ({ json: toChangeOutput(change, tagNames, watched.simplify) }))];
}

function logFirstReading(context: IPollFunctions, contacts: number, started: number): void {
	const starts = started > 0 ? `starts the workflow with ${started} of them` : 'starts nothing';
	log(context, 'info', `the first poll read ${contacts} contacts, and ${starts}`);
}

/** A contact that could not be asked for stays missing, and holds up no other. */
async function askForMissing(run: Poll, comparison: Comparison): Promise<void> {
	const { context, api, watched, deadline } = run;
	for (const id of comparison.findMissing().slice(0, MAX_ASKED)) {
		try {
			comparison.takeMissing(id, await findContact(api, watched, id));
		} catch (error) {
			const { message } = toNodeError(context.getNode(), error);
			log(context, 'warn', `could not ask for contact ${id}. ${message}`);
			if (deadline.aborted || (error instanceof CrmError && error.concernsAll)) return;
		}
	}
}

/** One request for each key in each process. Empty if the service does not say. */
async function workspaceOf(api: Api, { workspaces }: PollMemory): Promise<string> {
	const known = workspaces.get(api.accountId);
	if (known !== undefined) return known;
	const workspaceId = await api.workspaceId();
	workspaces.set(api.accountId, workspaceId);
	return workspaceId;
}

function tooSlow(): CrmError {
	return new CrmError(
		'The service did not answer in the time that a poll has',
		'If this happens often, other workflows may use up the rate limit of the API key.',
	);
}
