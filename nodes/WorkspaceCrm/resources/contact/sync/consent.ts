import type { OptInStatus } from '../../../api/types';
import type { Consent } from './row';
import type { SyncOptions } from './syncFields';

/**
 * Decides which consent to send to a contact in this state.
 *
 * `opt_in: false` is sent unless the contact has opted out, because the API reference does not say what
 * it does to other states. `opt_in: true` is not repeated for a pending contact. A proof cannot be read
 * back, so it is sent with the consent that it proves, or with other changes if the input has no
 * `opt_in`.
 */
export function consentToSend(
	{ opt_in, consent_proof }: Consent,
	state: OptInStatus | undefined,
	changesOthers: boolean,
	{ optInOptedOut }: SyncOptions,
): { consent: Consent; keepsOptOut: boolean } {
	const keepsOptOut = opt_in === true && state === 'opted_out' && !optInOptedOut;
	const isKnown = opt_in
		? state === 'confirmed' || state === 'pending'
		: state === 'opted_out' && opt_in === false;
	if (keepsOptOut || isKnown) return { consent: {}, keepsOptOut };
	const proof = consent_proof === undefined ? {} : { consent_proof };
	if (opt_in !== undefined) return { consent: { opt_in, ...proof }, keepsOptOut };
	return { consent: changesOthers ? proof : {}, keepsOptOut };
}

/** Whether this may opt in a contact that has opted out. */
export function mayBreakOptOut({ opt_in }: Consent, { optInOptedOut }: SyncOptions): boolean {
	return opt_in === true && !optInOptedOut;
}
