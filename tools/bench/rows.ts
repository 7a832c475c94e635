import type { Sandbox } from '../sandbox';

/** What a user has of a contact elsewhere, such as in a sheet. */
export interface Row {
	phone: string;
	name: string;
	city: string;
}

const cities = ['Berlin', 'Hamburg', 'München', 'Köln'];

/** Rows with a valid phone number each; the same ones on every call. */
export function makeRows(count: number): Row[] {
	return Array.from({ length: count }, (_, index) => ({
		phone: `+491511${String(index).padStart(7, '0')}`,
		name: `Contact ${index}`,
		city: cities[index % cities.length],
	}));
}

/** Adds the rows to the sandbox as contacts, without requests; each is a second older than the next. */
export function addAsContacts({ store }: Sandbox, rows: Row[]): void {
	const firstMs = Date.UTC(2025, 0, 1);
	for (const [index, { phone, name, city }] of rows.entries()) {
		const created_at = new Date(firstMs + index * 1_000).toISOString();
		store.addContact({ phone, name, attributes: { city }, created_at });
	}
}

/** How many rows the sandbox lacks, or has with other values. */
export function countMissing({ store }: Sandbox, rows: Row[]): number {
	return rows.filter(({ phone, name, city }) => {
		const contact = store.findByPhone(phone);
		return contact?.name !== name || contact.attributes.city !== city;
	}).length;
}
