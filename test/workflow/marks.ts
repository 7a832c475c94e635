import type { Contact, Sandbox } from '../../tools/sandbox';

/** How many messages a contact got. */
export function messagesTo({ store }: Sandbox, { id }: Contact): number {
	return store.sentMessages.filter(({ contact_id }) => contact_id === id).length;
}

/** The values of a contact's attributes that begin with `sent:`, as the service has them. */
export function marksOf({ store }: Sandbox, { id }: Contact): string[] {
	const attributes = Object.entries(store.contacts.get(id)?.attributes ?? {});
	return attributes.filter(([name]) => name.startsWith('sent:')).map(([, value]) => String(value));
}

/** The marks that say that the message was sent, or interrupted. */
export function validMarksOf(sandbox: Sandbox, contact: Contact): string[] {
	return marksOf(sandbox, contact).filter((value) => value && !value.startsWith('refused'));
}
