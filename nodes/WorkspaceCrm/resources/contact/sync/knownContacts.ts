import type { Api } from '../../../crm/client';
import type { Clock } from '../../../crm/clock';
import { CrmError } from '../../../crm/crmError';
import { readContact, type Contact } from '../../../crm/records';
import { InputProblem, quoted } from '../../../domain/inputProblem';
import {
	firstKey,
	isNumber,
	keysOf,
	phoneForms,
	Subscribers,
	type Named,
} from '../../../domain/sameNumber';
import { lookUpAll, onlyOf, SeenContacts, visitContacts } from '../../../crm/lookUp';
import type { DesiredContact } from './mergedRows';
import { shownBy, type Consent, type Row } from './row';
import type { SyncOptions } from './syncFields';

/** No contact has the ID of a row, so the row may mean any contact. */
export class UnknownId extends InputProblem {}

/** Up to so many contacts are all compared, by look-ups or the whole list. Of more, perhaps only some. */
const FEW_CONTACTS = 100;

/** How old what consent relies on may be: the contact, or for a new one the list of those who have opted out. */
const MAX_AGE_MS = 10_000;

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
	/** Contacts of the input that no look-up was for, or whose look-up failed, by their first key. Some may be seen. */
	private unknown: ReadonlyMap<string, CrmError | undefined> = new Map();
	private readonly seen = new SeenContacts();
	private readonly optedOut = new Subscribers<Contact>();
	/** Opted-out contacts of which no answer shows whether they have a number: they may be anybody. */
	private readonly optedOutHidden: Contact[] = [];
	private readonly mentioned: ReadonlySet<string>;
	/** Whether to keep the numbers of all: consent for an ID goes by phone, and others may have the same. */
	private needsNumbers = false;
	/** Those that may be meant by national numbers, if the input opts out numbers that they may have. */
	private readonly withoutPlus = new Subscribers<Contact>();
	private needsNational = false;
	/** Until when a contact counts as just seen by itself, by its ID or its phone. */
	private readonly freshUntilMs = new Map<string, number>();
	private optOutsUntilMs = -Infinity;
	/**
	 * Whether the list of those who have opted out was read at all. That is enough for a known contact: a look shows
	 * its own status, and the list only who else may have its number.
	 */
	hasReadOptOuts = false;
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
	 * second contact. If none may be created, it looks up all.
	 *
	 * @param wasKnown whether an earlier try knew the contact: if it is gone, it must not be created again
	 * @throws CrmError if a list is incomplete
	 */
	async read(
		desired: readonly DesiredContact[],
		wasKnown: (desired: DesiredContact) => boolean = () => false,
	): Promise<void> {
		const { missing, onlyUpdate } = this.options;
		const needsAll = missing === 'output';
		if (desired.length === 0 && !needsAll) return;
		const isFew = desired.length <= FEW_CONTACTS;
		const isOptional = (each: DesiredContact) =>
			!isFew &&
			!onlyUpdate &&
			each.id === undefined &&
			!hasConsent(each.fields) &&
			phoneForms(each.phone).length === 1 &&
			!wasKnown(each);
		const then = ({ id, fields, rows }: DesiredContact) => {
			const phone = id === undefined ? '' : this.of({ id })[0]?.phone;
			const shown = rows.flatMap(shownBy).filter((each) => each.id !== id);
			return [
				...shown.filter((each) => this.of(each).length === 0),
				...(phone && hasConsent(fields) ? [{ phone }] : []),
			];
		};
		this.needsNumbers = desired.some(({ id, fields }) => id !== undefined && hasConsent(fields));
		this.needsNational = desired.some(({ fields }) => fields.opt_in === false);
		const visit = (contact: Contact) => this.keepIfNeeded(contact);
		const unknown = await lookUpAll(this.api, desired, visit, { needsAll, isOptional, then });
		this.unknown = new Map(Array.from(unknown, ([each, failure]) => [firstKey(each), failure]));
	}

	/** For the contacts of a list. It keeps only those needed: there may be too many. */
	private keepIfNeeded(contact: Contact): void {
		const { id, phone, optInStatus } = contact;
		const isMentioned = keysOf(contact).some((key) => this.mentioned.has(key));
		if (isNumber(phone)) this.ids.add(id);
		if (isMentioned || optInStatus === 'opted_out') this.add(contact);
		else if (this.needsNumbers) this.add(readContact({ id, phone }));
		if (this.needsNational && !phone.startsWith('+')) this.withoutPlus.add(contact);
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

	/**
	 * For a contact that an answer shows by itself.
	 *
	 * @param sentMs when the request was sent: the answer may have taken long
	 * @param isLook whether it changed nothing. Such an answer may count longer
	 */
	see(contact: Contact, sentMs: number, isLook = false): void {
		this.add(contact);
		const freshMs = isLook ? this.ageFrom(sentMs) : MAX_AGE_MS;
		this.freshUntilMs.set(nameOf(contact), sentMs + freshMs);
	}

	/** Whether the contact was just seen by itself. If it was deleted since, a request by phone creates it again. */
	isFresh(contact: Contact): boolean {
		return this.clock.elapsedMs() <= (this.freshUntilMs.get(nameOf(contact)) ?? -Infinity);
	}

	/** Ten seconds, or twice the time that reading took, if that is longer: otherwise, it would always be too old. */
	private ageFrom(sentMs: number): number {
		return Math.max(MAX_AGE_MS, 2 * (this.clock.elapsedMs() - sentMs));
	}

	/** The contacts with the ID, or with the number in whichever form. */
	of(named: Named): Contact[] {
		return this.seen.of(named);
	}

	/** The contacts that a row may mean: with an ID, by that only. */
	meantBy({ id, phone }: Named): Contact[] {
		return this.of(id === undefined ? { phone } : { id });
	}

	/** The key of the contact that a row means, as far as it is known: rows with the same key are of one contact. */
	keyOf(row: Row): string {
		const found = this.meantBy(row);
		const [only = row] = found.length === 1 ? found : [];
		return firstKey(only);
	}

	/** Whether the CRM has no such contact if none was seen. */
	isLookedUp({ rows }: DesiredContact): boolean {
		return this.unknown.size === 0 || rows.some((row) => !this.unknown.has(firstKey(row)));
	}

	/** A contact as it was last shown. */
	newest(contact: Contact): Contact {
		const { id, phone } = contact;
		return this.of(id === '' ? { phone } : { id })[0] ?? contact;
	}

	/** An opted-out contact that is another one for the CRM, but may have the same number, as far as the CRM shows it. */
	optedOutTwin(named: Named): Contact | undefined {
		const isOther = ({ id }: Contact) => id !== named.id;
		return this.optedOut.of(named)[0] ?? this.optedOutHidden.find(isOther);
	}

	/**
	 * Says which contact is meant.
	 *
	 * @returns undefined if the CRM has none, or if it was neither looked up nor seen
	 * @throws InputProblem unless it is certain; CrmError if the look-up failed
	 */
	find(desired: DesiredContact): Contact | undefined {
		const { id, phone, rows, fields } = desired;
		const failures =
			this.unknown.size > 0 ? rows.map((row) => this.unknown.get(firstKey(row))) : [];
		const failure = failures.find((each) => each !== undefined);
		if (failure) throw failure;
		const current = onlyOf(this.meantBy(desired), phone, ONE_OR_ID);
		for (const row of rows) {
			const shown = shownBy(row).flatMap((each) => this.of(each));
			const other = shown.find((contact) => isOtherThan(contact)(row));
			if (other) throw otherNumber(row.phone, other);
		}
		if (!current && !this.isLookedUp(desired)) return undefined;
		if (!current && id !== undefined) throw noSuchContact(id);
		const [namesake] = !current && fields.opt_in === false ? this.withoutPlus.of({ phone }) : [];
		if (namesake) throw mayBeMeant(phone, namesake);
		// Its number may have changed; and of several rows with its ID, one may be meant for another contact.
		const other = current && rows.find(isOtherThan(current));
		if (other) throw otherNumber(other.phone, current);
		return current;
	}

	/** Whether the list of those who have opted out is too old for sending consent. */
	get areOptOutsOutdated(): boolean {
		return this.clock.elapsedMs() > this.optOutsUntilMs;
	}

	/** Reads the list of those who have opted out, once for all that need it at the same time. */
	async readOptOuts(): Promise<void> {
		this.reading ??= this.readOptOutList().finally(() => (this.reading = undefined));
		await this.reading;
	}

	private async readOptOutList(): Promise<void> {
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
		this.hasReadOptOuts = true;
		this.optOutsUntilMs = startedMs + this.ageFrom(startedMs);
	}
}

