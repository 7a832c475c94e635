import type { Api } from '../../../crm/client';
import type { Clock } from '../../../crm/clock';
import { CrmError } from '../../../crm/crmError';
import { endpoints } from '../../../crm/endpoints';
import { MAX_PAGE_SIZE } from '../../../crm/pagination';
import { readContact, type Contact } from '../../../crm/records';
import { InputProblem } from '../../../domain/inputProblem';
import { isNumber, keysOf, phoneForms, Subscribers, type Named } from '../../../domain/sameNumber';
import { lookUpAll, onlyOf, SeenContacts, visitContacts } from '../../../crm/lookUp';
import type { DesiredContact } from './desired';
import { shownBy, type Consent, type Row } from './row';
import type { SyncOptions } from './syncFields';

/** No contact has the ID of a row, so the row may mean any contact. */
export class UnknownId extends InputProblem {}

/** Up to so many contacts are all compared, by look-ups or the whole list. Of more, perhaps only some. */
const FEW_CONTACTS = 100;

/** The maximum age of what is known when consent is sent: of the contact, and of the list of opted-out ones. */
const MAX_AGE_MS = 10_000;

/** By how much contacts may have moved towards the beginning of the list, because others were deleted. */
const MOST_MOVED = 25;

/** After so many pages in a row that came too late, each contact is looked at by itself. */
const MOST_LATE = 2;

/**
 * The contacts seen in the answers of this run: those of the input, those who have opted out as far as lists showed
 * them, and, on request, the others.
 */
export class KnownContacts {
	private readonly clock: Clock;
	/** Contacts that no row mentions, by ID; only if 'Missing Contacts' outputs them. */
	readonly unmentioned = new Map<string, Contact>();
	/** The IDs of all contacts with an international number that were seen. */
	readonly ids = new Set<string>();
	/** Contacts of the input that were not looked up, or whose look-up failed. */
	private unknown: ReadonlyMap<Named, CrmError | undefined> = new Map();
	private readonly seen = new SeenContacts();
	private readonly optedOut = new Subscribers<Contact>();
	/** Opted-out contacts of which no answer shows whether they have a number: they may be anybody. */
	private readonly optedOutHidden: Contact[] = [];
	private readonly mentioned: ReadonlySet<string>;
	/** Whether to keep the numbers of all: consent for an ID goes by phone, and others may have the same. */
	private needsNumbers = false;
	/** Where the list shows the contacts of the input. Empty if each is looked at by itself. */
	private readonly places = new Map<string, number>();
	private asksFew = true;
	/** When contacts were last seen by themselves, or by `lookAround`. */
	private readonly seenMs = new Map<string, number>();
	private looking?: Promise<void>;
	private lateInARow = 0;
	private freshUntilMs = -Infinity;
	private reading?: Promise<void>;

	constructor(
		private readonly api: Api,
		private readonly options: SyncOptions,
		rows: readonly Row[],
	) {
		this.clock = api.clock;
		const named = rows.flatMap((row) => [row, { phone: row.otherReading }, ...shownBy(row)]);
		this.mentioned = new Set(named.flatMap(keysOf));
	}

	/**
	 * Looks up the contacts of the input. Of many that are not all read, looks up only those with an ID,
	 * consent, or a number with two forms: a request by phone could change the wrong consent, or create a
	 * second contact.
	 *
	 * @throws CrmError if a list is incomplete
	 */
	async read(desired: readonly DesiredContact[]): Promise<void> {
		const needsAll = this.options.missing === 'output';
		if (desired.length === 0 && !needsAll) return;
		const isFew = desired.length <= FEW_CONTACTS;
		const isOptional = ({ id, phone, fields }: DesiredContact) =>
			!isFew && id === undefined && !hasConsent(fields) && phoneForms(phone).length === 1;
		const then = ({ id, fields, rows }: DesiredContact) => {
			const phone = id === undefined ? '' : this.of({ id })[0]?.phone;
			const shown = rows.flatMap(shownBy).filter((each) => each.id !== id);
			return [
				...shown.filter((each) => this.of(each).length === 0),
				...(phone && hasConsent(fields) ? [{ phone }] : []),
			];
		};
		this.asksFew = desired.filter(({ fields }) => hasConsent(fields)).length <= FEW_CONTACTS;
		this.needsNumbers = desired.some(({ id, fields }) => id !== undefined && hasConsent(fields));
		const visit = (contact: Contact, place?: number) => this.keepIfNeeded(contact, place);
		const unknown = await lookUpAll(this.api, desired, visit, { needsAll, isOptional, then });
		const isShown = (row: Row) => shownBy(row).some((each) => this.of(each).length > 0);
		this.unknown = new Map(
			[...unknown].filter(([{ rows }, failure]) => failure ?? !rows.some(isShown)),
		);
	}

