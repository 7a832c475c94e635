import type { Context } from '../context';
import type { Contact } from '../records';
import { messageText } from '../state/store';

/** What the page shows of a list: the newest rows, and how many there are in all. */
interface Shown {
	total: number;
	rows: unknown[];
}

const rowsShown = 100;

function newest<T>(all: readonly T[], toRow: (item: T, index: number) => unknown): Shown {
	const first = Math.max(0, all.length - rowsShown);
	const rows = all.slice(first).map((item, index) => toRow(item, first + index));
	return { total: all.length, rows: rows.reverse() };
}

function newestContacts({ store }: Context, fits?: (contact: Contact) => boolean): Shown {
	const { total } = store.orderedContacts.page(0, 0, fits);
	const { rows } = store.orderedContacts.page(rowsShown, Math.max(0, total - rowsShown), fits);
	return { total, rows: rows.reverse() };
}

/**
 * What the console shows. `fits` chooses the contacts.
 *
 * It holds no signing secret, no signature and no header of a request.
 */
export function consoleState(context: Context, fits?: (contact: Contact) => boolean): object {
	const { apiKey, store, requests, deliveries, faults } = context;
	return {
		apiKey,
		lists: {
			contacts: newestContacts(context, fits),
			messages: newest(store.sentMessages, (message) => {
				const { name, phone } = store.contacts.get(message.contact_id) ?? {};
				const to = name || phone || 'erased contact';
				return { ...message, to, text: messageText(store, message) };
			}),
			subscriptions: newest([...store.subscriptions.values()], (row) => without(row, 'secret')),
			requests: newest(requests, (request, index) => {
				const { path, query, ...row } = without(request, 'headers');
				const search = new URLSearchParams(query as Record<string, string>).toString();
				return { ...row, id: index + 1, path: search === '' ? path : `${path}?${search}` };
			}),
			deliveries: newest(deliveries.records, ({ deliveryId: id, ...row }) => ({
				...without(row, 'headers'),
				id,
			})),
			failures: newest(faults.pending, ({ match, times, kind }) => ({
				match: { method: match?.method, path: match?.path && String(match.path) },
				times,
				kind,
			})),
		},
	};
}

/** The same record without one of its fields, which must not be shown. */
function without<T extends object, K extends keyof T>(record: T, name: K): Omit<T, K> {
	const copy = { ...record };
	delete copy[name];
	return copy;
}
