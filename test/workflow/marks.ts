import type { IDataObject } from 'n8n-workflow';

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

/** The fields of an output that say what became of its message, as far as it has them. */
export function resultIn(json: IDataObject | undefined): IDataObject | undefined {
	if (!json) return undefined;
	const names = ['result', 'code', 'reason', 'message_key'].filter((name) => name in json);
	return Object.fromEntries(names.map((name) => [name, json[name]]));
}
