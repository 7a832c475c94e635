import { CrmError } from '../../crm/crmError';
import type { Field } from '../../operations/fieldKinds';

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

/**
 * For `catch`: if the service refused an item with 409 and the user chose to skip such items, returns the
 * reason for the output.
 *
 * @param option the label of the field for this choice
 * @throws any other failure
 */
export function skipConflict(error: unknown, option: string, onConflict?: string) {
	if (!(error instanceof CrmError) || error.failure.status !== 409) throw error;
	if (onConflict !== 'skip') {
		throw error.withContext(`To skip such contacts, set '${option}' under 'Options' to 'Skip'.`);
	}
	return { skipped: { code: 'conflict', reason: `${error.message}. ${error.description}` } };
}
