import type { IDataObject } from 'n8n-workflow';

import { faultRows, itemsOf, type FaultRow } from './faultRows';
import { operationRows, rowName, type OperationRow } from './operationRows';
import type { World } from './world';

export interface Pair {
	row: OperationRow;
	fault: FaultRow;
}

export const nameOf = ({ row, fault }: Pair) => `${rowName(row)} / ${fault.name}`;

/** The input of a run. */
export function itemsIn({ row, fault }: Pair, world: World): IDataObject[] {
	return Array.from({ length: itemsOf(fault, row) }, (_, index) => row.item(world, index));
}

/** @throws when there is no such pair */
export function pairNamed(name: string): Pair {
	const pair = allPairs().find((each) => nameOf(each) === name);
	if (!pair) throw new Error(`There is no pair '${name}'`);
	return pair;
}

/** Every fault with every way of using an operation. */
export function allPairs(): Pair[] {
	return faultRows.flatMap((fault) => rowsFor(fault).map((row) => pairOf(row, fault)));
}

function rowsFor(fault: FaultRow): OperationRow[] {
	return operationRows.filter((row) => fault.appliesTo?.(row) ?? true);
}

/** A report includes what went wrong, so it fails only if there is nothing to report. */
function pairOf(row: OperationRow, fault: FaultRow): Pair {
	if (!row.isReport) return { row, fault };
	const ends: FaultRow['ends'] = (each) => (fault.ends(each) === 'all well' ? 'all well' : 'open');
	return { row, fault: { ...fault, ends } };
}