/** A service may show a contact without its ID. */
function nameOf({ id, phone }: Contact): string {
	return id || phone;
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
	const isSame = (phone: string) =>
		phone === contact.phone || firstKey({ phone }) === firstKey({ phone: contact.phone });
	return ({ phone }) => phone !== '' && !isSame(phone);
}

const ONE_OR_ID =
	"Nothing was sent for this item. Delete all but one of them, or leave the phone number of this item blank and give the ID of the right one in 'Contact ID'.";

function noSuchContact(id: string): InputProblem {
	return new UnknownId(
		`No contact has the ID ${id}`,
		'It may have been erased. Nothing was sent for this item, and no contact was created. Correct the ID; without an ID, the contact is found or created by its phone number.',
	);
}

function otherNumber(phone: string, { id, phone: current }: Contact): InputProblem {
	return new InputProblem(
		`The contact ${id} does not have the phone number ${phone}`,
		`It has ${current === '' ? 'none' : current}. Nothing was sent for this item. Correct the ID or the phone number, or leave one of them blank.`,
	);
}

function mayBeMeant(phone: string, { id, phone: stored }: Contact): InputProblem {
	return new InputProblem(
		`The phone number ${phone} may be that of the contact ${id}, which the CRM shows with ${quoted(stored)}`,
		"Nothing was sent for this item: 'Opt In: No' would create a second contact, and the first would still get messages. In the CRM, give that contact its number with a plus and its country code. If it is another person, use Contact > Create or Update for this item.",
	);
}
