import type { IDataObject, INode } from 'n8n-workflow';

import type { Contact, Sandbox } from '../../tools/sandbox';
import { realClock } from '../../tools/support/clock';

/** Later than all messages of the demo's contacts, as one example looks at their times. */
const AT = '2030-01-31T09:30:00.000Z';
export const clock = { ...realClock, now: () => Date.parse(AT) };

/** What happens in the CRM. */
export type Act = (sandbox: Sandbox, contact: Contact) => unknown;

/** Returns the first item that a trigger starts with once it has happened. */
export type FirstEvent = (trigger: INode, act: Act) => Promise<IDataObject>;

/** As many contacts as in the demo, so that the event is about one that is there. */
export const options = { clock, contacts: 200 };

/** The newest contact who may get messages, and is in no segment of the examples. */
export function contactOf({ store }: Sandbox): Contact {
	const fits = ({ opt_in_status: status, locale }: Contact) =>
		status === 'confirmed' && locale === 'en_US';
	const contact = [...store.contacts.values()].filter(fits).at(-1) as Contact;
	return Object.assign(contact, { tags: ['lead'] });
}
