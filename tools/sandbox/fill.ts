/** Records for a test or a comparison. */
import type { Contact, Sandbox, Subscription } from './index';

/** A contact in the store, without a request. */
export function addContact({ store }: Sandbox, fields: Partial<Contact> = {}): Contact {
	return store.addContact({ phone: '+4915123456789', ...fields });
}

/** Contacts in the store, each a second older than the next; the list has them in this order. */
export function addContacts(
	{ store }: Sandbox,
	count: number,
	fields: Partial<Contact> = {},
): Contact[] {
	const firstMs = Date.UTC(2025, 0, 1);
	return Array.from({ length: count }, (_, index) =>
		store.addContact({
			phone: `+1212${String(4_000_000 + index)}`,
			name: `Contact ${index}`,
			created_at: new Date(firstMs + index * 1_000).toISOString(),
			...fields,
		}),
	);
}

/** A webhook subscription in the store, without a request. */
export function addSubscription({ store }: Sandbox, fields: Partial<Subscription> = {}): void {
	const { id = 'sub_1' } = fields;
	store.subscriptions.set(id, {
		id,
		url: 'https://example.com/events',
		events: ['tag.added'],
		secret: 'x',
		active: true,
		created_at: '2026-01-01T00:00:00.000Z',
		...fields,
	});
}
