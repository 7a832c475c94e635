import { isValidPhoneNumber } from 'libphonenumber-js/max';
import { realClock } from '../../support/clock';
import { seedContacts } from '../../sandbox/seed/contacts';
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

	// with work for each page that grows with the list, this would not end in the time of a test
	it('are many, and all of them are on pages', () => {
		const { orderedContacts } = seeded(100_000);
		const pages = Array.from({ length: 1000 }, (_, page) => orderedContacts.page(100, page * 100));
		expect(new Set(pages.flatMap(({ rows }) => rows)).size).toBe(100_000);
	});
});
