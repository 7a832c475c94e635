import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { InputProblem } from '../../../domain/problem';
import { several } from '../../../domain/text';
import type { Run } from '../../../operations/define';
import type { FoundContact } from '../../contactReference';
import type { PrepareFor } from '../templateMessage';
import type { CampaignOutcome } from './campaignOutput';
import { sendOnce, type SendResult } from './sendOnce';

/** A contact that is to get a message. */
export interface Sending {
	item: number;
	/** Of the campaign. */
	key: string;
	contact: FoundContact;
	prepareFor: PrepareFor;
	/** Gets the result. */
	outcome: CampaignOutcome;
}

/**
 * Sends the messages, several at a time, in the order of the input. A failure that concerns all ends the
 * campaign: then the other contacts stay unmarked.
 */
export async function sendToAll(
	api: Api,
	sendings: readonly Sending[],
	{ stopAfterFailures }: { stopAfterFailures: number },
	run: Run,
): Promise<void> {
	let ended: CrmError | InputProblem | undefined;
	let failuresInRow = 0;
	let outagesInRow = 0;
	const act = async ({ item, key, contact, prepareFor, outcome }: Sending): Promise<void> => {
		if (ended) {
			outcome.result = { status: 'notSent', error: ended };
			return;
		}
		const sending = async () => await sendOnce(api, key, await prepareFor(contact), run);
		const result = await sending().catch(asFailed);
		outcome.result = result;
		if (result.status === 'sent') failuresInRow = outagesInRow = 0;
		if (!('error' in result)) return;
		failuresInRow += 1;
		if ('stillMarked' in result) outagesInRow += 1;
		// One may be due to the contact; two in a row were waited out in vain.
		if (outagesInRow >= 2 || endsCampaign(result)) ended ??= endedAt(item, result.error);
		else if (failuresInRow >= stopAfterFailures) ended ??= tooManyFailures(failuresInRow);
	};
	// The first goes alone: what it finds wrong, the others need not find out.
	await forEachAtOnce(sendings.slice(0, 1), 1, act);
	await forEachAtOnce(sendings.slice(1), ITEMS_AT_ONCE, act);
}

/** Other errors, such as that of an execution that was stopped, are not the contact's. */
function asFailed(error: unknown): SendResult {
	if (error instanceof CrmError || error instanceof InputProblem)
		return { status: 'failed', error };
	throw error;
}

function endsCampaign(result: Extract<SendResult, { error: unknown }>): boolean {
	const { error } = result;
	const concernsAll = error instanceof CrmError && error.concernsAll;
	return concernsAll || (result.status === 'failed' && result.endsCampaign === true);
}

function endedAt(item: number, error: CrmError | InputProblem): CrmError | InputProblem {
	const message = `Not sent, because the campaign ended at item ${item + 1} (${error.message})`;
	if (error instanceof CrmError) return error.withMessage(message);
	return new InputProblem(message, error.remedy);
}

function tooManyFailures(count: number): InputProblem {
	return new InputProblem(
		`Not sent, because ${several(count, 'contact')} in a row failed`,
		"The campaign ended there ('Stop After Failures' under 'Options'). See why the first of them failed, then run it again with the same campaign key.",
	);
}
