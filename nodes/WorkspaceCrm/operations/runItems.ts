import type { Api } from '../crm/client';
import type { BulkItem, ItemMemory, ItemOperation, Outcome, Run } from './define';
import { memoryOf, runAll } from './engine';
import { EndOfRun, unlessFinished } from './endOfRun';
import type { Field } from './fieldKinds';

/** An item whose fields could be read, or why they could not. */
interface ReadItem<P> extends BulkItem<P> {
	/** Of its contact, if the items of one run in order. */
	key?: unknown;
}

/** With the key of its contact, which can be wrong, too: such an item must hold back others before any request. */
export function withKey<P>({ order }: Pick<Runnable<P>, 'order'>, item: BulkItem<P>): ReadItem<P> {
	if (typeof order !== 'function' || item.problem !== undefined) return item;
	try {
		return { ...item, key: order(item.params as P) };
	} catch (problem) {
		return { ...item, problem: problem as object };
	}
}

type Runnable<P> = Pick<ItemOperation<readonly Field[], P>, 'effect' | 'execute' | 'order'>;

/**
 * Runs an operation for each item of an account.
 *
 * If the run continues, one failure does not stop the rest, unless it affects every request. Otherwise no further
 * item is started, and those under way finish.
 *
 * @returns the outcome of each item; undefined for items that were not started because one ended the run
 */
export async function runItems<P>(
	{ effect, execute, order = 'oneByOne' }: Runnable<P>,
	api: Api,
	items: ReadonlyArray<ReadItem<P>>,
	run: Run,
): Promise<Array<Outcome | undefined>> {
	const memoryOfItem = memoryOf<Outcome>(run.context);
	const continues = run.context.continueOnFail();
	const stop = run.context.getExecutionCancelSignal();
	const end = new EndOfRun(!continues);
	const outcomes = items.map(({ problem }) => failedBy(problem));
	const readable = [...items.entries()].filter(([, { problem }]) => problem === undefined);
	await runAll(run, readable, {
		order: typeof order === 'function' ? ([, { key }]) => key : order,
		isOver: () => end.hasEnded || end.refusal !== undefined || stop?.aborted === true,
		async act([position, { item, params }]) {
			const memory = memoryOfItem(item);
			const client = effect === 'idempotent' ? rememberingApi(api, memory) : api;
			const act = async (): Promise<Outcome> =>
				await execute(client, params as P, { ...run, memory }).then(
					(json) => ({ json }),
					(error: unknown) => ({ json: {}, error }),
				);
			// Reads always run again; what must not be done twice does not, if it may be done.
			const outcome = await unlessFinished(memory, act, ({ error }) =>
				error === undefined
					? effect !== 'read'
					: effect === 'once' && memory.mayHaveHappened === true,
			);
			outcomes[position] = outcome;
			end.take(item, outcome);
		},
	});
	return continues ? outcomes.map((outcome) => outcome ?? failedBy(end.refusal)) : outcomes;
}

function failedBy(error: unknown): Outcome | undefined {
	return error === undefined ? undefined : { json: {}, error };
}

/** Nothing is undone in an operation that may be repeated, so what is done need not be sent again. */
function rememberingApi(api: Api, memory: ItemMemory): Api {
	return api.remembering((memory.requests ??= new Map()));
}
