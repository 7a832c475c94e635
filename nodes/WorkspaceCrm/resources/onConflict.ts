import type { IDataObject } from 'n8n-workflow';

import { CrmError, rethrow } from '../api/crmError';
import type { Field } from '../operations/fieldKinds';

/** For requests that the service may refuse with 409 although the workflow is correct. */
export const onConflictField = {
	name: 'onConflict',
	type: 'options',
	default: 'fail',
	options: [
		{ name: 'Fail', value: 'fail', description: 'The item fails' },
		{
			name: 'Skip',
			value: 'skip',
			description: 'The output item is marked as skipped, with the reason',
		},
	],
} as const satisfies Omit<Field, 'displayName'>;

/** Why an item was skipped, for its output. */
interface Conflict extends IDataObject {
	code: 'conflict';
	reason: string;
}

/** Returns the conflict behind an error; undefined unless the status is 409 and the user chose to skip. */
export function conflictIn(error: unknown, onConflict?: string): Conflict | undefined {
	if (onConflict !== 'skip' || !(error instanceof CrmError) || error.status !== 409)
		return undefined;
	return { code: 'conflict', reason: `${error.message}. ${error.description}` };
}

/**
 * Returns the answer of a request, or the reason if it is a conflict to skip.
 *
 * @throws any other failure
 */
export async function skipConflict<T>(
	request: Promise<T>,
	onConflict?: string,
): Promise<T | { skipped: Conflict }> {
	const skip = (error: unknown) => {
		const skipped = conflictIn(error, onConflict);
		return skipped ? { skipped } : rethrow(error);
	};
	return await request.catch(skip);
}
