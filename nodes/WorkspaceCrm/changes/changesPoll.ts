import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { createApi, type Api } from '../api/client';
import type { Clock } from '../api/clock';
import { CrmError, unlessNotFound } from '../api/crmError';
import { endpoints } from '../api/endpoints';
import { processRuntime } from '../api/connection';
import { readContact } from '../api/records';
import { NodeData, processData, type Siblings } from '../n8n/nodeData';
import { assertKept, begunPublishings, isFirstAfterPause, pollBudgetMs } from '../n8n/polling';
import { textOf, toNodeError, toTriggerError } from '../operations/nodeErrors';
import { readTagNames, sampleChanges, toChangeOutput } from './changeOutput';
import { Comparison, digest, type ContactMap } from './comparison';
import { readWatched, type Watched } from './watched';

/** A poll takes at most 100 requests for its list. */
const MAX_CONTACTS = 10_000;

/** The most missing contacts that one poll looks up, so that an emptied list does not use up the rate limit. */
const MAX_ASKED = 100;

/** After this share of its time budget, a poll sends nothing more. */
const SEND_SHARE = 0.9;

/** How many polls in a row may fail before one throws; earlier failures are only logged. */
const FAILURES_UNTIL_ERROR = 3;

/** The list that the next poll compares with, as stored in n8n's static data. */
type Baseline = {
	/** From `baselineKey`. */
	key: string;
	/**
	 * IDs, misses and snapshots. One string, because n8n wraps and copies each object in static data: 150 ms
	 * for 10,000 contacts, 2 ms as a string.
	 */
	contacts: string;
};

/** What is known of a polling node: its baseline, which n8n stores, and what only this process knows. */
class PollData extends NodeData<Baseline> {
	/** `Api.accountId`, and the workspace's ID for it: a key always belongs to the same workspace. */
	accountId?: string;

	workspaceId?: string;

	/** Polls in a row without a complete list. */
	failures = 0;

	/** The poll that runs now, or ran last. Only this one may store or start anything. */
	turn?: Turn;

	/** Whether n8n's log says that n8n does not keep what is stored. */
	hasWarned = false;

	constructor(siblings: Siblings, clock: Clock) {
		super('baseline', siblings, clock);
	}
}

/** A poll that has begun. */
interface Turn {
	/** When its time is over, by `Clock.elapsedMs`; 0 once it has ended. */
	untilMs: number;
}

interface Poll {
	turn: Turn;
	context: IPollFunctions;
	data: PollData;
	api: Api;
	watched: Watched;
	/** Aborts when the time budget is used up. */
	deadline: AbortSignal;
}

/**
 * Runs one poll: reads the whole list and returns the changes since the last complete one; null if there
 * are none. The editor's test returns samples and stores nothing.
 *
 * @throws NodeError when publishing or testing fails, when the settings are invalid, when the service
 * refuses the request, and from the third poll in a row without a complete list
 */
export async function pollForChanges(
	context: IPollFunctions,
	runtime = processRuntime,
	known = processData,
): Promise<INodeExecutionData[][] | null> {
	const isTest = context.getMode() === 'manual';
	const data = known.of(context, PollData, runtime.clock);
	const budgetMs = pollBudgetMs(context);
	const turn = beginTurn(context, data, runtime.clock.elapsedMs(), budgetMs);
	if (!turn) return null;
	const deadline = runtime.clock.signalAfter(budgetMs * SEND_SHARE);
	try {
		assertKept(context);
		const api = await createApi(context, { runtime, signal: deadline });
		const watched = readWatched(context);
		const run = { turn, context, data, api, watched, deadline };
		const items = isTest ? await sampleChanges(api, watched) : await poll(run);
		data.failures = 0;
		return items.length > 0 ? [items] : null;
	} catch (error) {
		if (data.turn !== turn) return null;
		const failure: unknown = deadline.aborted ? TOO_SLOW : error;
		// n8n shows only the message of a failed publishing.
		if (isFirstAfterPause(context)) throw toTriggerError(context.getNode(), failure);
		const nodeError = toNodeError(context.getNode(), failure);
		// A later poll may succeed without any change by the user.
		const mayPass = failure instanceof CrmError && failure.failure.retryable !== undefined;
		if (isTest || !mayPass) throw nodeError;
		data.failures += 1;
		if (data.failures >= FAILURES_UNTIL_ERROR) throw nodeError;
		log(context, 'warn', textOf(nodeError, 'The next poll tries again.'));
		return null;
	} finally {
		turn.untilMs = 0;
	}
}

/**
 * Begins a poll, unless one is running: n8n starts the next one even then (`activatePollTrigger`, seen in 2.41).
 * A poll that outlives its time is over, or one that never ends would be the last.
 */
function beginTurn(
	context: IPollFunctions,
	data: PollData,
	nowMs: number,
	budgetMs: number,
): Turn | undefined {
	const { untilMs = 0 } = data.turn ?? {};
	if (nowMs < untilMs) return undefined;
	if (untilMs > 0)
		log(context, 'warn', 'the poll before did not end in time, and counts for nothing');
	return (data.turn = { untilMs: nowMs + budgetMs });
}

