import { timeFor } from '../../../crm/rateLimiter';
import { several } from '../../../domain/text';
import type { SendOutcome } from '../once/outcome';

/** The result for one item of a campaign. */
export interface RecipientOutcome extends SendOutcome {
	item: number;
}

/** The words of the summary for each status or code, in this order. */
const COUNTED: Readonly<Record<string, string>> = {
	sent: 'sent',
	wouldSend: 'would get the message',
	optedOut: 'skipped (opted out)',
	notConfirmed: 'skipped (not confirmed)',
	alreadyMarked: 'skipped (marked: another run sent it, or may have)',
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
	const names = outcomes.map(({ result: { status, code } }) =>
		// Left to another run, which may have left it to this one.
		status === 'notSent' && code === 'alreadyMarked' ? status : (code ?? status),
	);
	const count = (name: string) => names.filter((each) => each === name).length;
	const counts = Object.entries(COUNTED)
		.filter(([name]) => count(name) > 0)
		.map(([name, words]) => `${count(name)} ${words}`);
	const total = `${several(outcomes.length, 'item')}: ${counts.join(', ')}.`;
	if (isDryRun) {
		// Two requests each: the mark and the message.
		const needed = requestCount + 2 * count('wouldSend');
		return `Dry run, nothing was sent or marked. ${total} A run takes ${several(needed, 'request')}: ${timeFor(needed)}.`;
	}
	const marked = outcomes.filter(({ result }) => result.isMarked).map(({ contact }) => contact.id);
	const isOpen = outcomes.some(({ result: { status } }) => ['failed', 'notSent'].includes(status));
	const isForAll = outcomes.every(({ result: { status } }) => status === 'failed');
	return [
		total,
		...(requestCount > 0 ? [`${several(requestCount, 'request')}.`] : []),
		...(marked.length > 0 ? [`Marked without a message: ${marked.join(', ')}. ${REMOVE}`] : []),
		...(isOpen && !isForAll ? [RUN_AGAIN] : []),
	].join(' ');
}

const REMOVE =
	"To send it to them, empty their attributes that begin with 'sent:' and the campaign key.";
const RUN_AGAIN =
	'To send it to the contacts that are not marked, run it again with the same campaign key. Nobody gets the message twice.';
