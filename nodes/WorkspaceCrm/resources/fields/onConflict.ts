import { CrmError } from '../../crm/crmError';
import type { Field } from '../../operations/fieldKinds';
import { reasonOfError, type ItemResult, type SkipCode } from '../../operations/result';

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
			description: "The output says that the item was skipped, and why: 'result' is skipped",
		},
	],
} as const satisfies Omit<Field, 'displayName'>;

/**
 * For `catch`: if the service refused an item with 409 and the user chose to skip such items, returns the
 * result for the output.
 *
 * @param option the label of the field for this choice
 * @throws any other failure
 */
export function skipConflict(
	error: unknown,
	code: SkipCode,
	option: string,
	onConflict?: string,
): ItemResult & { result: 'skipped' } {
	if (!(error instanceof CrmError) || error.failure.status !== 409) throw error;
	if (onConflict !== 'skip') {
		throw error.withContext(`To skip such contacts, set '${option}' under 'Options' to 'Skip'.`);
	}
	return { result: 'skipped', code, reason: reasonOfError(error) };
}
