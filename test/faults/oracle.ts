import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { expectedFailures, itemsOf, type FaultRow } from './faultRows';
import type { Claim } from '../operationCases';
import { detailsOf } from '../../tools/engine/runNode';
import type { OperationRow } from './operationRows';
import type { Pair } from './pairing';
import { secretsOf, type World } from './world';

/** What n8n reports about a run. */
export interface RunResult {
	status: string;
	/** The items of the regular and of the error output. */
	outputs: [well: INodeExecutionData[], failed: INodeExecutionData[]];
	/** What stopped the run, if anything. */
	error?: string;
	/** Everything that n8n stores of it, as text. */
	stored: string;
}

/** Something that a person can do next. */
const advice =
	/\b(Check|Look at|Try|Wait|Open|Run|Correct|Use|Turn|Create|check in the CRM|What the platform names)\b/;

interface ItemEnd {
	well: INodeExecutionData[];
	failed: INodeExecutionData[];
}

/** All problems, judged only by the state of the service and n8n's outputs; none if the run ended well. */
export function judge({ row, fault }: Pair, world: World, run: RunResult): string[] {
	const problems: string[] = [];
	const ends = endsOf(run, itemsOf(fault, row));
	/** Items that are on no output. */
	const lost = new Set<number>();
	/** Items that were done twice, or that came out twice. */
	const twice = new Set<number>();

	if (!isWell(run, row)) problems.push(`the run ended with '${run.status}': ${run.error}`);
	ends.forEach((end, index) => {
		const { well, failed } = end;
		if (well.length + failed.length === 0) lost.add(index);
		if (failed.length > 1 || (failed.length > 0 && well.length > 0)) twice.add(index);
		problems.push(...outputProblems(row, world, index, end));
		problems.push(...failed.flatMap((item) => textProblems(fault, item, index)));

		const effects = row.effects?.(world, index);
		if (effects === undefined) return;
		if (effects > 1 || attempts(row, world, index) > 1) twice.add(index);
		const claim = claimOf(row, fault, end);
		if (claim === 'done' && effects === 0) problems.push(`item ${index} is said to be done`);
		if (claim === 'nothing done' && effects > 0)
			problems.push(`item ${index} was done, and its output does not say so`);
	});

	const failures = ends.filter(({ failed }) => failed.length > 0).length;
	const expected = expectedFailures(fault, row);
	if (expected !== undefined && failures !== expected) {
		const texts = ends.flatMap(({ failed }) => failed.map(textOf));
		problems.push(`${failures} items failed instead of ${expected}: ${texts.join(' | ')}`);
	}
	if (lost.size > 0) problems.push(`lost: items ${[...lost].join(', ')}`);
	if (twice.size > 0) problems.push(`twice: items ${[...twice].join(', ')}`);
	problems.push(...strangerProblems(world));
	if (secretsOf(world).some((secret) => run.stored.includes(secret)))
		problems.push('n8n has stored a secret');
	return problems;
}

/** What a failed item says if it may be done anyway. */
export const MAY_BE_DONE = /may have taken effect|was saved, but|could not be removed from/;

/** Whether the outputs say that an item is done. */
function claimOf(
	{ claim = () => 'done', struck }: OperationRow,
	{ doneBefore }: FaultRow,
	{ well, failed }: ItemEnd,
): Claim {
	const [failure] = failed;
	if (failure) {
		const wasDone = struck.method === 'DELETE' && doneBefore?.test(textOf(failure));
		const isOpen = wasDone || MAY_BE_DONE.test(textOf(failure));
		return isOpen ? 'unknown' : 'nothing done';
	}
	return well.map(({ json }) => claim(json))[0] ?? 'unknown';
}

/** Whether the run has ended, or waits as it should. */
function isWell({ status, outputs: [, failed] }: RunResult, { waits }: OperationRow): boolean {
	return status === (waits && failed.length === 0 ? 'waiting' : 'success');
}

/** How many requests for an item may have had an effect, if it allows at most one. */
export function attempts({ once }: OperationRow, world: World, index: number): number {
	if (!once) return 0;
	return world.sandbox.requests.filter(
		({ method, path, body, status }) =>
			method === 'POST' &&
			once.path.test(path) &&
			(status < 300 || status >= 500) &&
			once.isAbout((body ?? {}) as IDataObject, world, index),
	).length;
}

/** The outputs of each item, by the origin that they name. */
function endsOf({ outputs: [well, failed] }: RunResult, items: number): ItemEnd[] {
	const isOf = (index: number) => (item: INodeExecutionData) => originsOf(item).includes(index);
	return Array.from({ length: items }, (_, index) => ({
		well: well.filter(isOf(index)),
		failed: failed.filter(isOf(index)),
	}));
}

/** An output for all items together names all of them as its origin. */
export function originsOf({ pairedItem = [] }: INodeExecutionData): number[] {
	return [pairedItem].flat().map((origin) => (typeof origin === 'number' ? origin : origin.item));
}

function outputProblems(row: OperationRow, world: World, index: number, { well }: ItemEnd) {
	if (well.length === 0 || !row.output) return [];
	const given = well.map(({ json }) => JSON.stringify(json)).sort();
	const wanted = row.output(world, index).map((record) => JSON.stringify(record));
	if (JSON.stringify(given) === JSON.stringify(wanted.sort())) return [];
	return [`item ${index} gave ${given.length} records, and not the ${wanted.length} there are`];
}

function textOf({ json }: INodeExecutionData): string {
	return `${String(json.error)}. ${detailsOf(json).description}`;
}

function textProblems({ says = advice }: FaultRow, item: INodeExecutionData, index: number) {
	const { error } = item.json;
	const { description } = detailsOf(item.json);
	const isWhole = typeof error === 'string' && typeof description === 'string';
	if (!isWhole) return [`item ${index} failed without a text: ${JSON.stringify(item.json)}`];
	const text = textOf(item);
	const missing = [advice, says].filter((pattern) => !pattern.test(text));
	return missing.map((pattern) => `item ${index} does not say ${String(pattern)}: ${text}`);
}

/** Contacts that were changed, although no item is about them. */
export function strangerProblems({ sandbox, bystanders }: World): string[] {
	const { contacts } = sandbox.store;
	const changed = [...bystanders].filter(([id, was]) => JSON.stringify(contacts.get(id)) !== was);
	return changed.length > 0 ? [`${changed.length} other contacts were changed`] : [];
}
