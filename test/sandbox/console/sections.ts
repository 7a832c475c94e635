import type { Context } from '../context';
import type { RecordedRequest } from '../http/recorded-request';
import type { Contact } from '../records';
import { messageText } from '../state/message-text';
import type { Page } from '../state/ordered-contacts';
import { describeFault } from './describe-fault';
import { rateHistory } from './rate-history';
import type { MessageView, RequestView, Sections, TagView } from './views';

/** Which contacts the page wants to see. */
export interface ContactsShown {
	limit: number;
	offset: number;
	fits?: (contact: Contact) => boolean;
}

const deliveriesShown = 50;
const messagesShown = 50;
const requestsShown = 100;
const bodyCharactersShown = 2000;

const newestFirst = <T>(items: readonly T[], count: number): T[] => items.slice(-count).reverse();

/** One page of the contacts, the newest first; the last page when there are fewer than asked for. */
function contactsOf({ store }: Context, { limit, offset, fits }: ContactsShown) {
	const page = (count: number, from: number): Page<Contact> =>
		store.orderedContacts.page(count, from, fits);
	const { total } = page(0, 0);
	const lastPage = Math.max(0, Math.ceil(total / limit) - 1) * limit;
	const shownFrom = Math.min(offset, lastPage);
	const end = total - shownFrom;
	const start = Math.max(0, end - limit);
	return { rows: page(end - start, start).rows.reverse(), total, offset: shownFrom };
}

function tagsOf({ store }: Context): TagView[] {
	const counts = new Map([...store.tags.keys()].map((name) => [name, 0]));
	for (const { tags } of store.contacts.values()) {
		for (const name of tags) counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts].map(([name, contacts]) => ({ name, contacts }));
}

function messagesOf({ store }: Context): MessageView[] {
	return newestFirst(store.sentMessages, messagesShown).map((message) => {
		const contact = store.contacts.get(message.contact_id);
		return {
			id: message.id,
			contactId: message.contact_id,
			to: contact ? contact.name || contact.phone : '',
			template: message.template,
			text: messageText(store, message),
			sentAt: message.created_at,
		};
	});
}

function requestsOf({ requests }: Context): RequestView[] {
	const text = (body: unknown) => JSON.stringify(body)?.slice(0, bodyCharactersShown);
	return newestFirst(requests, requestsShown).map((request, index) => ({
		number: requests.length - index,
		method: request.method,
		path: pathWithQuery(request),
		body: text(request.body),
		status: request.status,
		atMs: request.atMs,
		tookMs: request.tookMs,
		isOverRate: request.rate === 'refused',
	}));
}

function pathWithQuery({ path, query }: RecordedRequest): string {
	const parameters = new URLSearchParams(query).toString();
	return parameters === '' ? path : `${path}?${parameters}`;
}

const readers: {
	[Name in keyof Sections]: (context: Context, shown: ContactsShown) => Sections[Name];
} = {
	service: ({ workspace, apiKey, store }) => ({
		workspace,
		apiKey,
		contacts: store.contacts.size,
	}),
	contacts: contactsOf,
	tags: tagsOf,
	messages: messagesOf,
	subscriptions: ({ store, labelOf }) =>
		[...store.subscriptions.values()].map(({ id, url, events, active, created_at }) => ({
			id,
			url,
			events,
			active,
			created_at,
			label: labelOf(url),
		})),
	deliveries: ({ deliveries }) =>
		newestFirst(deliveries.records, deliveriesShown).map(
			({ deliveryId: id, event, url, body, state, attempts }) => ({
				id,
				event,
				url,
				body,
				state,
				attempts,
			}),
		),
	requests: requestsOf,
	failures: ({ faults }) => faults.pending.map(describeFault),
	rate: ({ requests, clock, settings }) => ({
		limit: settings.limiter.limit,
		...rateHistory(requests, clock.now()),
	}),
};

/** Every section as it is now, by name, as JSON. */
export const readSections = (context: Context, shown: ContactsShown): Array<[string, string]> =>
	Object.entries(readers).map(([name, read]) => [name, JSON.stringify(read(context, shown))]);
