import { CrmError } from '../crm/crmError';
import type { ItemMemory } from './define';

/**
 * Does something for an item, unless an earlier try has finished it: then its result is the earlier one.
 *
 * @param isFinished whether another try may or need not do it again
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
 * Why the items after one that was refused are not tried, if its error affects every request of its account.
 *
 * @param item its index
 */
export function refusalAt(item: number, { error }: { error?: unknown }): CrmError | undefined {
	if (!(error instanceof CrmError) || !error.failure.endsRun) return undefined;
	return error.withMessage(`Not tried, because item ${item + 1} was refused`);
}
