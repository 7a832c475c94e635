import { REFERENCE_RULE } from '../../../crm/rateLimiter';
import { InputProblem } from '../../../domain/problem';
import { several } from '../../../domain/text';
import type { SendOutcome, SendResult } from '../once/sendResult';

/** The result for one item of a campaign. */
export interface RecipientOutcome extends SendOutcome {
	item: number;
}

/**
 * Ends the campaign after a failure that affects every request, or too many in a row. The remaining
 * contacts stay unmarked.
 */
export class CampaignEnd {
	why?: InputProblem;
	private failuresInRow = 0;

	constructor(private readonly stopAfterFailures: number) {}

	count(item: number, result: SendResult): SendResult {
		const { status, error, endsCampaign } = result;
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

/** The words of the summary for each status or code, in this order. */
const COUNTED: Readonly<Record<string, string>> = {
	sent: 'sent',
	wouldSend: 'would get the message',
	optedOut: 'skipped (opted out)',
	notConfirmed: 'skipped (not confirmed)',
	alreadyMarked: 'skipped (already sent or interrupted)',
	duplicate: 'skipped (twice in the input)',
	noContact: 'skipped (no such contact)',
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
