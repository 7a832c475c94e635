import { InputProblem } from '../../../domain/inputProblem';
import { mayBeSent, skipped, type MessageOutcome } from '../once/outcome';

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

	/** Begins with a contact. Returns why it gets no message; else, `count` its outcome. */
	begin(): MessageOutcome | undefined {
		if (this.why) return { result: 'skipped', code: 'campaignEnded', error: this.why };
		if (this.left <= 0) return skipped('limitReached', LIMIT_REACHED);
		this.left -= 1;
		return undefined;
	}

	count(item: number, outcome: MessageOutcome): MessageOutcome {
		const { result, error, endsCampaign } = outcome;
		if (!mayBeSent(outcome)) this.left += 1;
		if (result === 'sent') this.failuresInRow = 0;
		if (!error) return outcome;
		this.failuresInRow += 1;
		if (!endsCampaign && this.failuresInRow < this.stopAfterFailures) return outcome;
		const count = endsCampaign ? '' : `${this.failuresInRow} failures in a row, the last: `;
		const cause = endsCampaign ?? error;
		this.why ??= new InputProblem(
			`Not sent, because the campaign ended at item ${item + 1} (${count}${cause.message})`,
			`${cause.description} Then run it again with the same campaign key.`,
		);
		return outcome;
	}
}

const LIMIT_REACHED =
	"This run sends no more messages than 'Stop After Messages' allows. Run it again with the same campaign key to go on.";
