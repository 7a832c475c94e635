import type { Api } from '../../../crm/client';
import type { CrmError } from '../../../crm/crmError';
import { lookUpAll, onlyOf, SeenContacts } from '../../../crm/lookUp';
import type { Contact } from '../../../crm/records';
import { idForm, keysOf, Subscribers, type Named } from '../../../domain/sameNumber';
import { skipOf, skipOfTwin, skipped, type MessageOutcome, type OnceRule } from '../once/outcome';

/** The contacts that a campaign has seen, and which of them are twins: have, or may have, the same number. */
export class Persons {
	private readonly seen = new SeenContacts();
	private readonly all = new Subscribers<Pick<Contact, 'id' | 'phone'>>();
	/** Why no twin of these contacts gets a message, by their ID. */
	private readonly excluded = new Map<string, MessageOutcome>();
	/** The items that get the message, unless it fails, by the ID of their contact. */
	private readonly items = new Map<string, number>();
	/** Why contacts are not known, by their key. */
	private readonly failures = new Map<string, CrmError>();

	constructor(private readonly rule: OnceRule) {}

	/** Looks up the contacts of the input, each once. @throws CrmError if that fails for all */
	async lookUp(api: Api, named: readonly Named[]): Promise<void> {
		const wanted = new Map(named.map((each) => [keyOf(each), each]));
		const unknown = await lookUpAll(api, [...wanted.values()], (contact) => {
			if (keysOf(contact).some((key) => wanted.has(key))) this.seen.add(contact);
			const skip = skipOfTwin(contact, this.rule);
			if (skip) this.excluded.set(contact.id, skip);
			this.all.add({ id: contact.id, phone: contact.phone });
		});
		for (const [each, failure] of unknown) if (failure) this.failures.set(keyOf(each), failure);
	}

	/** A contact that was looked up, undefined if there is none. @throws CrmError or InputProblem if that is unclear */
	find(named: Named): Contact | undefined {
		const failure = this.failures.get(keyOf(named));
		if (failure) throw failure;
		const found = this.seen.of(named);
		return named.id === undefined ? onlyOf(found, named.phone ?? '', BY_ID_INSTEAD) : found[0];
	}

	/** The IDs of a contact's twins, as far as seen. */
	twinsOf(contact: Named): string[] {
		return [...new Set(this.all.of(contact).map(({ id }) => id))];
	}

	/** Why a contact gets no message: an earlier item reaches it or a twin, or by what it or a twin says. */
	skipOf(contact: Contact): MessageOutcome | undefined {
		const [twin] = this.twinsOf(contact).flatMap((id) => this.excluded.get(id) ?? []);
		return this.duplicateOf(contact) ?? skipOf(contact, this.rule) ?? twin;
	}

	private duplicateOf(contact: Contact): MessageOutcome | undefined {
		const begun = [contact, ...this.all.of(contact)].filter(({ id }) => this.items.has(idForm(id)));
		const keys = keysOf(contact);
		const same = begun.find((each) => keysOf(each).some((key) => keys.includes(key)));
		const [near] = begun;
		const item = this.items.get(idForm((same ?? near)?.id ?? ''));
		if (item === undefined) return undefined;
		const has = same ? 'is the same contact, or has' : 'may have';
		return skipped(
			'duplicate',
			`Item ${item + 1} ${has} the same phone number. See its result there.`,
		);
	}

	/** Notes that an item gets the message, unless it fails. */
	begin({ id = '', phone = '' }: Named, item: number): void {
		this.items.set(idForm(id), item);
		this.all.add({ id, phone });
	}
}

const keyOf = (named: Named) => keysOf(named).join();

const BY_ID_INSTEAD = "No message was sent to any of them. Choose the contact 'By ID' instead.";
