import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { InputProblem } from '../../../domain/problem';
import { several } from '../../../domain/text';
import type { BulkRun } from '../../../operations/define';
import type { FoundContact } from '../../contactReference';
import type { PrepareFor } from '../templateMessage';
import type { CampaignResult } from './campaignOutput';
import { MarkNotShown, sendOnce, type SendResult } from './sendOnce';
import type { Skip } from './skip';

/** A contact that is to get a message. */
export interface Sending {
	item: number;
	/** Of the campaign. */
	key: string;
	contact: FoundContact;
	prepareFor: PrepareFor;
}

/**
 * What came of contacts that stay marked, by the campaign key and their IDs, for each run of a node: when n8n runs it again
 * (Retry On Fail), the mark alone does not tell whether the message was sent. It goes with the execution.
 */
const resultsOfRuns = new WeakMap<object, Map<string, SendResult>>();

/** What came of the contacts in earlier tries of the same run of the node. */
export function resultsSoFar(runKey: object): Map<string, SendResult> {
	const results = resultsOfRuns.get(runKey) ?? new Map<string, SendResult>();
	resultsOfRuns.set(runKey, results);
	return results;
}

/**
 * What came of a contact in an earlier try, if that is how it ended. Where it was not clear whether the
 * contact was marked, a look tells: if it was, it failed and stays so; else it is tried again.
 */
export function endSoFar(earlier: SendResult | undefined, skip?: Skip): SendResult | undefined {
	const isOpen = earlier && 'isMarked' in earlier && earlier.isMarked === 'perhaps';
	return isOpen && skip?.code !== 'alreadyMarked' ? undefined : earlier;
}

/**
 * Sends the messages, several at a time, in the order of the input. What came of each goes into
 * `results`, by the index of its item. A failure that concerns all ends the campaign: then the other
 * contacts stay unmarked.
 */
export async function sendToAll(
	api: Api,
	sendings: readonly Sending[],
	{ stopAfterFailures }: { stopAfterFailures: number },
	run: BulkRun,
	results: CampaignResult[],
): Promise<void> {
	const sofar = resultsSoFar(run.key);
	const inFlight = new Set<string>();
	let ended: CrmError | InputProblem | undefined;
	let failuresInRow = 0;
	const count = (item: number, result: SendResult) => {
		if (result.status === 'sent') failuresInRow = 0;
		if (!('error' in result)) return;
		failuresInRow += 1;
		ended ??= endOf(item, result.error);
		if (failuresInRow >= stopAfterFailures) ended ??= tooManyFailures(failuresInRow);
	};
	const act = async ({ item, key, contact, prepareFor }: Sending): Promise<void> => {
		if (ended) {
			results[item] = { status: 'notSent', error: ended };
			return;
		}
		const onMark = () => void inFlight.add(contact.id);
		const sending = async () => await sendOnce(api, key, await prepareFor(contact), run, onMark);
		const result = await sending().catch(asFailed);
		inFlight.delete(contact.id);
		count(item, result);
		results[item] = result;
		if (staysMarked(result)) sofar.set(`${key} ${contact.id}`, result);
	};
	try {
		// The first goes alone: what it finds wrong, the others need not find out.
		await forEachAtOnce(sendings.slice(0, 1), 1, act);
		await forEachAtOnce(sendings.slice(1), ITEMS_AT_ONCE, act);
	} finally {
		if (inFlight.size > 0) run.warn(interrupted([...inFlight]));
	}
}

/** Other errors, such as that of an execution that was stopped, are not the contact's. */
function asFailed(error: unknown): SendResult {
	const isItsOwn = error instanceof CrmError || error instanceof InputProblem;
	const isMarked = error instanceof MarkNotShown && 'perhaps';
	if (isItsOwn) return { status: 'failed', error, isMarked };
	throw error;
}

function staysMarked(result: SendResult): boolean {
	return ['sent', 'unclear'].includes(result.status) || ('isMarked' in result && !!result.isMarked);
}

/** Why a failure ends the campaign; undefined if the others may fare better. */
function endOf(item: number, error: CrmError | InputProblem): CrmError | InputProblem | undefined {
	if (error instanceof MarkNotShown)
		return new InputProblem(stoppedAt(item, error), error.description);
	const concernsAll = error instanceof CrmError && error.concernsAll;
	return concernsAll ? error.withMessage(stoppedAt(item, error)) : undefined;
}

function stoppedAt(item: number, { message }: Error): string {
	return `Not sent, because the campaign ended at item ${item + 1} (${message})`;
}

function tooManyFailures(count: number): InputProblem {
	return new InputProblem(
		`Not sent, because ${several(count, 'contact')} in a row failed`,
		"The campaign ended there ('Stop After Failures' under 'Options'). See why the first of them failed, then run it again with the same campaign key.",
	);
}

function interrupted(ids: string[]): string {
	return `Send Campaign was interrupted while it sent to ${several(ids.length, 'contact')}: ${ids.join(', ')}. They may be marked, and may have got the message. Runs with the same campaign key skip those that are marked.`;
}
