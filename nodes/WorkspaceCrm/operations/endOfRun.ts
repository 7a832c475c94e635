import { CrmError, mayBeDone } from '../crm/crmError';
import type { ItemMemory } from './define';

/**
 * Does something for an item, unless an earlier try has finished it: then its result is the earlier one.
 *
 * @param isFinished whether another try must not, or need not, do it again
 */
export async function unlessFinished<R extends { error?: unknown }>(
	memory: ItemMemory<R>,
	act: () => Promise<R>,
	isFinished: (result: R) => boolean,
): Promise<R> {
	if (memory.result) return memory.result;
	const result = await act();
	memory.mayHaveHappened ||= mayBeDone(result.error);
	if (isFinished(result)) memory.result = result;
	return result;
}

/**
 * Which items of an account are not started any more. Which failure ends it, `crm/failure` says; a campaign has
 * further reasons (`campaignEnd`).
 */
export class EndOfRun {
	/** Why no other item is tried: one had an error that affects each request. */
	refusal: CrmError | undefined;
	/** Whether no item is started any more. */
	hasEnded = false;

	/** @param stopsAtFirst whether the first item that fails ends it */
	constructor(private readonly stopsAtFirst: boolean) {}

	/**
	 * Takes what became of an item.
	 *
	 * @param item its index
	 */
	take(item: number, { error }: { error?: unknown }): void {
		this.hasEnded ||= error !== undefined && this.stopsAtFirst;
		if (!(error instanceof CrmError) || !error.failure.endsRun) return;
		this.refusal ??= error.withMessage(`Not tried, because item ${item + 1} was refused`);
	}
}
