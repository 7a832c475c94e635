import type { IDataObject } from 'n8n-workflow';

import { CrmError, rethrow } from '../api/crmError';
import type { Field } from '../operations/fieldKinds';

/** For requests that the service refuses with 409 where nothing is wrong with the workflow. */
export const onConflictField = {
	name: 'onConflict',
	type: 'options',
	default: 'fail',
	options: [
		{ name: 'Fail', value: 'fail', description: 'The item fails' },
		{ name: 'Skip', value: 'skip', description: 'The item comes out as skipped, with the reason' },
	],
} as const satisfies Omit<Field, 'displayName'>;

/** Why an item was skipped, for its output. */
interface Conflict extends IDataObject {
	code: 'conflict';
	reason: string;
}

/** The conflict that an error stands for, if it is one and the user wants it skipped. */
export function conflictIn(error: unknown, onConflict?: string): Conflict | undefined {
	if (onConflict !== 'skip' || !(error instanceof CrmError) || error.status !== 409)
		return undefined;
	return { code: 'conflict', reason: `${error.message}. ${error.description}` };
}

/**
 * What a request gives; or, if it is refused as a conflict that is to be skipped, the reason.
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
