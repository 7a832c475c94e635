import type { INode } from 'n8n-workflow';

import { createRuntime } from '../../nodes/WorkspaceCrm/crm/connection';
import { runNode, type NodeResult } from '../../tools/engine/runNode';
import type { FaultKind } from '../../tools/sandbox';
import { process } from '../../tools/support/platform';
import { jumpingClock, textsIn, useSandbox } from '../workflow/support';
import type { Ending, FaultRow } from './faultRows';
import { operationRows, rowName, type OperationRow } from './operationRows';
import { judge, MAY_BE_DONE, type RunResult } from './oracle';
import { furnish, ITEMS, newKey, type World } from './world';

/**
 * Compares what the outputs say with what the service did, for every operation that changes something and for
 * each way to continue after a failure. Each pair of operation and fault runs in a third of the ways; with
 * `MODES=all`, in all of them.
 */
const sandbox = useSandbox({ limiter: { kind: 'off' }, apiKey: newKey() });

interface Fault {
	name: string;
	/** One for each request, in order. */
	kinds: FaultKind[];
	/** Whether the fault strikes all requests. */
	isLasting?: boolean;
	/** Whether the run has one item, so that all faults strike its requests. */
	isForFirst?: boolean;
	/** How a run ends without and with Retry On Fail. */
	ends: (row: OperationRow, retries: boolean) => Ending;
}

const allFail = (): Ending => 'all fail';
const lost: FaultKind = { drop: 'afterEffect' };

const faults: Fault[] = [
	{ name: 'nothing', kinds: [], ends: () => 'all well' },
	{
		name: '422, once',
		kinds: [{ status: 422 }],
		ends: ({ isForAll }, retries) => {
			if (retries) return 'all well';
			return isForAll ? 'all fail' : 'one fails';
		},
	},
	{ name: '422', kinds: [{ status: 422 }], isLasting: true, ends: allFail },
	{ name: '500', kinds: [{ status: 500 }], isLasting: true, ends: allFail },
	{ name: '402', kinds: [{ status: 402 }], isLasting: true, ends: allFail },
	{
		name: 'an answer is lost',
		kinds: [lost],
		ends: ({ isRepeatable }) => (isRepeatable ? 'all well' : 'one fails'),
	},
	{
		name: 'all answers of the first try are lost',
		kinds: [lost, lost, lost],
		isForFirst: true,
		ends: ({ isRepeatable }, retries) => (retries && isRepeatable ? 'all well' : 'all fail'),
	},
	{
		name: 'an answer is lost, then refused',
		kinds: [lost, { status: 422 }],
		isForFirst: true,
		ends: ({ isRepeatable }, retries) => (retries && isRepeatable ? 'all well' : 'all fail'),
	},
];

const modes = (['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const).flatMap(
	(onError) => [false, true].map((retries) => ({ onError, retries })),
);
const isInTurn = (pair: number, mode: number) =>
	process.env.MODES === 'all' || (pair - mode) % 3 === 0;

const writing = operationRows.filter(({ effects }) => effects);

describe.each(modes)('On Error: $onError, Retry On Fail: $retries', (mode) => {
	const { onError, retries } = mode;
	const settings: Partial<INode> = retries
		? { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }
		: {};
	const pairs = writing.flatMap((row) =>
		faults.map((fault) => [`${rowName(row)} / ${fault.name}`, row, fault] as const),
	);
	const inTurn = pairs.filter((_, index) => isInTurn(index, modes.indexOf(mode)));

	test.each(inTurn)('%s', async (_name, row, fault) => {
		const items = row.waits || (fault.isForFirst && !row.isForAll) ? 1 : ITEMS;
		const world = furnish(sandbox, row);
		const times = fault.isLasting ? Infinity : 1;
		for (const kind of fault.kinds) sandbox.fail({ match: row.struck, kind, times });
		const ends = (each: OperationRow) => {
			const ending = fault.ends(each, retries);
			return ending === 'one fails' && items === 1 ? 'all fail' : ending;
		};
		const faultRow: FaultRow = { name: fault.name, arm: () => {}, ends, items };
		const result = await runNode(sandbox, {
			parameters: row.parameters,
			items: Array.from({ length: items }, (_, index) => row.item(world, index)),
			runtime: createRuntime(jumpingClock()),
			onError,
			settings,
		});
		const [well, failed] = splitByError(result);
		const stops = onError === 'stopWorkflow' && result.error !== undefined;
		const problems = stops
			? stopProblems(row, world, items, result, ends(row))
			: judge({ row, fault: faultRow }, world, {
					status: result.run.status,
					outputs: [well, failed],
					error: result.error?.message,
					stored: textsIn(result).join('\n'),
				});
		expect(problems).toEqual([]);
	});
});

/** With On Error: Continue, failed items are on the regular output, too. */
function splitByError({ output, failedOutput }: NodeResult): RunResult['outputs'] {
	const isFailed = ({ json }: NodeResult['output'][number]) => json.error !== undefined;
	return [output.filter((item) => !isFailed(item)), [...output.filter(isFailed), ...failedOutput]];
}

/** Where the error of a stopped run contradicts what the service did. */
function stopProblems(
	{ effects }: OperationRow,
	world: World,
	items: number,
	{ error }: NodeResult,
	ending: Ending,
): string[] {
	const text = `${error?.message}. ${error?.description}`;
	const done = Array.from({ length: items }, (_, item) => effects?.(world, item) ?? 0);
	const count = done.filter((each) => each > 0).length;
	const told = Number(
		/(\d+) (?:of \d+ items were done|contacts? (?:is|are) saved|sent)/.exec(text)?.[1] ?? 0,
	);
	const isRight = MAY_BE_DONE.test(text) ? count >= told : count === told;
	const problems = isRight ? [] : [`${count} items were done, and the error says ${told}: ${text}`];
	if (ending === 'all well') problems.push(`the run failed: ${text}`);
	if (done.some((each) => each > 1)) problems.push(`twice: ${done.join()}`);
	return problems;
}