function log(context: IPollFunctions, level: 'info' | 'warn', text: string): void {
	context.logger[level](`${context.getNode().name}: ${text}`);
}

const TOO_SLOW = new CrmError(
	'The service did not answer within the time limit of a poll',
	'If this happens often, other workflows may be using up the rate limit of the API key.',
);

async function poll(run: Poll): Promise<INodeExecutionData[]> {
	const { turn, context, data, api, watched } = run;
	const isFirst = isFirstAfterPause(context);
	if (data.accountId !== api.accountId) {
		data.workspaceId = await api.workspaceId();
		data.accountId = api.accountId;
	}
	const key = baselineKey(context, data, watched);
	const isOurs = (kept: Baseline) => kept.key === key;
	const baseline = isFirst ? undefined : data.load(context, isOurs);
	const comparison = new Comparison(baseline && contactsOf(baseline), watched);
	await readContacts(run, comparison);
	await askForMissing(run, comparison);
	const changes = comparison.changes.filter(({ event }) => watched.events.has(event));
	const tagNames = await readTagNames(api, changes);
	// Another poll has begun meanwhile, or the baseline is no longer the one that was compared with.
	if (data.turn !== turn) return [];
	const next = toBaseline(key, comparison.contacts);
	if (changes.length === 0) data.store(context, next);
	else data.storeWithEvents(context, next, () => (data.turn = undefined));
	warnIfNotKept(run, changes.length > 0);
	begunPublishings.add(context);
	if (!baseline) {
		const { size } = comparison.contacts;
		log(context, 'info', `first poll: ${size} contacts, the workflow starts for ${changes.length}`);
	}
	return changes.map((change) => ({ json: toChangeOutput(change, tagNames, watched.simplify) }));
}

/** Once; until n8n is restarted, the process remembers. */
function warnIfNotKept({ context, data }: Poll, hasEvents: boolean): void {
	if (hasEvents || data.hasWarned || data.isKept(context)) return;
	data.hasWarned = true;
	log(
		context,
		'warn',
		'n8n does not keep the record of this node. After a restart of n8n, the first poll starts a new one',
	);
}

const WITHOUT_ID = [
	'The service lists a contact without an ID, so lists cannot be compared',
	'Report this to the provider of the service.',
] as const;

/** @throws if the list is incomplete or too long */
async function readContacts({ api, watched }: Poll, comparison: Comparison): Promise<void> {
	const ifIncomplete =
		'The node can compare only complete lists of at most 10,000 contacts. For a longer list, watch a segment or use a filter.';
	const { call, query } = watched.list;
	const whole = { query, maxTotal: MAX_CONTACTS, ifIncomplete };
	for await (const record of api.records(call, whole)) {
		const { id } = readContact(record);
		// Without an ID, it would count as missing.
		if (id === '') throw new CrmError(...WITHOUT_ID);
		comparison.take(id, record);
	}
}

/** Looks up missing contacts by ID. If a look-up fails, the contact stays missing, and the others continue. */
async function askForMissing(run: Poll, comparison: Comparison): Promise<void> {
	const { context, api, deadline } = run;
	for (const id of comparison.findMissing().slice(0, MAX_ASKED)) {
		try {
			const asking = api.sendForRecord(endpoints.getContact(id));
			// Only a 404 says that a contact is erased (API reference, errors).
			comparison.takeMissing(id, (await asking.catch(unlessNotFound)) ?? undefined);
		} catch (error) {
			const reason = textOf(toNodeError(context.getNode(), error));
			log(context, 'warn', `could not look up contact ${id}. ${reason}`);
			if (deadline.aborted || (error instanceof CrmError && error.failure.endsRun)) return;
		}
	}
}

/**
 * Identifies the node, workspace and settings of a baseline: copies, imports and renamed nodes carry
 * static data along, and a credential may get the key of another workspace.
 */
function baselineKey(
	context: IPollFunctions,
	{ workspaceId }: PollData,
	{ list, fields, hasTags }: Watched,
): string {
	const { id: workflowId } = context.getWorkflow();
	const owner = [context.getInstanceId(), workflowId, context.getNode().id, workspaceId];
	return digest({ owner, path: list.call.path, query: list.query, fields, hasTags });
}

function toBaseline(key: string, contacts: ContactMap): Baseline {
	const entries = [...contacts].map(([id, { misses, snapshot }]) => {
		return `${encodeURIComponent(id)}:${misses}${snapshot}`;
	});
	return { key, contacts: entries.join(';') };
}

function contactsOf({ contacts }: Baseline): ContactMap {
	const entries = contacts.split(';').map((entry) => /^([^:]+):(\d)(.*)$/.exec(entry) ?? []);
	return new Map(
		entries.flatMap(([, id, misses, snapshot = '']) => {
			if (id === undefined) return [];
			return [[decodeURIComponent(id), { misses: Number(misses), snapshot }]];
		}),
	);
}
