import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Sandbox } from '../../tools/sandbox';

/** A mistake that people often make, or a failure that they often meet. */
export interface Mistake {
	what: string;
	parameters: INodeParameters;
	items?: IDataObject[];
	/** Sets up the CRM. */
	prepare?: (sandbox: Sandbox) => void;
	credential?: IDataObject;
	/** The title of the error does not name the cause, so the docs do. */
	isUnclear?: boolean;
}

export const mistake = (
	what: string,
	parameters: INodeParameters,
	more: Omit<Mistake, 'what' | 'parameters'> = {},
): Mistake => ({ what, parameters, ...more });
