export const OPT_IN_STATUSES = ['none', 'pending', 'confirmed', 'opted_out'] as const;

/** The states of consent. Campaigns reach only `confirmed`; `opted_out` is never messaged. */
export type OptInStatus = (typeof OPT_IN_STATUSES)[number];

/** Why a contact gets no message of a campaign. */
export interface NoConsent {
	code: 'optedOut' | 'notConfirmed';
	reason: string;
}

export const OPTED_OUT: NoConsent = { code: 'optedOut', reason: 'The contact has opted out.' };

/**
 * Whether a campaign may write to a contact: "Campaigns go only to contacts in this state", which is
 * `confirmed` (API reference, consent). Of a contact whose state is not shown, nobody knows.
 *
 * @returns undefined if it may
 */
export function missingConsent(optInStatus: string | undefined): NoConsent | undefined {
	if (optInStatus === 'confirmed') return undefined;
	if (optInStatus === 'opted_out') return OPTED_OUT;
	const status = optInStatus === undefined ? 'not shown' : `'${optInStatus}'`;
	return {
		code: 'notConfirmed',
		reason: `The opt-in status of the contact is ${status}. Campaigns reach only confirmed contacts.`,
	};
}
