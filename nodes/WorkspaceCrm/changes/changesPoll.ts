import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { readChoice } from '../api/assumptions';
import { createApi, type Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { path } from '../api/urls';
import { processRuntime, type Runtime } from '../api/runtime';
import { readContact, readId } from '../api/types';
import type { Clock } from '../n8n/clock';
import { isFirstAfterPause, markBegun, pollBudgetMs } from '../n8n/polling';
import { toNodeError, toTriggerError } from '../operations/nodeErrors';
import { Baseline } from './baseline';
import {
	baselineKey,
	isBeingSaved,
	loadBaseline,
	processBaselines,
	storeBaseline,
	type BaselineMemory,
} from './baselineStorage';
import { toChangeOutput, unnamedTags, type Change, type TagNames } from './changeOutput';
import type { Found } from './detect';
import { digest } from './kept';
import { pollOnce, type Source } from './pollOnce';
import { logOutcome } from './pollLog';
import { sampleChanges } from './sampleChanges';
import { readWatched, surelyMatches, type Watched } from './watched';

/** Of the time that a poll has: after this share no request begins, and the last one ends after the second. */
const LAST_START = 0.75;
const LAST_END = 0.9;

/** Polls under way, by workflow and node. n8n starts the next one all the same. */
const underWay = new Set<string>();

/**
 * One poll of the node: the events since the last one, null if there are none. The editor's test gives
 * samples and changes nothing.
 *
 * @throws NodeError when nothing could be learnt, and why
 */
export async function pollForChanges(
	context: IPollFunctions,
	runtime: Runtime = processRuntime,
	memory: BaselineMemory = processBaselines,
): Promise<INodeExecutionData[][] | null> {
	const key = baselineKey(context);
	const isManual = context.getMode() === 'manual';
	if (!isManual && underWay.has(key)) {
		context.logger.debug(`${context.getNode().name}: the last poll is still under way`);
		return null;
	}
	if (!isManual) underWay.add(key);
	try {
		const { clock } = runtime;
		const untilMs = clock.elapsedMs() + pollBudgetMs(context) * LAST_START;
		const deadline = clock.signalAfter(pollBudgetMs(context) * LAST_END);
		const api = await openApi(context, runtime, deadline);
		const watched = readWatched(context);
		if (isManual) return await sampleChanges(context, api, watched);
		const source = sourceOf(api, watched, deadline, () => clock.elapsedMs() < untilMs);
		return await poll(context, { api, watched, source, clock, memory });
	} catch (error) {
		// n8n's message about a failed publishing shows nothing but the title.
		const toError = isFirstAfterPause(context) ? toTriggerError : toNodeError;
		throw toError(context.getNode(), error);
	} finally {
		if (!isManual) underWay.delete(key);
	}
}

async function openApi(
	context: IPollFunctions,
	runtime: Runtime,
	signal: AbortSignal,
): Promise<Api> {
	const maxWaitMs = pollBudgetMs(context);
	return await createApi(context, { effect: 'read', runtime, maxWaitMs, signal });
}

interface Poll {
	api: Api;
	watched: Watched;
	source: Source;
	clock: Clock;
	memory: BaselineMemory;
}

async function poll(
	context: IPollFunctions,
	{ api, watched, source, clock, memory }: Poll,
): Promise<INodeExecutionData[][] | null> {
	const isFirst = isFirstAfterPause(context);
	// With another one, stock is taken anew.
	const key = `${await workspaceOf(api, memory)} ${watched.key}`;
	if (!isFirst && isBeingSaved(context, memory, clock, key)) {
		context.logger.debug(`${context.getNode().name}: n8n is still saving the last poll`);
		return null;
	}
	const stored = isFirst ? undefined : loadBaseline(context, memory, key);
	const baseline = stored ? Baseline.fromStored(stored) : new Baseline(key);
	const wasTakingStock = baseline.isTakingStock;
	const outcome = await pollOnce(baseline, watched, source);
	const { changes, failure, end, answers } = outcome;
	const tagNames = await nameTags(api, changes);
	// Nothing is awaited from here on, so that n8n gets the events with the baseline they belong to.
	storeBaseline(context, memory, clock, baseline, changes.length > 0);
	if (changes.length === 0 && end === 'failed') throw failure;
	if (changes.length === 0 && answers === 0) throw tooSlow();
	markBegun(context);
	logOutcome(context, baseline, outcome, wasTakingStock);
	if (changes.length === 0) return null;
	return [changes.map((change) => ({ json: toChangeOutput(change, tagNames, watched.simplify) }))];
}

/**
 * Asks once for each key, so that the key of another workspace in the same credential is noticed, and a
 * new key for the same one loses nothing. Empty if the service does not tell.
 */
async function workspaceOf(api: Api, { workspaces }: BaselineMemory): Promise<string> {
	const known = workspaces.get(api.accountId);
	if (known !== undefined) return known;
	const { id } = await api.sendForRecord({ method: 'GET', path: path`/v1/workspace` });
	const workspace = readId(id);
	workspaces.set(api.accountId, workspace);
	return workspace;
}

function sourceOf(
	api: Api,
	watched: Watched,
	deadline: AbortSignal,
	isInTime: () => boolean,
): Source {
	return {
		fetchPage: async (offset) => await api.page({ ...watched, offset }),
		find: async (id) => await find(api, watched, id),
		hasTime: () => isInTime() && !deadline.aborted,
		isOver: () => deadline.aborted,
	};
}

/** Only a 404 by its id says that a contact is erased (API reference, errors). */
async function find(api: Api, watched: Watched, id: string): Promise<Found> {
	const asking = api.sendForRecord({ method: 'GET', path: path`/v1/contacts/${id}` });
	const record = await asking.catch((error: unknown) => {
		if (error instanceof CrmError && error.status === 404) return 'erased' as const;
		throw error;
	});
	if (record === 'erased') return record;
	const contact = readContact(record);
	const isOther = contact.id.toLowerCase() !== id.toLowerCase();
	return isOther || surelyMatches(watched, contact) ? undefined : record;
}

/** The names of tags that contacts had, and that no record at hand gives. They are not worth a failure. */
async function nameTags(api: Api, changes: Change[]): Promise<TagNames> {
	const names = changes.flatMap(({ contact }) => readContact(contact).tags);
	const known = () => new Map(names.map((name) => [digest(name), name]));
	const tagNames = known();
	if (unnamedTags(changes).every((tag) => tagNames.has(tag))) return tagNames;
	const list = { path: path`/v1/tags`, isPaged: false, maxRecords: Infinity };
	const records = await api.list(list).catch(() => []);
	names.push(...records.flatMap((record) => readChoice(record)?.name ?? []));
	return known();
}

function tooSlow(): CrmError {
	return new CrmError(
		'The service did not answer in the time that a poll has',
		'The next poll tries again. If this happens at each poll, other workflows may use up the rate limit of the API key.',
	);
}