	/** For the contacts of a list. It keeps only those needed: there may be too many. */
	private keepIfNeeded(contact: Contact, place?: number): void {
		const { id, phone, optInStatus } = contact;
		const isMentioned = keysOf(contact).some((key) => this.mentioned.has(key));
		if (isNumber(phone)) this.ids.add(id);
		if (isMentioned && place !== undefined && !this.asksFew) this.places.set(id, place);
		if (isMentioned || optInStatus === 'opted_out') this.add(contact);
		else if (this.needsNumbers) this.add(readContact({ id, phone }));
		if (!isMentioned && this.options.missing === 'output') this.unmentioned.set(id, contact);
	}

	add(contact: Contact): void {
		this.seen.add(contact);
		if (contact.optInStatus !== 'opted_out') return;
		const [kept = contact] = this.of({ id: contact.id });
		this.optedOut.add(kept);
		const isShown = typeof kept.record.phone === 'string' || kept.record.phone === null;
		if (kept.phone === '' && !isShown) this.optedOutHidden.push(kept);
	}

	/** Call it for a contact that an answer shows by itself. @param atMs when that was, at the earliest */
	see(contact: Contact, atMs = this.clock.elapsedMs()): void {
		this.add(contact);
		this.seenMs.set(contact.id, atMs);
	}

	/** Whether it was seen in the last ten seconds, after the contacts were read: if deleted, it would be created. */
	isFresh({ id }: Contact): boolean {
		return this.clock.elapsedMs() - (this.seenMs.get(id) ?? -Infinity) <= MAX_AGE_MS;
	}

	/** Whether many contacts have consent to send, so that one request looks at many of them. */
	get looksAround(): boolean {
		return this.places.size > 0;
	}

	/** The contacts in the order of the list, so that `lookAround` sees the next ones, too. */
	inOrder(desired: readonly DesiredContact[]): readonly DesiredContact[] {
		if (!this.looksAround) return desired;
		const placeOf = (each: DesiredContact) => this.places.get(this.of(each)[0]?.id ?? '') ?? -1;
		const placed = desired.map((each) => ({ each, place: placeOf(each) }));
		return placed.sort((a, b) => a.place - b.place).map(({ each }) => each);
	}

	/**
	 * Looks again at a contact and those that follow it in the list, unless it was just seen.
	 *
	 * @throws CrmError if it was deleted
	 */
	async lookAround(contact: Contact): Promise<void> {
		while (this.looking && !this.isFresh(contact)) await this.looking;
		const lastSeenMs = this.seenMs.get(contact.id);
		if (this.looksAround && !this.isFresh(contact)) {
			this.looking = this.readPage(contact).finally(() => (this.looking = undefined));
			await this.looking;
		}
		if (this.isFresh(contact)) return;
		const cameTooLate = this.seenMs.get(contact.id) !== lastSeenMs;
		this.see(await this.readAgain(contact.id));
		// Otherwise it is elsewhere, so the service has changed the order.
		if (!cameTooLate) this.places.clear();
	}

	private async readPage({ id }: Contact): Promise<void> {
		const offset = Math.max(0, (this.places.get(id) ?? 0) - MOST_MOVED);
		let sentMs = -Infinity;
		const onSend = () => (sentMs = this.clock.elapsedMs());
		const paging = { limit: MAX_PAGE_SIZE, offset };
		const page = await this.api.page(endpoints.getContacts(), { onSend }, paging);
		for (const record of page.records) {
			const contact = readContact(record);
			if (this.places.has(contact.id)) this.see(contact, sentMs);
			else this.keepIfNeeded(contact);
		}
		const isLate = this.clock.elapsedMs() - sentMs > MAX_AGE_MS;
		this.lateInARow = isLate ? this.lateInARow + 1 : 0;
		if (this.lateInARow === MOST_LATE) this.places.clear();
	}

