import type { OptInStatus } from '../../../api/types';
import type { ContactFields } from './row';

export interface ConsentRules {
	/** Whether contacts who opted out may be opted in again. */
	optInOptedOut: boolean;
}

type Consent = Pick<ContactFields, 'opt_in' | 'consent_proof'>;

/**
 * Decides what is sent of consent to a contact in this state.
 *
 * A refusal is sent unless the contact has opted out: what it does to other states, the API reference
 * leaves open. A pending contact is not asked again each time. A proof cannot be read back, so it goes
 * with the consent that it proves, or with other changes if the input says nothing of consent.
 */
export function consentToSend(
	{ opt_in, consent_proof }: ContactFields,
	state: OptInStatus | undefined,
	changesOthers: boolean,
	{ optInOptedOut }: ConsentRules,
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

/** Whether fields would opt in a contact that may have opted out. */
export function mayBreakOptOut(
	{ opt_in }: ContactFields,
	{ optInOptedOut }: ConsentRules,
): boolean {
	return opt_in === true && !optInOptedOut;
}

/** What fields say about consent, and the others. */
export function splitConsent({ opt_in, consent_proof, ...others }: ContactFields) {
	const consent: Consent = {
		...(opt_in !== undefined && { opt_in }),
		...(consent_proof !== undefined && { consent_proof }),
	};
	return { consent, others, hasConsent: Object.keys(consent).length > 0 };
}
