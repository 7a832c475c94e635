import type { Api } from '../crm/client';
import {
	readableParams,
	type BulkItem,
	type ItemMemory,
	type ItemOperation,
	type Outcome,
	type Run,
} from './define';
import { memoryOf, runAll } from './engine';
import { EndOfRun, unlessFinished } from './endOfRun';
import type { Field } from './fieldKinds';

/** An item that could be read: where it stands, the values of its fields, and the key of its contact. */
interface ReadItem<P> {
	item: number;
	position: number;
	api: Api;
	params: P;
	key?: unknown;
}

type Runnable<P> = Pick<ItemOperation<readonly Field[], P>, 'effect' | 'execute' | 'order'>;

/**
 * Runs an operation for each item.
 *
 * If the run continues, one failure does not stop the rest, unless it affects every request of the account.
 * Otherwise no further item is started, and those under way finish.
 *
 * @param apiOf the connection for an item, by its index. @throws why there is none
 * @returns the outcome of each item; undefined for items that were not started because one ended the run
 */
export async function runItems<P>(
	operation: Runnable<P>,
	apiOf: (item: number) => Api,
	items: ReadonlyArray<BulkItem<P>>,
	run: Run,
): Promise<Array<Outcome | undefined>> {
	const { effect, execute, order = 'oneByOne' } = operation;
	const memoryOfItem = memoryOf<Outcome>(run.context);
	const continues = run.context.continueOnFail();
	const stop = run.context.getExecutionCancelSignal();
	const { readable, outcomes } = readableItems(operation, apiOf, items);
	if (!continues && readable.length < items.length) return outcomes;
	const end = new EndOfRun(!continues);
	await runAll(run, readable, {
		order: typeof order === 'function' ? ({ key }) => key : order,
		accountOf: ({ api }) => api,
		isOver: ({ api }) => end.hasEnded || end.refusal(api) !== undefined || stop?.aborted === true,
		async act({ item, position, api, params }) {
			const memory = memoryOfItem(item);
			const client = effect === 'idempotent' ? rememberingApi(api, memory) : api;
			const act = async (): Promise<Outcome> =>
				await execute(client, params, { ...run, memory }).then(
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
			end.take(item, outcome, api);
		},
	});
	if (!continues) return outcomes;
	for (const { position, api } of readable) {
		outcomes[position] ??= { json: {}, error: end.refusal(api) };
	}
	return outcomes;
}

/** Nothing is undone in an operation that may be repeated, so what is done need not be sent again. */
function rememberingApi(api: Api, memory: ItemMemory): Api {
	return api.remembering((memory.requests ??= new Map()));
}

/** The readable items, and the errors of the others as outcomes. */
function readableItems<P>(
	{ order }: Runnable<P>,
	apiOf: (item: number) => Api,
	items: ReadonlyArray<BulkItem<P>>,
) {
	const outcomes: Array<Outcome | undefined> = items.map(() => undefined);
	const readable = [...items.entries()].flatMap(([position, each]): Array<ReadItem<P>> => {
		try {
			const { item } = each;
			const api = apiOf(item);
			const params = readableParams(each);
			const key = typeof order === 'function' ? order(params) : undefined;
			return [{ item, position, api, params, key }];
		} catch (error) {
			outcomes[position] = { json: {}, error };
			return [];
		}
	});
	return { readable, outcomes };
}
