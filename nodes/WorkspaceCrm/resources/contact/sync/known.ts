import type { Api } from '../../../api/client';
import type { Contact } from '../../../api/types';
import type { Clock } from '../../../n8n/clock';
import { visitContacts } from '../../contactReference';
import { keysOf, type DesiredContact } from './desired';
import type { Row } from './row';

/** How old the list of opted-out contacts may be when somebody is opted in. */
const MAX_AGE_MS = 10_000;

/** What the answers of this run have shown: the input's contacts, all who have opted out, and the others. */
export class KnownContacts {
	/** Those that no row mentions, by their IDs; only if they are to be kept. */
	readonly unmentioned = new Map<string, Contact>();
	/** Contacts of the input that were not looked for, so that nothing is known of them. */
	unread: ReadonlySet<DesiredContact> = new Set();
	private readonly byId = new Map<string, Contact>();
	private readonly idsByKey = new Map<string, Set<string>>();
	private readonly mentioned: ReadonlySet<string>;
	private freshUntilMs = -Infinity;
	private reading?: Promise<void>;

	constructor(
		private readonly api: Api,
		private readonly clock: Clock,
		rows: readonly Row[],
		private readonly keepsUnmentioned: boolean,
	) {
		const keys = rows.flatMap((row) => [
			...keysOf(row),
			...keysOf({ phone: row.otherReading ?? '' }),
		]);
		this.mentioned = new Set(keys);
	}

	/** Has to get each contact that an answer shows. Not all are kept: they may be too many. */
	note(contact: Contact): void {
		const isMentioned = keysOf(contact).some((key) => this.mentioned.has(key));
		if (isMentioned || contact.optInStatus === 'opted_out') this.add(contact);
		if (!isMentioned && this.keepsUnmentioned) this.unmentioned.set(contact.id, contact);
	}

	/** Keeps the newest answer. Once an answer has shown an opt-out, it counts for the rest of the run. */
	add(contact: Contact): void {
		const { id } = contact;
		const hasOptedOut = this.byId.get(id)?.optInStatus === 'opted_out';
		this.byId.set(id, hasOptedOut ? { ...contact, optInStatus: 'opted_out' } : contact);
		for (const key of keysOf(contact)) {
			this.idsByKey.set(key, (this.idsByKey.get(key) ?? new Set()).add(id));
		}
	}

	/** The contacts with the ID, or a number that is the same for messaging services. */
	of(wanted: { id?: string; phone: string }): Contact[] {
		const ids = keysOf(wanted).flatMap((key) => [...(this.idsByKey.get(key) ?? [])]);
		return [...new Set(ids)].flatMap((id) => this.byId.get(id) ?? []);
	}

	/** Whether somebody may have opted out whom the list has not shown, ten seconds ago or more. */
	readonly isOutdated = (): boolean => this.clock.elapsedMs() > this.freshUntilMs;

	/** Reads the list of opted-out contacts again if it is outdated. */
	async refreshOptOuts(): Promise<void> {
		while (this.isOutdated()) await (this.reading ??= this.readOptOuts());
	}

	/** Then it counts for ten seconds, or twice as long as reading it took: writing is no slower. */
	private async readOptOuts(): Promise<void> {
		let startedMs = this.clock.elapsedMs();
		let isShown = false;
		// The first page may have waited for the rate limit.
		const onSend = () => {
			if (!isShown) startedMs = this.clock.elapsedMs();
		};
		try {
			await visitContacts(
				this.api,
				{ query: { opt_in_status: 'opted_out' }, onSend },
				(contact) => {
					isShown = true;
					this.note(contact);
				},
			);
			const endedMs = this.clock.elapsedMs();
			this.freshUntilMs = startedMs + Math.max(MAX_AGE_MS, 2 * (endedMs - startedMs));
		} finally {
			this.reading = undefined;
		}
	}
}
