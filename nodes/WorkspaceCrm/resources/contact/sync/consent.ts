import type { OptInStatus } from '../../../api/types';
import type { Consent } from './row';
import type { SyncSettings } from './syncFields';

/**
 * Decides what is sent of consent to a contact in this state.
 *
 * A refusal is sent unless the contact has opted out: what it does to other states, the API reference
 * leaves open. A pending contact is not asked again each time. A proof cannot be read back, so it goes
 * with the consent that it proves, or with other changes if the input says nothing of consent.
 */
export function consentToSend(
	{ opt_in, consent_proof }: Consent,
	state: OptInStatus | undefined,
	changesOthers: boolean,
	{ optInOptedOut }: SyncSettings,
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

/** Whether this would opt in a contact that may have opted out. */
export function mayBreakOptOut({ opt_in }: Consent, { optInOptedOut }: SyncSettings): boolean {
	return opt_in === true && !optInOptedOut;
}
