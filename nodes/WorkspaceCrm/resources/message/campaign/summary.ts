import { timeFor } from '../../../crm/rateLimiter';
import { several } from '../../../domain/text';
import type { Result, SkipCode } from '../../../operations/result';
import type { MessageOutcome } from '../once/outcome';

/** The words of the summary for each result, or for the code of the skipped ones, in this order. */
const COUNTED: Readonly<Record<Exclude<Result, 'enrolled'> | SkipCode, string>> = {
	sent: 'sent',
	wouldSend: 'would get the message',
	optedOut: 'skipped (opted out)',
	notConfirmed: 'skipped (not confirmed)',
	alreadyMarked: 'skipped (already has a mark of this key)',
	duplicate: 'skipped (twice in the input)',
	noContact: 'skipped (no such contact)',
	conflict: 'skipped (refused by the service)',
	skipped: 'skipped',
	limitReached: "not sent (the limit in 'Stop After Messages')",
	failed: 'failed',
	unclear: 'unclear: the message may have been sent, so look at the chat',
	campaignEnded: 'not sent',
	// The other run may have left it to this one.
	leftToOtherRun: 'not sent',
};

type Counted = keyof typeof COUNTED;

/** Summarizes a campaign in a few sentences. */
export function summarizeCampaign(
	outcomes: readonly MessageOutcome[],
	requestCount: number,
	isDryRun: boolean,
): string {
	const count = (is: (outcome: MessageOutcome) => boolean) => outcomes.filter(is).length;
	const counts = [...new Set(Object.values(COUNTED))]
		.map((words) => ({ words, number: count((each) => COUNTED[nameOf(each)] === words) }))
		.filter(({ number }) => number > 0)
		.map(({ words, number }) => `${number} ${words}`);
	const total = `${several(outcomes.length, 'item')}: ${counts.join(', ')}.`;
	if (isDryRun) {
		// Two requests each: the mark and the message.
		const needed = requestCount + 2 * count(({ result }) => result === 'wouldSend');
		return `Dry run, nothing was sent or marked. ${total} A run takes ${several(needed, 'request')}: ${timeFor(needed)}.`;
	}
	const marked = outcomes.flatMap(({ isMarked, contact }) => (isMarked ? [contact?.id] : []));
	const isForAll = outcomes.every(({ result }) => result === 'failed');
	return [
		total,
		...(requestCount > 0 ? [`${several(requestCount, 'request')}.`] : []),
		...(marked.length > 0 ? [`Marked without a message: ${marked.join(', ')}. ${REMOVE}`] : []),
		...(outcomes.some(isOpen) && !isForAll ? [RUN_AGAIN] : []),
	].join(' ');
}

const nameOf = ({ result, code }: MessageOutcome) => code ?? (result as Counted);

/** What another run with the same key may send. */
const OPEN: readonly Counted[] = ['failed', 'limitReached', 'campaignEnded', 'leftToOtherRun'];

const isOpen = (outcome: MessageOutcome) => OPEN.includes(nameOf(outcome));

const REMOVE =
	"To send it to them, empty their attributes that begin with 'sent:' and the campaign key.";
const RUN_AGAIN =
	'To send it to the contacts that are not marked, run it again with the same campaign key. Nobody gets the message twice.';
