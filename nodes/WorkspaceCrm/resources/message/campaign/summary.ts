import { timeFor } from '../../../crm/rateLimiter';
import { plainText, several } from '../../../domain/text';
import { reasonOfError, type Result, type SkipCode } from '../../../operations/result';
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

/**
 * Summarizes a campaign in a few sentences.
 *
 * @param labels of the items, such as "item 2, Anna"
 */
export function summarizeCampaign(
	outcomes: readonly MessageOutcome[],
	labels: readonly string[],
	requestCount: number,
	isDryRun: boolean,
): string {
	const count = (is: (outcome: MessageOutcome) => boolean) => outcomes.filter(is).length;
	const counts = [...new Set(Object.values(COUNTED))]
		.map((words) => ({ words, number: count((each) => COUNTED[nameOf(each)] === words) }))
		.filter(({ number }) => number > 0)
		.map(({ words, number }) => `${number} ${words}`);
	const total = `${several(outcomes.length, 'item')}: ${counts.join(', ')}.`;
	const reasons = reasonsIn(outcomes, labels);
	if (isDryRun) {
		// Two requests each: the mark and the message.
		const needed = requestCount + 2 * count(({ result }) => result === 'wouldSend');
		return `Dry run, nothing was sent or marked. ${total} A run takes ${several(needed, 'request')}: ${timeFor(needed)}.${reasons}`;
	}
	const marked = outcomes.flatMap(({ isMarked, contact }) => (isMarked ? [contact?.id] : []));
	const isForAll = outcomes.every(({ result }) => result === 'failed');
	const sentences = [
		total,
		...(requestCount > 0 ? [`${several(requestCount, 'request')}.`] : []),
		...(marked.length > 0 ? [`Marked without a message: ${marked.join(', ')}. ${REMOVE}`] : []),
		...(outcomes.some(isOpen) && !isForAll ? [RUN_AGAIN] : []),
	];
	// The editor cuts a long summary off, so the reasons are last.
	return sentences.join(' ') + reasons;
}

const SHOWN_REASONS = 5;
const SHOWN_ITEMS = 10;
const MAX_REASON_CHARACTERS = 1_000;

/** Items with one kind of error, of which the first is shown. */
interface Reason {
	text: string;
	labels: string[];
}

/** Why items failed or are unclear, each reason in a line of its own with its items, those of most items first. */
function reasonsIn(outcomes: readonly MessageOutcome[], labels: readonly string[]): string {
	const reasons = new Map<string, Reason>();
	for (const [index, { result, error }] of outcomes.entries()) {
		if (!error || (result !== 'failed' && result !== 'unclear')) continue;
		// The value and the mark differ from contact to contact.
		const kind = error.message.replace(QUOTED, '…') + error.description.replace(MARK, '…');
		const reason = reasons.get(kind) ?? {
			text: plainText(reasonOfError(error), MAX_REASON_CHARACTERS),
			labels: [],
		};
		reason.labels.push(labels[index] ?? '');
		reasons.set(kind, reason);
	}
	const sorted = [...reasons.values()].sort((a, b) => b.labels.length - a.labels.length);
	const lines = sorted
		.slice(0, SHOWN_REASONS)
		.map((reason) => `${shortened(reason.labels)}: ${reason.text}`);
	const more = sorted.length - SHOWN_REASONS;
	if (more > 0) lines.push(`${several(more, 'other reason')}: see 'reason' in the output.`);
	return lines.map((line) => `<br>${line}`).join('');
}

function shortened(labels: readonly string[]): string {
	const more = labels.length - SHOWN_ITEMS;
	const shown = labels.slice(0, SHOWN_ITEMS).join('; ');
	const text = more > 0 ? `${shown} and ${more} more` : shown;
	return text.charAt(0).toUpperCase() + text.slice(1);
}

const QUOTED = /"(?:\\.|[^"\\]){0,80}"/g;
const MARK = /'sent:[^']*'/g;

const nameOf = ({ result, code }: MessageOutcome) => code ?? (result as Counted);

/** What another run with the same key may send. */
const OPEN: readonly Counted[] = ['failed', 'limitReached', 'campaignEnded', 'leftToOtherRun'];

const isOpen = (outcome: MessageOutcome) => OPEN.includes(nameOf(outcome));

const REMOVE =
	"To send it to them, empty their attributes that begin with 'sent:' and the campaign key.";
const RUN_AGAIN =
	'To send it to the contacts that are not marked, run it again with the same campaign key. Nobody gets the message twice.';
