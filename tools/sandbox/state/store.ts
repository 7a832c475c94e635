import { randomUUID } from 'node:crypto';
import type { Clock } from '../../support/clock';
import { notFound } from '../http/api-error';
import type {
	Automation,
	ConsentEntry,
	Contact,
	Enrolment,
	Segment,
	SentMessage,
	Subscription,
	Tag,
	Template,
} from '../records';
import { seedAutomations, seedSegments, seedTemplates } from '../seed/fixed-records';
import { OrderedContacts } from './ordered-contacts';
import { digitsOf, isSameNumber, type PhoneRule } from './phone';

/** What a test may set about the workspace that the API itself cannot change. */
interface Rules {
	/** Messages in one calendar month (UTC); above it 402. null: no limit. */
	monthlySendLimit: number | null;
	/** False: the workspace has not paid, sending and enrolling give 402. */
	accountActive: boolean;
	/** Contact id or template name to the text with which the messaging platform rejects (502). */
	platformRejects: Map<string, string>;
	/** Phone numbers that no library knows yet: as they are given, and in E.164. */
	newNumbers: Map<string, string>;
	phones: PhoneRule;
	/** For `byNumber`: the country of stored numbers without a code; null: they are no numbers. */
	homeCountry: string | null;
	/** Subscriptions that may be active at a time. */
	maxSubscriptions: number;
	/** Status for one subscription too many. Not stated; 409 is this sandbox's choice. */
	tooManySubscriptionsStatus: number;
}

function defaultRules(): Rules {
	return {
		monthlySendLimit: null,
		accountActive: true,
		platformRejects: new Map(),
		newNumbers: new Map(),
		phones: 'unified',
		homeCountry: null,
		maxSubscriptions: 20,
		tooManySubscriptionsStatus: 409,
	};
}

/** Everything the workspace holds. Read it freely; change contacts only through the methods. */
export class Store {
	private readonly contactsById = new Map<string, Contact>();

	private readonly contactsByDigits = new Map<string, Contact>();

	readonly orderedContacts = new OrderedContacts();

	readonly tags = new Map<string, Tag>();

	readonly subscriptions = new Map<string, Subscription>();

	readonly enrolments: Enrolment[] = [];

	readonly sentMessages: SentMessage[] = [];

	consentTrail: ConsentEntry[] = [];

	templates: Template[] = seedTemplates();

	automations: Automation[] = seedAutomations();

	segments: Segment[] = seedSegments();

	rules = defaultRules();

	constructor(private readonly clock: Clock) {}

	get contacts(): ReadonlyMap<string, Contact> {
		return this.contactsById;
	}

	/** The clock's time as the API writes it. */
	nowIso(): string {
		return new Date(this.clock.now()).toISOString();
	}

	findByPhone(phone: string): Contact | undefined {
		const { phones, homeCountry } = this.rules;
		const all = [...this.contactsById.values()];
		if (phones === 'byText') return all.find((contact) => contact.phone === phone);
		const same = this.contactsByDigits.get(digitsOf(phone));
		if (same !== undefined || phones === 'unified') return same;
		return all.find((contact) => isSameNumber(contact.phone, phone, homeCountry ?? undefined));
	}

	/** Adds a contact without events; whatever is not given is empty. */
	addContact({ phone, ...fields }: Partial<Contact> & { phone: string }): Contact {
		const contact: Contact = {
			id: randomUUID(),
			phone,
			name: null,
			locale: null,
			source: null,
			opt_in_status: 'none',
			attributes: {},
			tags: [],
			last_inbound_at: null,
			created_at: this.nowIso(),
			...fields,
		};
		for (const tag of contact.tags) this.addTag(tag);
		this.contactsById.set(contact.id, contact);
		this.contactsByDigits.set(digitsOf(contact.phone), contact);
		this.orderedContacts.insert(contact);
		return contact;
	}

	/** The privacy erasure: the contact, its consent trail and its tag links go. */
	eraseContact(contact: Contact): void {
		this.contactsById.delete(contact.id);
		this.contactsByDigits.delete(digitsOf(contact.phone));
		this.orderedContacts.remove(contact);
		this.consentTrail = this.consentTrail.filter(({ contact_id }) => contact_id !== contact.id);
	}

	/** The workspace's tag of this name, created if missing. */
	addTag(name: string): Tag {
		const tag = this.tags.get(name) ?? { id: randomUUID(), name };
		this.tags.set(name, tag);
		return tag;
	}

	recordConsent(contact: Contact, optIn: boolean | null, proof: string | null): void {
		this.consentTrail.push({
			contact_id: contact.id,
			opt_in: optIn,
			consent_proof: proof,
			recorded_at: this.nowIso(),
		});
	}

	/** Empties everything; templates, automations and segments are again the seeded ones. */
	reset(): void {
		this.contactsById.clear();
		this.contactsByDigits.clear();
		this.orderedContacts.clear();
		this.tags.clear();
		this.subscriptions.clear();
		this.enrolments.length = 0;
		this.sentMessages.length = 0;
		this.consentTrail = [];
		this.templates = seedTemplates();
		this.automations = seedAutomations();
		this.segments = seedSegments();
		this.rules = defaultRules();
	}
}

/** The contact of this id; 404 when there is none, also when the id is not even a UUID. */
export function existingContact(store: Store, id: string): Contact {
	const contact = store.contacts.get(id);
	if (!contact) throw notFound('contact');
	return contact;
}

/** A message as its contact reads it: the text of its template, with the variables filled in. */
export function messageText(store: Store, { template, variables }: SentMessage): string {
	const { body = '' } = store.templates.find(({ name }) => name === template) ?? {};
	const values = (variables ?? {}) as Record<string, unknown>;
	return body.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name] ?? ''));
}
