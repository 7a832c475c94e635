import { Api } from '../../../../../nodes/WorkspaceCrm/crm/client';
import { createRuntime } from '../../../../../nodes/WorkspaceCrm/crm/connection';
import type { Transport } from '../../../../../nodes/WorkspaceCrm/crm/transport';
import type { Row } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/row';
import { syncContacts } from '../../../../../nodes/WorkspaceCrm/resources/contact/sync/allContacts';
import { jumpingClock } from '../../../../workflow/support';

/**
 * What somebody else does to a contact between any two requests: all of it, at all places, one after the other. Nobody
 * is created again or opted in, and what others changed stays.
 */
interface Contact {
	id: string;
	phone: string;
	name: string | null;
	locale: string | null;
	source: string | null;
	tags: string[];
	attributes: object;
	opt_in_status: string;
}

const PHONE = '+4915123456789';
/** The library does not know it. */
const UNKNOWN = '+49199123456';

/** A service that keeps its contacts in a list, and lets things happen after each request. */
class Service {
	readonly contacts: Contact[] = [];
	readonly requests: Array<{ method: string; body: Record<string, unknown> }> = [];
	private nextId = 1;

	constructor(private readonly happen: (request: number, service: Service) => Promise<void>) {}

	add(phone: string, fields: Partial<Contact> = {}): Contact {
		const contact: Contact = {
			id: `c-${this.nextId++}`,
			phone,
			name: null,
			locale: null,
			source: null,
			tags: [],
			attributes: {},
			opt_in_status: 'none',
			...fields,
		};
		this.contacts.push(contact);
		return contact;
	}

	readonly transport: Transport = {
		send: async ({ method, url, body = '{}' }) => {
			const fields = JSON.parse(body) as Record<string, unknown>;
			const answer = this.answer(method, new URL(url), fields);
			const payload = Buffer.from(JSON.stringify(answer ?? { detail: 'Not found' }));
			this.requests.push({ method, body: fields });
			await this.happen(this.requests.length - 1, this);
			return { status: answer ? 200 : 404, headers: {}, body: only(payload) };
		},
	};

	private answer(method: string, url: URL, body: Record<string, unknown>): object | undefined {
		const [, , , id, , tag] = url.pathname.split('/');
		if (method === 'POST' && id === undefined) return this.save(body);
		if (id === undefined) {
			const { search = '', opt_in_status: status } = Object.fromEntries(url.searchParams);
			const data = this.contacts.filter(
				(each) =>
					each.phone.includes(search) && (status ?? each.opt_in_status) === each.opt_in_status,
			);
			return { data, total: data.length, limit: 100, offset: 0 };
		}
		const contact = this.contacts.find((each) => each.id === id);
		if (!contact) return undefined;
		if (method === 'POST') contact.tags.push(String(body.name));
		if (method === 'PATCH') Object.assign(contact, body);
		if (method === 'DELETE') contact.tags = contact.tags.filter((each) => each !== tag);
		return { ...contact };
	}

	private save({ phone, tags = [], opt_in, ...fields }: Record<string, unknown>): object {
		const found = this.contacts.find((each) => each.phone === phone);
		const contact = found ?? this.add(String(phone));
		Object.assign(contact, fields);
		contact.tags.push(...(tags as string[]));
		if (opt_in === true) contact.opt_in_status = 'confirmed';
		return { ...contact, created: !found };
	}
}

async function* only(chunk: Buffer) {
	yield await Promise.resolve(chunk);
}

const EVENTS: Record<string, (contact: Contact, service: Service) => void> = {
	erased: (contact, { contacts }) => void contacts.splice(contacts.indexOf(contact), 1),
	optedOut: (contact) => void (contact.opt_in_status = 'opted_out'),
	renumbered: (contact) => void (contact.phone = '+4915199999999'),
	tagged: ({ tags }) => void tags.push('by hand'),
	changed: (contact) => void (contact.source = 'by hand'),
};
const KINDS = Object.keys(EVENTS);

interface Happening {
	kind: string;
	/** After which request. */
	request: number;
}

