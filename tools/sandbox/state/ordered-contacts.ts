import type { Contact } from '../records';

export interface Page<T> {
	rows: T[];
	total: number;
}

function compare(a: Contact, b: Contact): number {
	if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
	return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/**
 * All contacts by time of creation, then id.
 *
 * Kept sorted, because sorting (or copying) 100,000 contacts for each page would make reading
 * them all quadratic.
 */
export class OrderedContacts {
	private readonly rows: Contact[] = [];

	insert(contact: Contact): void {
		const index = this.indexFor(contact);
		if (index === this.rows.length) this.rows.push(contact);
		else this.rows.splice(index, 0, contact);
	}

	remove(contact: Contact): void {
		this.rows.splice(this.indexFor(contact), 1);
	}

	clear(): void {
		this.rows.length = 0;
	}

	/** One page of the contacts that fit; without `fits` of all of them. */
	page(limit: number, offset: number, fits?: (contact: Contact) => boolean): Page<Contact> {
		if (!fits) {
			return { rows: this.rows.slice(offset, offset + limit), total: this.rows.length };
		}
		const rows: Contact[] = [];
		let total = 0;
		for (const contact of this.rows) {
			if (!fits(contact)) continue;
			if (total >= offset && rows.length < limit) rows.push(contact);
			total += 1;
		}
		return { rows, total };
	}

	/** Where `contact` is, or belongs: new ones go to the end, so the end is tried first. */
	private indexFor(contact: Contact): number {
		const last = this.rows.at(-1);
		if (!last || compare(last, contact) < 0) return this.rows.length;
		let low = 0;
		let high = this.rows.length - 1;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (compare(this.rows[middle], contact) < 0) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
