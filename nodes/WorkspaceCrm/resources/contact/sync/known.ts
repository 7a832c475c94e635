import type { Api } from '../../../api/client';
import type { Clock } from '../../../api/clock';
import { unlessGone } from '../../../api/crmError';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import { readContact, type Contact } from '../../../api/types';
import { path } from '../../../api/urls';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneForms, phoneKey } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { findByPhone, readWholeContact, visitContacts } from '../../contactReference';
import { keysOf, mayBreakOptOut, type DesiredContact } from './plan';
import type { Row } from './row';
import type { SyncOptions } from './syncFields';

/** The most contacts to look up one by one if reading the whole list takes longer. */
const FEW_CONTACTS = 100;

/** The maximum age of the list of opted-out contacts when opting in. */
const MAX_AGE_MS = 10_000;

/**
 * The contacts seen in the answers of this run: those of the input, all opted-out ones and, on request,
 * the others.
 */
export class KnownContacts {
	/** Contacts that no row mentions, by ID; only if 'Missing Contacts' outputs them. */
	readonly unmentioned = new Map<string, Contact>();
	/** Contacts of the input that were not looked up. */
	readonly unread = new Set<DesiredContact>();
	private readonly byId = new Map<string, Contact>();
	private readonly idsByKey = new Map<string, Set<string>>();
	private readonly mentioned: ReadonlySet<string>;
	private freshUntilMs = -Infinity;
	private reading?: Promise<void>;

	constructor(
		private readonly api: Api,
		private readonly clock: Clock,
		private readonly options: SyncOptions,
		rows: readonly Row[],
	) {
		const named = rows.flatMap((row) => [row, { phone: row.otherReading ?? '' }]);
		this.mentioned = new Set(named.flatMap(keysOf));
	}

	/**
	 * Reads all contacts if they have no more pages than the input has contacts, or if missing contacts are
	 * needed. Otherwise looks up contacts one by one: all if they are few, else only those with an ID or an
	 * opt-in.
	 *
	 * @throws CrmError if the list is incomplete
	 */
	async read(desired: readonly DesiredContact[]): Promise<void> {
		const needsAll = this.options.missing === 'output';
		if (desired.length === 0 && !needsAll) return;
		const firstPage = await this.api.page({ path: path`/v1/contacts` });
		const { records, total } = firstPage;
		if (needsAll || Math.ceil((total ?? Infinity) / MAX_PAGE_SIZE) <= desired.length) {
			return await visitContacts(this.api, { firstPage }, (contact) => this.note(contact));
		}
		// Opt-outs on this page count, too.
		for (const record of records) this.note(readContact(record));
		const isChosen = ({ id, fields }: DesiredContact) =>
			id !== undefined || desired.length <= FEW_CONTACTS || mayBreakOptOut(fields, this.options);
		await forEachAtOnce(desired, ITEMS_AT_ONCE, async (each) => {
			if (isChosen(each)) await this.lookUp(each);
			else this.unread.add(each);
		});
	}

	private async lookUp({ id, phone }: DesiredContact): Promise<void> {
		if (id !== undefined) {
			const contact = await readWholeContact(this.api, { id }).catch(unlessGone);
			if (contact) this.note(contact);
			return;
		}
		for (const form of phoneForms(phone)) {
			for (const contact of await findByPhone(this.api, form)) this.note(contact);
		}
	}

	/** Call it for every contact in an answer. It keeps only those needed: there may be too many. */
	note(contact: Contact): void {
		const isMentioned = keysOf(contact).some((key) => this.mentioned.has(key));
		if (isMentioned || contact.optInStatus === 'opted_out') this.add(contact);
		if (!isMentioned && this.options.missing === 'output') {
			this.unmentioned.set(contact.id, contact);
		}
	}

	/** Keeps the newest version. An opt-out counts for the rest of the run. */
	add(contact: Contact): void {
		const { id } = contact;
		const hasOptedOut = this.byId.get(id)?.optInStatus === 'opted_out';
		this.byId.set(id, hasOptedOut ? { ...contact, optInStatus: 'opted_out' } : contact);
		for (const key of keysOf(contact)) {
			this.idsByKey.set(key, (this.idsByKey.get(key) ?? new Set()).add(id));
		}
	}

	/** The contacts with the ID, or with a number that is equal for messaging services. */
	of(wanted: { id?: string; phone: string }): Contact[] {
		const ids = keysOf(wanted).flatMap((key) => [...(this.idsByKey.get(key) ?? [])]);
		return [...new Set(ids)].flatMap((id) => this.byId.get(id) ?? []);
	}

	/**
	 * Finds the contact with the ID or the number.
	 *
	 * @throws InputProblem unless it is certain which contact is meant
	 */
	find(desired: DesiredContact): Contact | undefined {
		if (this.unread.has(desired)) return undefined;
		const { id, phone } = desired;
		const found = this.of(desired);
		if (id === undefined) {
			if (found.length > 1) throw severalContacts(found, phone);
			return found[0];
		}
		const current = found.find((each) => each.id.toLowerCase() === id.toLowerCase());
		if (!current) throw noSuchContact(id);
		// Of several rows with the ID, one may be meant for another contact.
		const isOther = (row: Row) =>
			row.phone !== '' && phoneKey(row.phone) !== phoneKey(current.phone);
		const other = desired.rows.find(isOther);
		if (other) throw otherNumber(other.phone, current.phone);
		return current;
	}

	/** Whether the list of opted-out contacts is too old to opt anybody in. */
	readonly isOutdated = (): boolean => this.clock.elapsedMs() > this.freshUntilMs;

	/** Reads the list of opted-out contacts again if it is outdated. */
	async refreshOptOuts(): Promise<void> {
		while (this.isOutdated()) {
			this.reading ??= this.readOptOuts().finally(() => (this.reading = undefined));
			await this.reading;
		}
	}

	/** The list stays valid for ten seconds, or twice its reading time if that is longer. */
	private async readOptOuts(): Promise<void> {
		let startedMs = this.clock.elapsedMs();
		let isShown = false;
		const query = { opt_in_status: 'opted_out' };
		// The first page may have waited for the rate limit.
		const onSend = () => {
			if (!isShown) startedMs = this.clock.elapsedMs();
		};
		await visitContacts(this.api, { query, onSend }, (contact) => {
			isShown = true;
			this.note(contact);
		});
		const endedMs = this.clock.elapsedMs();
		this.freshUntilMs = startedMs + Math.max(MAX_AGE_MS, 2 * (endedMs - startedMs));
	}
}

/** Their numbers are equal for messaging services, or one is stored without its plus. */
function severalContacts(contacts: readonly Contact[], phone: string): InputProblem {
	return new InputProblem(
		`${contacts.length} contacts have the phone number ${phone}`,
		`Delete all but one of them, or give the ID of the right one in the column 'Contact ID'. Their IDs: ${contacts.map(({ id }) => id).join(', ')}. No consent was changed.`,
	);
}

function noSuchContact(id: string): InputProblem {
	return new InputProblem(
		`No contact has the ID ${id}`,
		'It may have been erased. Nothing was sent for this item, and no contact was created. Correct the ID; without an ID, the contact is found or created by its phone number.',
	);
}

function otherNumber(phone: string, current: string): InputProblem {
	return new InputProblem(
		`The contact with this ID does not have the phone number ${phone}`,
		`It has ${current === '' ? 'none' : current}. Nothing was sent for this item. Correct the ID or the phone number, or leave one of them blank.`,
	);
}
