import type { Api } from '../../../api/client';
import type { Contact } from '../../../api/types';
import { phoneKey } from '../../../domain/phone';
import type { Clock } from '../../../n8n/clock';
import { visitContacts } from '../../contactReference';
import type { DesiredContact } from './desired';

/** How old the list of opted-out contacts may be when somebody is opted in. */
const MAX_AGE_MS = 10_000;

/** What the answers of this run have shown of the input's contacts, and of all who have opted out. */
export class KnownContacts {
	private readonly byId = new Map<string, Contact>();
	private readonly idsByPhone = new Map<string, Set<string>>();
	private readonly wantedIds: ReadonlySet<string>;
	private readonly wantedPhones: ReadonlySet<string>;
	private freshUntilMs = -Infinity;
	private reading?: Promise<void>;

	constructor(
		private readonly api: Api,
		private readonly clock: Clock,
		desired: readonly DesiredContact[],
	) {
		this.wantedIds = new Set(desired.map(({ id = '' }) => id.toLowerCase()));
		this.wantedPhones = new Set(desired.map(({ phone }) => phoneKey(phone)));
	}

	/** Has to get each contact that an answer shows. The others are not kept: they may be too many. */
	note(contact: Contact): void {
		const isWanted =
			this.wantedIds.has(contact.id.toLowerCase()) ||
			this.wantedPhones.has(phoneKey(contact.phone));
		if (isWanted || contact.optInStatus === 'opted_out') this.add(contact);
	}

	/** Keeps the newest answer. Once an answer has shown an opt-out, it counts for the rest of the run. */
	add(contact: Contact): void {
		const id = contact.id.toLowerCase();
		const hasOptedOut = this.byId.get(id)?.optInStatus === 'opted_out';
		this.byId.set(id, hasOptedOut ? { ...contact, optInStatus: 'opted_out' } : contact);
		const key = phoneKey(contact.phone);
		this.idsByPhone.set(key, (this.idsByPhone.get(key) ?? new Set()).add(id));
	}

	/** The contacts with the ID, its number, or a number that is the same for messaging services. */
	of({ id = '', phone }: Pick<DesiredContact, 'id' | 'phone'>): Contact[] {
		const own = this.byId.get(id.toLowerCase());
		const phones = [phone, own?.phone ?? ''].filter((each) => each !== '');
		const ids = phones.flatMap((each) => [...(this.idsByPhone.get(phoneKey(each)) ?? [])]);
		const others = [...new Set(ids)].flatMap((each) => this.byId.get(each) ?? []);
		return [...new Set([...(own ? [own] : []), ...others])];
	}

	/** All contacts, or all opted-out ones, were read: nobody else had opted out when that began. */
	allRead(startedMs: number): void {
		const endedMs = this.clock.elapsedMs();
		this.freshUntilMs = Math.max(startedMs + MAX_AGE_MS, 2 * endedMs - startedMs);
	}

	/**
	 * Reads the list of opted-out contacts again if it is more than ten seconds old, or twice as old as
	 * reading it took: reading never takes longer than writing.
	 */
	async refreshOptOuts(): Promise<void> {
		while (this.clock.elapsedMs() > this.freshUntilMs) await (this.reading ??= this.readOptOuts());
	}

	private async readOptOuts(): Promise<void> {
		const startedMs = this.clock.elapsedMs();
		try {
			const query = { opt_in_status: 'opted_out' };
			await visitContacts(this.api, { query }, (each) => this.note(each));
			this.allRead(startedMs);
		} finally {
			this.reading = undefined;
		}
	}
}
