import { faultRows, type FaultRow } from './faultRows';
import { operationRows, type OperationRow } from './operationRows';

export interface Pair {
	row: OperationRow;
	fault: FaultRow;
}

/** In the short form, each fault strikes so many ways of using an operation. */
const ROWS_FOR_EACH_FAULT = 3;

/** Every fault with every way of using an operation. */
export function allPairs(): Pair[] {
	return faultRows.flatMap((fault) => rowsFor(fault).map((row) => pairOf(row, fault)));
}

/**
 * Few pairs, chosen the same way each time: for each fault the rows that have had the fewest until
 * then, one of them of those that must not be repeated.
 */
export function fewPairs(): Pair[] {
	const uses = new Map<OperationRow, number>();
	const usesOf = (row: OperationRow) => uses.get(row) ?? 0;
	const leastUsed = (rows: OperationRow[]) => [...rows].sort((a, b) => usesOf(a) - usesOf(b));
	return faultRows.flatMap((fault) => {
		const fitting = rowsFor(fault);
		const [unrepeatable] = leastUsed(fitting.filter(({ isRepeatable }) => !isRepeatable));
		const others = leastUsed(fitting.filter((row) => row !== unrepeatable));
		const rows = [...(unrepeatable ? [unrepeatable] : []), ...others];
		const chosen = rows.slice(0, fault.isSlow || fault.isHeavy ? 2 : ROWS_FOR_EACH_FAULT);
		for (const row of chosen) uses.set(row, usesOf(row) + 1);
		return chosen.map((row) => pairOf(row, fault));
	});
}

function rowsFor(fault: FaultRow): OperationRow[] {
	return operationRows.filter((row) => fault.appliesTo?.(row) ?? true);
}

/** A report says what went wrong, and fails only where there is nothing to report. */
function pairOf(row: OperationRow, fault: FaultRow): Pair {
	if (!row.isReport) return { row, fault };
	const ends: FaultRow['ends'] = (each) => (fault.ends(each) === 'all well' ? 'all well' : 'open');
	return { row, fault: { ...fault, ends } };
}
