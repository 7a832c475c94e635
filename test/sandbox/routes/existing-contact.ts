import { notFound } from '../http/api-error';
import type { Contact } from '../records';
import type { Store } from '../state/store';

/** The contact of this id; 404 when there is none, also when the id is not even a UUID. */
export function existingContact(store: Store, id: string): Contact {
	const contact = store.contacts.get(id);
	if (!contact) throw notFound('contact');
	return contact;
}
