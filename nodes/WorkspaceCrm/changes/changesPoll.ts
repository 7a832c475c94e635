import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { createApi, processRuntime } from '../n8n/connect';
import type { Api } from '../crm/client';
import type { Clock } from '../crm/clock';
import { CrmError, unlessNotFound } from '../crm/crmError';
import { endpoints } from '../crm/endpoints';
import { readContact } from '../crm/records';
import { assertKept, NodeData, processData, type Siblings } from '../n8n/staticData';
import {
	assertIdentified,
	begunPublishings,
	isFirstAfterPause,
	pollBudgetMs,
	whenTaken,
	type HandOver,
} from '../n8n/polling';
import { textOf, toNodeError, toTriggerError } from '../operations/nodeErrors';
import { readTagNames, sampleChanges, toChangeOutput } from './changeOutput';
import { Comparison, digest, type Change, type ContactMap } from './comparison';
import { goBack, Starts, type Start } from './starts';
import { readWatched, type Watched } from './watched';

/** The most contacts in a list: 100 requests for a reading, of which a list that changes meanwhile takes up to three. */
const MAX_LISTED = 10_000;

/** The most missing contacts that one poll looks up, so that an emptied list does not use up the rate limit. */
const MAX_ASKED = 100;

/** After this share of its time budget, a poll sends nothing more. */
const SEND_SHARE = 0.9;

/** How many polls in a row may fail before one throws; earlier failures are only logged. */
const FAILURES_UNTIL_ERROR = 3;

/** After so many polls in a row whose events n8n did not take, the next ones store their record at once. */
const MAX_UNTAKEN = 3;

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
	/** Polls in a row without a complete list. */
	failures = 0;

	isPolling = false;

	/** Polls with events in a row that n8n did not take. */
	untaken = 0;

	readonly starts = new Starts();

	constructor(siblings: Siblings, clock: Clock) {
		super('baseline', siblings, clock);
	}
}

interface Poll {
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
	// n8n starts the next poll even if one is still running (`activatePollTrigger`, seen in 2.41).
	if (data.isPolling) return null;
	data.isPolling = true;
	const deadline = runtime.clock.signalAfter(pollBudgetMs(context) * SEND_SHARE);
	const read = async () => {
		assertKept(context);
		if (!isTest) assertIdentified(context);
		const api = await createApi(context, { runtime, signal: deadline });
		const watched = readWatched(context);
		return isTest
			? await sampleChanges(api, watched)
			: await poll({ context, data, api, watched, deadline });
	};
	try {
		const items = await untilAborted(deadline, read());
		data.failures = 0;
		return items.length > 0 ? [items] : null;
	} catch (error) {
		const failure: unknown = deadline.aborted ? POLL_TOO_SLOW : error;
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
		data.isPolling = false;
	}
}

function log(context: IPollFunctions, level: 'info' | 'warn', text: string): void {
	context.logger[level](`${context.getNode().name}: ${text}`);
}

/** n8n may never settle what a poll waits for; then the next poll must be able to start. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	const end = new Promise<never>((_, reject) => {
		signal.addEventListener('abort', () => reject(POLL_TOO_SLOW));
	});
	return await Promise.race([work, end]);
}

const POLL_TOO_SLOW = new CrmError(
	'The list was not read within the time limit of a poll',
	'If this happens often, other workflows may be using up the rate limit of the API key.',
);

async function poll(run: Poll): Promise<INodeExecutionData[]> {
	const { context, data, api, watched, deadline } = run;
	const key = baselineKey(context, await api.workspaceId(), watched);
	const isOurs = (kept: Baseline) => kept.key === key;
	const baseline = isFirstAfterPause(context) ? undefined : data.load(context, isOurs);
	const { newest } = data;
	const comparison = new Comparison(baseline && contactsOf(baseline), watched);
	await readContacts(run, comparison);
	await askForMissing(run, comparison);
	const changes = comparison.changes.filter(({ event }) => watched.events.has(event));
	const tagNames = await readTagNames(api, changes);
	// The time is up, or n8n could not start the workflow with the changes of an earlier poll.
	const isCurrent = () => data.newest === newest && !deadline.aborted;
	if (!isCurrent()) return [];
	const next = toBaseline(key, comparison.contacts);
	if (changes.length > 0) {
		if (!offer(run, handOverOf(run, next, changes, isCurrent))) return [];
	} else {
		// Saved earlier than the record of an open start, it would outlive a start that fails.
		if (data.starts.areOpen) data.hold(next);
		else data.store(context, next);
		begunPublishings.add(context);
	}
	if (!baseline) {
		const { size } = comparison.contacts;
		log(context, 'info', `first poll: ${size} contacts, the workflow starts for ${changes.length}`);
	}
	return changes.map((change) => ({ json: toChangeOutput(change, tagNames, watched.simplify) }));
}

/**
 * Offers the events of a poll to n8n. If n8n cannot be made to say when it takes them, or has not for some polls, they
 * count as taken at once, as in other pollers.
 *
 * @returns whether n8n may get them
 */
function offer({ context, data }: Poll, handOver: HandOver): boolean {
	const take = () => {
		data.untaken = 0;
		return handOver.take();
	};
	data.untaken += 1;
	if (whenTaken(context, { ...handOver, take }) && data.untaken <= MAX_UNTAKEN) return true;
	data.warnOnce(context, NOT_SAID);
	return handOver.take();
}

const NOT_SAID =
	'n8n does not say when it takes the changes of a poll. They count as taken: if n8n drops them, they are lost.';

/** Stores the record with the events once n8n takes them, and goes back if n8n does not start the workflow. */
function handOverOf(
	{ context, data }: Poll,
	next: Baseline,
	changes: Change[],
	isCurrent: () => boolean,
): HandOver {
	let start: Start | undefined;
	return {
		take() {
			if (start) return true;
			if (!isCurrent()) return false;
			data.store(context, next);
			start = data.starts.begin(changes);
			begunPublishings.add(context);
			return true;
		},
		end(hasStarted) {
			if (!start) return;
			const before = data.starts.end(start);
			if (hasStarted) return;
			const { newest } = data;
			const again = newest?.key === next.key ? before.size : 0;
			if (newest && again > 0) {
				data.hold(toBaseline(next.key, goBack(contactsOf(newest), before)));
				log(context, 'warn', `${NOT_STARTED} ${again} contacts. The next poll reports them again`);
			}
			const lost = start.size - again;
			if (lost > 0) log(context, 'warn', `${NOT_STARTED} ${lost} contacts. They are lost`);
		},
	};
}

const NOT_STARTED = 'n8n did not start the workflow with the changes of';

const WITHOUT_ID = [
	'The service lists a contact without an ID, so lists cannot be compared',
	'Report this to the provider of the service.',
] as const;

/** @throws if the list is incomplete or too long */
async function readContacts({ api, watched }: Poll, comparison: Comparison): Promise<void> {
	const ifIncomplete =
		'The node can compare only complete lists of at most 10,000 contacts. For a longer list, watch a segment or use a filter.';
	const { call, query } = watched.list;
	const whole = { query, maxTotal: MAX_LISTED, ifIncomplete };
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
	workspaceId: string,
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
