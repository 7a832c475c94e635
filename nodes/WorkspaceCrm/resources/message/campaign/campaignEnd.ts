import { InputProblem } from '../../../domain/problem';
import type { SendResult } from '../once/outcome';

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
	"This run sends no more messages than 'Stop After Messages' allows. Run it again with the same campaign key to go on.";
