/** The only place that says which contact a row, an item or a record means. */
import { isInternational, phoneKey } from './phone';

/** What identifies a contact: its ID, its phone number, or both. Blank counts as missing. */
export interface Named {
	readonly id?: string;
	readonly phone?: string;
}

/**
 * The keys of a contact: its ID, then its number in whichever form. Two with a key in common are the same
 * contact, or one subscriber of the messaging service.
 */
export function keysOf({ id = '', phone = '' }: Named): string[] {
	return [id && `id ${id.toLowerCase()}`, phoneKey(phone)].filter((key) => key !== '');
}

/** The last digits that a national number has in common with its international form, whatever its country. */
const KEPT_DIGITS = 6;

/**
 * The stored numbers that no key can be compared with, because they have no country code: any international
 * number with the same ending may be the same.
 */
export class IncomparableNumbers {
	private readonly endings = new Set<string>();

	add(phone: string): void {
		if (phone.trim() === '' || isInternational(phone)) return;
		// With letters in it, it may have an extension, so it may be anybody's.
		const isPlain = /^[\d\s+()./-]+$/.test(phone);
		const digits = phoneKey(phone).replace(/^0+/, '');
		this.endings.add(isPlain ? digits.slice(-KEPT_DIGITS) : '');
	}

	mayInclude(phone: string): boolean {
		const key = phoneKey(phone);
		return [...this.endings].some((ending) => key.endsWith(ending));
	}
}
