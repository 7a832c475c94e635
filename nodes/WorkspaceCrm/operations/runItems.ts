import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import {
	readableParams,
	type BulkItem,
	type ItemOperation,
	type Outcome,
	type Run,
} from './define';
import { memoryOf, runAll, unlessFinished } from './engine';
import type { Field } from './fieldKinds';

/** An item that could be read: its index, the values of its fields, and the key of its contact. */
interface ReadItem<P> {
	item: number;
	params: P;
	key?: unknown;
}

type Runnable<P> = Pick<ItemOperation<readonly Field[], P>, 'effect' | 'execute' | 'order'>;

/**
 * Runs an operation for each item.
 *
 * If the run continues, one failure does not stop the rest, unless it affects every request. Otherwise
 * no further item is started, and those under way finish.
 *
 * @returns the outcome of each item; undefined for items that were not started because one ended the run
 */
export async function runItems<P>(
	operation: Runnable<P>,
	api: Api,
	items: ReadonlyArray<BulkItem<P>>,
	run: Run,
): Promise<Array<Outcome | undefined>> {
	const { effect, execute, order = 'oneByOne' } = operation;
	const memoryOfItem = memoryOf<Outcome>(run.context);
	const continues = run.context.continueOnFail();
	const stop = run.context.getExecutionCancelSignal();
	const { readable, outcomes } = readableItems(operation, items);
	let refusal: CrmError | undefined;
	let isOver = !continues && readable.length < items.length;
	await runAll(run, readable, {
		order: typeof order === 'function' ? ({ key }) => key : order,
		isOver: () => isOver || stop?.aborted === true,
		async act({ item, params }) {
			const memory = memoryOfItem(item);
			const act = async (): Promise<Outcome> =>
				await execute(api, params, { ...run, memory }).then(
					(json) => ({ json }),
					(error: unknown) => ({ json: {}, error }),
				);
			// Reads always run again; what must not be done twice does not, if it may be done.
			const outcome = await unlessFinished(memory, act, ({ error }) =>
				error === undefined
					? effect !== 'read'
					: effect === 'once' && memory.mayHaveHappened === true,
			);
			outcomes[item] = outcome;
			const { error } = outcome;
			if (error instanceof CrmError && error.failure.endsRun) {
				refusal ??= error.withMessage(`Not tried, because item ${item + 1} was refused`);
			}
			isOver ||= error !== undefined && (!continues || refusal !== undefined);
		},
	});
	const notTried = continues ? { json: {}, error: refusal } : undefined;
	return outcomes.map((outcome) => outcome ?? notTried);
}

/** The readable items, and the errors of the others as outcomes. */
function readableItems<P>({ order }: Runnable<P>, items: ReadonlyArray<BulkItem<P>>) {
	const outcomes: Array<Outcome | undefined> = items.map(() => undefined);
	const readable = [...items.entries()].flatMap(([item, each]): Array<ReadItem<P>> => {
		try {
			const params = readableParams(each);
			return [{ item, params, key: typeof order === 'function' ? order(params) : undefined }];
		} catch (error) {
			outcomes[item] = { json: {}, error };
			return [];
		}
	});
	return { readable, outcomes };
}
