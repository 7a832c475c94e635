import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { InputProblem } from '../../../domain/problem';
import { several } from '../../../domain/text';
import type { Run } from '../../../operations/define';
import type { FoundContact } from '../../contactReference';
import type { PrepareFor } from '../templateMessage';
import type { CampaignOutcome } from './campaignOutput';
import { sendOnce } from './sendOnce';

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
		const result = await sendOnce(api, key, contact, prepareFor, run);
		outcome.result = result;
		if (result.status === 'sent') failuresInRow = outagesInRow = 0;
		if (!('error' in result)) return;
		failuresInRow += 1;
		if ('stillMarked' in result) outagesInRow += 1;
		const { error } = result;
		const isOfAll = error instanceof CrmError && (error.concernsAll || 'endsCampaign' in result);
		// One may be due to the contact; two in a row were waited out in vain.
		if (isOfAll || outagesInRow >= 2) ended ??= endedAt(item, error);
		else if (failuresInRow >= stopAfterFailures) ended ??= tooManyFailures(failuresInRow);
	};
	// The first goes alone: what it finds wrong, the others need not find out.
	await forEachAtOnce(sendings.slice(0, 1), 1, act);
	await forEachAtOnce(sendings.slice(1), ITEMS_AT_ONCE, act);
}

function endedAt(item: number, error: unknown): CrmError | InputProblem {
	const cause = error instanceof Error ? error.message : String(error);
	const message = `Not sent, because the campaign ended at item ${item + 1} (${cause})`;
	return error instanceof CrmError ? error.withMessage(message) : new InputProblem(message, '');
}

function tooManyFailures(count: number): InputProblem {
	return new InputProblem(
		`Not sent, because ${several(count, 'contact')} in a row failed`,
		"The campaign ended there ('Stop After Failures' under 'Options'). See why the first of them failed, then run it again with the same campaign key.",
	);
}
