/** Which consent a sync sends, and when it is certain enough whom a number means. */
import { onlyOf } from '../../../crm/lookUp';
import type { Contact } from '../../../crm/records';
import type { OptInStatus } from '../../../domain/consent';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import type { DesiredContact } from './desired';
import type { KnownContacts } from './known';
import type { Consent } from './row';
import type { SyncOptions } from './syncFields';

/** What is known of the contacts in the CRM, and what the user allows. */
interface Knowledge {
	known: KnownContacts;
	options: SyncOptions;
}

/** What is planned for a contact. */
interface Planned {
	desired: DesiredContact;
	current?: Contact;
	consent: Consent;
}

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
): Consent {
	const proof = consent_proof === undefined ? {} : { consent_proof };
	if (opt_in === undefined) return changesOthers ? proof : {};
	const isKnown = opt_in ? state === 'confirmed' || state === 'pending' : state === 'opted_out';
	return isKnown ? {} : { opt_in, ...proof };
}

/** Whether this is an opt-in that must not reach anybody who has opted out: the user has not allowed it. */
export function mustKeepOptOuts({ opt_in }: Consent, { optInOptedOut }: SyncOptions): boolean {
	return opt_in === true && !optInOptedOut;
}

/** Why a request with the phone number may change the consent of another contact. */
export function numberProblem(
	{ known, options }: Knowledge,
	{ desired, current, consent }: Planned,
): InputProblem | undefined {
	// Whether the CRM has the contact at all, only the answer to a request with its other fields shows.
	if (!current && !options.dryRun) return undefined;
	const { id, phone } = current ?? { id: undefined, phone: desired.phone };
	const advice = consent.opt_in === undefined ? PROOF_NOT_SENT : CONSENT_NOT_SENT;
	try {
		onlyOf(known.of({ phone }), phone, advice);
	} catch (problem) {
		return problem as InputProblem;
	}
	const twin = mustKeepOptOuts(consent, options) && known.optedOutTwin({ id, phone });
	return twin ? mayHaveOptedOut(phone, twin) : undefined;
}

/** Whether it is certain which contact a request with the phone number changes. */
export function isCertain(
	{ known, options }: Knowledge,
	{ desired, current, consent }: Planned,
): boolean {
	// One that was deleted must not be created again.
	if (current) return known.isFresh(current);
	if (desired.isIdentified) return true;
	const mayBeOther = mustKeepOptOuts(consent, options) && known.optedOutTwin(desired) !== undefined;
	return !desired.isUnverified && !mayBeOther;
}

const CONSENT_NOT_SENT =
	'No consent was sent for this item, as that goes by phone number. Its other fields are saved by its ID. Delete all but one of the contacts.';
const PROOF_NOT_SENT =
	'Nothing was sent for this item, as consent goes by phone number. Delete all but one of the contacts.';

function mayHaveOptedOut(phone: string, twin: Contact): InputProblem {
	const shown =
		twin.phone === '' ? 'without a phone number' : `with the number ${quoted(twin.phone)}`;
	return new InputProblem(
		`The phone number ${phone} may be that of a contact who has opted out`,
		`The CRM shows the contact ${twin.id} ${shown}, so the two cannot be told apart. No consent was sent for this item; its other fields are saved. In the CRM, give that contact its number with a plus and its country code, or delete one of the two if they are the same person.`,
	);
}

export function noPhone(id: string): InputProblem {
	return new InputProblem(
		`The contact ${id} has no phone number, so its consent cannot be changed`,
		"Nothing was sent for this item. Leave 'Opt In' and 'Consent Proof' blank, or give the contact a phone number in the CRM.",
	);
}

/** The contact would be created first. If the proof then failed, the next run would find nothing to send. */
export function onlyProof(phone: string): InputProblem {
	return new InputProblem(
		`'Consent Proof' alone cannot be sent for a new contact with the number ${phone}`,
		"The number cannot be checked, so the proof would be sent after the contact was created, and could get lost. Nothing was sent for this item. Add 'Opt In' or another field, or correct the number.",
	);
}
