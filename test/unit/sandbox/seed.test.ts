import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { realClock } from '../../support/clock';
import { seedContacts } from '../../sandbox/seed/contacts';
import { OrderedContacts } from '../../sandbox/state/ordered-contacts';
import { Store } from '../../sandbox/state/store';

function seeded(count: number): Store {
	const store = new Store(realClock);
	seedContacts(store, count, realClock.now());
	return store;
}

describe('seeded contacts', () => {
	it('are the same on every run and all different', () => {
		const [first, second] = [seeded(50), seeded(50)].map(({ contacts }) =>
			[...contacts.values()].map(({ id, name, phone, tags }) => ({ id, name, phone, tags })),
		);
		expect(first).toEqual(second);
		expect(new Set(first.map(({ phone }) => phone)).size).toBe(50);
	});

	it('have valid phones, every consent state and attributes', () => {
		const contacts = [...seeded(3000).contacts.values()];
		const invalid = contacts.filter(({ phone }) => !isValidPhoneNumber(phone));
		expect(invalid.map(({ phone }) => phone)).toEqual([]);
		expect(new Set(contacts.map(({ opt_in_status }) => opt_in_status)).size).toBe(4);
		const keys = new Set(contacts.flatMap(({ attributes }) => Object.keys(attributes)));
		expect(keys).toEqual(new Set(['plan', 'city', 'birth_year', 'last_order']));
	});

	it('are many, and all of them are on pages', () => {
		const { orderedContacts } = seeded(100_000);
		const pages = Array.from({ length: 1000 }, (_, page) => orderedContacts.page(100, page * 100));
		expect(new Set(pages.flatMap(({ rows }) => rows)).size).toBe(100_000);
	});

	it('are kept in order as they come, and a page compares none of them', () => {
		let reads = 0;
		const contacts = [...seeded(1_000).contacts.values()].map((contact) =>
			Object.defineProperty({ ...contact }, 'created_at', {
				get: () => {
					reads += 1;
					return contact.created_at;
				},
			}),
		);
		const ordered = new OrderedContacts();
		for (const contact of contacts) ordered.insert(contact);
		// each but the first with the one before it, and the two times are read twice
		expect(reads).toBe(4 * 999);
		for (let offset = 0; offset < 1_000; offset += 100) ordered.page(100, offset);
		expect(reads).toBe(4 * 999);
	});
});
