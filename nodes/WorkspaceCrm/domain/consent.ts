export const OPT_IN_STATUSES = ['none', 'pending', 'confirmed', 'opted_out'] as const;

/** The states of consent. Campaigns reach only `confirmed`; `opted_out` is never messaged. */
export type OptInStatus = (typeof OPT_IN_STATUSES)[number];

/** Whom a message may reach: only who has confirmed, or everybody who has not opted out. */
export type Reach = 'confirmed' | 'notOptedOut';

/** Why a contact gets no message. */
export interface NoConsent {
	code: 'optedOut' | 'notConfirmed';
	reason: string;
}

export const OPTED_OUT: NoConsent = { code: 'optedOut', reason: 'The contact has opted out.' };

/**
 * Why a message may not reach a contact. Of campaigns: "Campaigns go only to contacts in this state", which is
 * `confirmed` (API reference, consent). A contact whose state is not shown may have opted out.
 *
 * @returns undefined if it may
 */
export function missingConsent(
	optInStatus: string | undefined,
	reach: Reach = 'confirmed',
): NoConsent | undefined {
	if (optInStatus === 'confirmed') return undefined;
	if (optInStatus === 'opted_out') return OPTED_OUT;
	const isKnown = optInStatus === 'none' || optInStatus === 'pending';
	if (isKnown && reach === 'notOptedOut') return undefined;
	const status = optInStatus === undefined ? 'not shown' : `'${optInStatus}'`;
	const rule =
		reach === 'confirmed' ? 'Campaigns reach only confirmed contacts.' : 'It may have opted out.';
	return {
		code: 'notConfirmed',
		reason: `The opt-in status of the contact is ${status}. ${rule}`,
	};
}
