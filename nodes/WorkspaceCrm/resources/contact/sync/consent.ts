import type { Api } from '../../../api/client';
import type { Contact, OptInStatus } from '../../../api/types';
import { phoneKey } from '../../../domain/phone';
import type { Clock } from '../../../n8n/clock';
import { visitContacts } from '../../contactReference';
import type { DesiredContact } from './desired';
import type { ContactFields } from './rowFields';

export interface ConsentRules {
	/** Whether contacts who opted out may be opted in again. */
	optInOptedOut: boolean;
}

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
): { consent: Pick<ContactFields, 'opt_in' | 'consent_proof'>; keepsOptOut: boolean } {
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

/** How old the list of opted-out contacts may be when somebody is opted in. */
const MAX_AGE_MS = 10_000;

/** The opt-outs that any answer of this run has shown, of contacts of the input. */
export class OptOuts {
	private readonly seen = new Map<string, Map<string, Contact>>();
	private readonly ids: ReadonlySet<string>;
	private readonly keys: Set<string>;
	private freshUntilMs = -Infinity;
	private reading?: Promise<void>;

	constructor(
		private readonly api: Api,
		private readonly clock: Clock,
		desired: readonly DesiredContact[],
	) {
		this.ids = new Set(desired.map(({ id = '' }) => id.toLowerCase()));
		this.keys = new Set(desired.map(({ phone }) => phoneKey(phone)));
	}

	/** For a contact known by its ID: from now on, another one with its number is noted, too. */
	watch({ phone }: Contact): void {
		if (phone === '' || this.keys.has(phoneKey(phone))) return;
		this.keys.add(phoneKey(phone));
		this.freshUntilMs = -Infinity;
	}

	/** Has to get each contact that an answer shows. */
	note(contact: Contact): void {
		const id = contact.id.toLowerCase();
		const key = phoneKey(contact.phone);
		if (contact.optInStatus !== 'opted_out' || !(this.ids.has(id) || this.keys.has(key))) return;
		for (const name of [`id ${id}`, key]) {
			this.seen.set(name, (this.seen.get(name) ?? new Map<string, Contact>()).set(id, contact));
		}
	}

	/** All contacts were read: nobody had opted out before that who is not noted. */
	allRead(startedMs: number): void {
		const endedMs = this.clock.elapsedMs();
		this.freshUntilMs = Math.max(startedMs + MAX_AGE_MS, 2 * endedMs - startedMs);
	}

	/**
	 * The opted-out contacts with the ID or the phone number of a contact. The list is read again if it is
	 * more than ten seconds old, or twice as old as its reading took: reading never takes longer than writing.
	 */
	async of({ desired, current }: { desired: DesiredContact; current?: Contact }) {
		while (this.clock.elapsedMs() > this.freshUntilMs) await (this.reading ??= this.read());
		const names = [
			`id ${(current?.id ?? desired.id ?? '').toLowerCase()}`,
			phoneKey(desired.phone),
			phoneKey(current?.phone ?? ''),
		].filter((name) => name !== '');
		return [...new Map(names.flatMap((name) => [...(this.seen.get(name) ?? [])])).values()];
	}

	private async read(): Promise<void> {
		const startedMs = this.clock.elapsedMs();
		try {
			await visitContacts(this.api, { opt_in_status: 'opted_out' }, (each) => this.note(each));
			this.allRead(startedMs);
		} finally {
			this.reading = undefined;
		}
	}
}