	/** @throws CrmError if the contact was deleted */
	async readAgain(id: string): Promise<Contact> {
		const call = endpoints.getContact(id);
		return readContact(await this.api.sendForRecord(call, { advice: WAS_DELETED }));
	}

	/** The contacts with the ID, or with the number in whichever form. */
	of(named: Named): Contact[] {
		return this.seen.of(named);
	}

	/** Whether it is known if the CRM has the contact. */
	isLookedUp(desired: DesiredContact): boolean {
		return !this.unknown.has(desired);
	}

	/** An opted-out contact that is another one for the CRM, but may have the same number, as far as the CRM shows it. */
	optedOutTwin(named: Named): Contact | undefined {
		const isOther = ({ id }: Contact) => id !== named.id;
		return this.optedOut.of(named)[0] ?? this.optedOutHidden.find(isOther);
	}

	/**
	 * Finds the contact with the ID or the number.
	 *
	 * @returns undefined if there is none, or if it was not looked up
	 * @throws InputProblem unless it is certain which contact is meant; CrmError if the look-up failed
	 */
	find(desired: DesiredContact): Contact | undefined {
		const failure = this.unknown.get(desired);
		if (failure) throw failure;
		const { id, phone } = desired;
		const current =
			id === undefined ? onlyOf(this.of(desired), phone, ONE_OR_ID) : this.of({ id })[0];
		for (const row of desired.isIdentified ? [] : desired.rows) {
			const shown = shownBy(row).flatMap((each) => this.of(each));
			const other = shown.find((contact) => isOtherThan(contact)(row));
			if (other) throw otherNumber(row.phone, other.phone);
		}
		if (!this.isLookedUp(desired)) return undefined;
		if (id === undefined) return current;
		if (!current) throw noSuchContact(id);
		// Of several rows with the ID, one may be meant for another contact.
		const other = desired.isIdentified ? undefined : desired.rows.find(isOtherThan(current));
		if (other) throw otherNumber(other.phone, current.phone);
		return current;
	}

	/**
	 * Whether what is known is too old to send consent.
	 *
	 * @param keepsOptOuts whether the consent must not reach anybody who has opted out
	 */
	isOutdated(current: Contact | undefined, keepsOptOuts: boolean): boolean {
		if (current && !this.isFresh(current)) return true;
		return keepsOptOuts && !(current && this.looksAround) && this.isListOutdated();
	}

	private isListOutdated(): boolean {
		return this.clock.elapsedMs() > this.freshUntilMs;
	}

	/** Reads the list of opted-out contacts again if it is outdated. */
	async refreshOptOuts(): Promise<void> {
		while (this.isListOutdated()) {
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
			// Its records may lack the field.
			this.keepIfNeeded({ ...contact, optInStatus: contact.optInStatus ?? 'opted_out' });
		});
		const endedMs = this.clock.elapsedMs();
		this.freshUntilMs = startedMs + Math.max(MAX_AGE_MS, 2 * (endedMs - startedMs));
	}
}

const DELETED = [
	'The contact no longer exists',
	'The contact was deleted during the sync, and was not created again.',
] as const;

export const WAS_DELETED = { 404: DELETED };

export function wasDeleted(): CrmError {
	return new CrmError(...DELETED, { status: 404 });
}

function hasConsent({ opt_in, consent_proof }: Consent): boolean {
	return opt_in !== undefined || consent_proof !== undefined;
}

function isOtherThan(contact: Contact): (row: Row) => boolean {
	const keys = keysOf({ phone: contact.phone });
	return ({ phone }) => phone !== '' && !keysOf({ phone }).some((key) => keys.includes(key));
}

const ONE_OR_ID =
	"Nothing was sent for this item. Delete all but one of them, or leave the phone number of this item blank and give the ID of the right one in 'Contact ID'.";

function noSuchContact(id: string): InputProblem {
	return new UnknownId(
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
