/** Which consent a sync sends. */
import { onlyOf } from '../../../crm/lookUp';
import type { Contact } from '../../../crm/records';
import type { OptInStatus } from '../../../domain/consent';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import type { Change, Changes } from './changes';
import type { DesiredContact, doubtsIn } from './mergedRows';
import type { KnownContacts } from './knownContacts';
import { IS_PENDING, KEEPS_OPT_OUT } from './notes';
import type { Consent } from './row';
import type { SyncOptions } from './syncFields';

/** What decides about consent: what is known, what the user allows, and what refused rows say. */
export interface ConsentRule {
	known: KnownContacts;
	options: SyncOptions;
	doubtOf?: ReturnType<typeof doubtsIn>;
}

export interface ConsentPlan {
	changes: Changes;
	/** What is said of it, unless it is sent. */
	notes: readonly string[];
	/** Why none is sent although the input asks for it. The other fields are saved. */
	problem?: InputProblem;
}

/**
 * Plans which consent to send. It goes by phone number, so the contact needs one of its own.
 *
 * @param current the contact, once it is known
 * @param changesOthers whether other fields are sent, too
 * @throws InputProblem if nothing at all can be sent for the contact
 */
export function planConsent(
	{ known, options, doubtOf }: ConsentRule,
	desired: DesiredContact,
	current: Contact | undefined,
	changesOthers: boolean,
): ConsentPlan {
	const { fields } = desired;
	const status = current?.optInStatus;
	const keepsOptOut = status === 'opted_out' && mustKeepOptOuts(fields, options);
	const consent = keepsOptOut ? {} : consentToSend(fields, status, changesOthers);
	const changes = new Map<string, Change>();
	if (consent.opt_in !== undefined)
		changes.set('opt_in', { from: status ?? null, to: consent.opt_in });
	if (consent.consent_proof !== undefined)
		changes.set('consent_proof', { from: null, to: consent.consent_proof });
	const notes = [
		...(keepsOptOut ? [KEEPS_OPT_OUT] : []),
		...(fields.opt_in && status === 'pending' ? [IS_PENDING] : []),
	];
	if (changes.size === 0) return { changes, notes };
	if (current?.phone === '') throw noPhone(current.id);
	const problem =
		doubtOf?.(desired, current ? [desired, current] : [desired]) ??
		(current && numberProblem(known, current, consent, options));
	if (!problem) return { changes, notes };
	// A proof cannot be read back: if the other fields were saved, the next run would not send it.
	if (consent.opt_in === undefined) throw problem;
	return { changes: new Map(), notes, problem };
}

/** Whether its rows show the contact as opted out, which is not sent, and the CRM does not. */
export function saysOptedOut(
	{ known }: ConsentRule,
	desired: DesiredContact,
	current: Contact | undefined,
): boolean {
	const { rows, fields } = desired;
	const isSaid = rows.some(({ shown }) => shown?.hasOptedOut);
	if (!isSaid || fields.opt_in !== undefined) return false;
	if (!current) return known.isLookedUp(desired);
	return current.optInStatus !== undefined && current.optInStatus !== 'opted_out';
}

/**
 * Decides which consent to send to a contact in this state.
 *
 * `opt_in: false` is sent unless the contact has opted out, because the API reference does not say what
 * it does to other states. `opt_in: true` is not repeated for a pending contact. A proof cannot be read
 * back, so it is sent with the consent that it proves, or with other changes if the input has no
 * `opt_in`.
 */
function consentToSend(
	{ opt_in, consent_proof }: Consent,
	status: OptInStatus | undefined,
	changesOthers: boolean,
): Consent {
	if (opt_in === undefined) return changesOthers ? { consent_proof } : {};
	const isKnown = opt_in ? status === 'confirmed' || status === 'pending' : status === 'opted_out';
	return isKnown ? {} : { opt_in, consent_proof };
}

/** Whether this is an opt-in that must not reach anybody who has opted out: the user has not allowed it. */
export function mustKeepOptOuts({ opt_in }: Consent, { optInOptedOut }: SyncOptions): boolean {
	return opt_in === true && !optInOptedOut;
}

/** Why a request with the contact's phone number may change the consent of another contact. */
function numberProblem(
	known: KnownContacts,
	{ id, phone }: Contact,
	consent: Consent,
	options: SyncOptions,
): InputProblem | undefined {
	try {
		const advice = consent.opt_in === undefined ? PROOF_NOT_SENT : CONSENT_NOT_SENT;
		onlyOf(known.of({ phone }), phone, advice);
	} catch (problem) {
		return problem as InputProblem;
	}
	const twin = mustKeepOptOuts(consent, options) && known.optedOutTwin({ id, phone });
	return twin ? mayHaveOptedOut(phone, twin) : undefined;
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
