import { CrmError } from '../crm/crmError';
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
	memory.mayHaveHappened ||= mayHaveHappened(result.error);
	if (isFinished(result)) memory.result = result;
	return result;
}

function mayHaveHappened(error: unknown): boolean {
	return error instanceof CrmError && error.failure.mayHaveHappened === true;
}

/**
 * Which items of a run are not started any more. Which failure ends it, `crm/failure` says; a campaign has further
 * reasons (`campaignEnd`).
 */
export class EndOfRun {
	/** By account: why its other items are not tried. */
	private readonly refusals = new Map<unknown, CrmError>();
	/** Whether no item is started any more, whatever its account. */
	hasEnded = false;

	/** @param stopsAtFirst whether the first item that fails ends the run, for all accounts */
	constructor(private readonly stopsAtFirst: boolean) {}

	/**
	 * Takes what became of an item.
	 *
	 * @param item its index
	 */
	take(item: number, { error }: { error?: unknown }, account?: unknown): void {
		this.hasEnded ||= error !== undefined && this.stopsAtFirst;
		if (!(error instanceof CrmError) || !error.failure.endsRun || this.refusals.has(account))
			return;
		const why = error.withMessage(`Not tried, because item ${item + 1} was refused`);
		this.refusals.set(account, why);
	}

	/** Why no item of an account is tried: one of them had an error that affects each of its requests. */
	refusal(account?: unknown): CrmError | undefined {
		return this.refusals.get(account);
	}
}
