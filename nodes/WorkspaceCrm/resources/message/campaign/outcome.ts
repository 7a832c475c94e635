import { REFERENCE_RULE } from '../../../crm/rateLimiter';
import { InputProblem } from '../../../domain/problem';
import { several } from '../../../domain/text';
import type { SendOutcome, SendResult } from '../once/sendResult';

/** The result for one item of a campaign. */
export interface RecipientOutcome extends SendOutcome {
	item: number;
}

/**
 * Ends the campaign after a failure that affects every request, after too many in a row, or after as many messages as
 * the user allows. The remaining contacts stay unmarked.
 */
export class CampaignEnd {
	private why?: InputProblem;
	private failuresInRow = 0;

	/** @param left how many messages may still be sent */
	constructor(
		private readonly stopAfterFailures: number,
		private left: number,
	) {}

	/** Begins with a contact. Returns why it gets no message; `count` its result otherwise. */
	begin(): SendResult | undefined {
		if (this.why) return { status: 'notSent', error: this.why };
		if (this.left <= 0) return { status: 'notSent', code: 'limitReached', reason: LIMIT_REACHED };
		this.left -= 1;
		return undefined;
	}

	count(item: number, result: SendResult): SendResult {
		const { status, error, endsCampaign } = result;
		if (!mayBeSent(result)) this.left += 1;
		if (status === 'sent') this.failuresInRow = 0;
		if (!error) return result;
		this.failuresInRow += 1;
		if (!endsCampaign && this.failuresInRow < this.stopAfterFailures) return result;
		const count = endsCampaign ? '' : `${this.failuresInRow} failures in a row, the last: `;
		const cause = endsCampaign ?? error;
		this.why ??= new InputProblem(
			`Not sent, because the campaign ended at item ${item + 1} (${count}${cause.message})`,
			`${cause.description} Then run it again with the same campaign key.`,
		);
		return result;
	}
}

/** Whether the contact has the message, or may have it. */
export function mayBeSent({ status, isMarked }: SendResult): boolean {
	return status === 'sent' || status === 'unclear' || isMarked === true;
}

const LIMIT_REACHED =
	"This run has sent as many messages as 'Stop After Messages' allows. Run it again with the same campaign key to go on.";

/** The words of the summary for each status or code, in this order. */
const COUNTED: Readonly<Record<string, string>> = {
	sent: 'sent',
	wouldSend: 'would get the message',
	optedOut: 'skipped (opted out)',
	notConfirmed: 'skipped (not confirmed)',
	alreadyMarked: 'skipped (already sent or interrupted)',
	duplicate: 'skipped (twice in the input)',
	noContact: 'skipped (no such contact)',
	limitReached: "not sent (the limit in 'Stop After Messages')",
	failed: 'failed',
	unclear: 'unclear: the message may have been sent, so look at the chat',
	notSent: 'not sent',
};

/** Summarizes a campaign in a few sentences. */
export function summarizeCampaign(
	outcomes: readonly RecipientOutcome[],
	requestCount: number,
	isDryRun: boolean,
): string {
	const names = outcomes.map(({ result: { status, code } }) => code ?? status);
	const count = (name: string) => names.filter((each) => each === name).length;
	const counts = Object.entries(COUNTED)
		.filter(([name]) => count(name) > 0)
		.map(([name, words]) => `${count(name)} ${words}`);
	const total = `${several(outcomes.length, 'item')}: ${counts.join(', ')}.`;
	if (isDryRun) {
		// Two requests each: the mark and the message.
		const needed = requestCount + 2 * count('wouldSend');
		const minutes = several(Math.ceil(needed / REFERENCE_RULE.limit), 'minute');
		return `Dry run, nothing was sent or marked. ${total} A run takes ${several(needed, 'request')}: about ${minutes}, at ${REFERENCE_RULE.limit} requests a minute.`;
	}
	const marked = outcomes.filter(({ result }) => result.isMarked).map(({ contact }) => contact.id);
	const isOpen = outcomes.some(({ result: { status } }) => ['failed', 'notSent'].includes(status));
	return [
		total,
		`${several(requestCount, 'request')}.`,
		...(marked.length > 0 ? [`Marked without a message: ${marked.join(', ')}. ${REMOVE}`] : []),
		...(isOpen ? [RUN_AGAIN] : []),
	].join(' ');
}

const REMOVE =
	"To send it to them, empty their attributes that begin with 'sent:' and the campaign key.";
const RUN_AGAIN =
	'To send it to the contacts that are not marked, run it again with the same campaign key. Nobody gets the message twice.';