const yes = { opt_in: true, consent_proof: 'Form' };
const fields = { name: 'New', source: 'import', attributes: { plan: 'pro' }, tags: ['new'] };
const row = (more: Partial<Row>): Row => ({ item: 0, phone: PHONE, fields: {}, ...more });
const CASES: Record<string, { row: Row; isNew?: boolean }> = {
	'fields and a Yes': { row: row({ fields: { ...fields, ...yes } }) },
	'fields and a Yes, by its ID': {
		row: row({ id: 'c-1', phone: '', fields: { ...fields, ...yes } }),
	},
	'a Yes alone': { row: row({ fields: yes }) },
	'a No': { row: row({ fields: { ...fields, locale: 'de', opt_in: false } }) },
	'fields and a proof': {
		row: row({ fields: { ...fields, locale: 'de', consent_proof: 'Form' } }),
	},
	fields: { row: row({ fields }) },
	'all of a new contact': {
		row: row({ fields: { ...fields, ...yes, locale: 'de' } }),
		isNew: true,
	},
	'all of a new contact whose number cannot be checked': {
		row: row({ phone: UNKNOWN, isUnverified: true, fields: { ...fields, ...yes, locale: 'de' } }),
		isNew: true,
	},
};

interface Run {
	/** The contacts with which the run was about, or that it made. */
	contacts: Contact[];
	requests: Service['requests'];
	/** What has happened: a run may be over before, and there may be no contact yet. */
	happened: Happening[];
	error: string;
}

async function run(
	name: string,
	happenings: readonly Happening[] = [],
	answerMs = 0,
): Promise<Run> {
	const { row: given, isNew } = CASES[name] ?? { row: row({}) };
	const clock = jumpingClock();
	const happened: Happening[] = [];
	const service = new Service(async (request, { contacts }) => {
		if (answerMs > 0) await clock.sleep(answerMs);
		for (const each of happenings.filter((one) => one.request === request)) {
			const contact = contacts.find(({ id }) => id !== other.id);
			if (!contact) continue;
			EVENTS[each.kind]?.(contact, service);
			happened.push(each);
		}
	});
	if (!isNew) service.add(PHONE, { name: 'Old', source: 'import', tags: ['old'] });
	// So that all contacts are read: then all that happens after the first request is too late for the first plan.
	const other = service.add('+12125550123', { name: 'Other' });
	const credential = { baseUrl: 'https://crm.example.com', apiKey: 'key' };
	const crm = new Api(service.transport, credential, { runtime: createRuntime(clock) });
	const rows = [given, row({ item: 1, phone: other.phone, fields: { name: 'Other' } })];
	const copies = rows.map((each) => ({ ...each, fields: { ...each.fields } }));
	const { results } = await syncContacts(crm, copies, { tagMode: 'match' }, { of: () => ({}) });
	const contacts = service.contacts.filter((each) => each !== other);
	const { requests } = service;
	return { contacts, requests, happened, error: String(results[0]?.error) };
}

/** What is wrong after a run, if anything is. */
function wrongAfter({ contacts, requests, happened, error }: Run): string[] {
	const is = (kind: string) => happened.some((each) => each.kind === kind);
	const [contact] = contacts;
	const wrong: string[] = [];
	const most = is('erased') ? 0 : 1;
	// Only the answer shows what happened in the moment of the request with the consent.
	if (contacts.length > most && !error.includes('in the moment of its request'))
		wrong.push('created anew');
	if (is('erased') || !contact) return wrong;
	const isInMoment = happened.some(({ kind, request }) => {
		const { phone, opt_in } = requests[request + 1]?.body ?? {};
		return kind === 'optedOut' && phone !== undefined && opt_in === true;
	});
	if (is('optedOut') && contact.opt_in_status !== 'opted_out' && !isInMoment)
		wrong.push('opted in');
	if (is('tagged') && !contact.tags.includes('by hand')) wrong.push('a tag of others is gone');
	if (is('changed') && contact.source !== 'by hand') wrong.push('a field of others is gone');
	return wrong;
}

describe.each([0, 11_000])('where each answer takes %i ms', (answerMs) => {
	test.each(Object.keys(CASES))('while a sync sends %s', async (name) => {
		const { requests } = await run(name, [], answerMs);
		// A run that has to look again takes more.
		const places = Array.from({ length: requests.length + 1 }, (_, index) => index);
		const singles = KINDS.flatMap((kind) => places.map((request) => ({ kind, request })));
		const pairs = singles.flatMap((one) =>
			singles
				.filter(({ kind, request }) => request >= one.request && kind !== one.kind)
				.map((other) => [one, other]),
		);
		const wrong: string[] = [];
		for (const happenings of pairs) {
			const after = await run(name, happenings, answerMs);
			for (const what of wrongAfter(after))
				wrong.push(`${what}: ${JSON.stringify(after.happened)} ${after.error}`);
		}
		expect(wrong.slice(0, 5)).toEqual([]);
		expect(pairs.length).toBeGreaterThan(100);
	});
});
