import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { contactItem, operationCases, type FaultCase, type OperationCase } from '../operationCases';
import type { World } from './world';

/** One way to use an operation, and how the service's records show what it did. */
export interface OperationRow
	extends Pick<OperationCase, 'claim' | 'effects' | 'output' | 'isLong' | 'isReport'>,
		Pick<FaultCase, 'isForAll'> {
	/** Resource and operation, as workflows save them. */
	operation: string;
	/** What is special about this row, if the operation has several. */
	variant?: string;
	parameters: INodeParameters;
	/** The input item for each target. */
	item: (world: World, index: number) => IDataObject;
	/** The request that the faults strike. */
	struck: { method: string; path: RegExp };
	/** Whether it may be sent again if its outcome is unknown. */
	isRepeatable: boolean;
	/** Whether its success has a body. */
	hasAnswer: boolean;
	/** Whether the execution waits when all is well; then it has one item. */
	waits?: boolean;
	/** The request that must be sent at most once per item, by the part that identifies the item. */
	once?: { path: RegExp; isAbout: (body: IDataObject, world: World, index: number) => boolean };
}

/** Every operation of the registry at least once; a test checks that. */
export const operationRows: OperationRow[] = Object.entries(operationCases).flatMap(
	([operation, { endpoints, faults = [{}], isAbout, once = endpoints[0], ...known }]) =>
		faults.map(({ struck = endpoints[0], parameters, effects, claim, ...fault }): OperationRow => {
			const [resource, name] = operation.split(' ');
			return {
				...fault,
				operation,
				parameters: { resource, operation: name, ...known.parameters, ...parameters },
				item: ({ targets }, index) => contactItem(targets[index], index),
				struck: toPattern(struck),
				isRepeatable: struck !== once || (known.isRepeatable ?? true),
				hasAnswer: known.hasAnswer ?? true,
				effects: effects ?? known.effects,
				claim: claim ?? known.claim,
				output: known.output,
				isLong: known.isLong,
				isReport: known.isReport,
				waits: known.waits,
				...(isAbout && { once: { path: toPattern(once).path, isAbout } }),
			};
		}),
);

function toPattern(endpoint: string): OperationRow['struck'] {
	const [method, path] = endpoint.split(' ');
	return { method, path: new RegExp(`^${path.replaceAll('*', '[^/]+')}$`) };
}

export const rowName = ({ operation, variant }: OperationRow) =>
	variant ? `${operation} (${variant})` : operation;
