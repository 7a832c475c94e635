import { phoneDigits } from '../phone';

/** A phone number in the input, as far as it could be read. */
export interface Mention {
	phone: string;
	/** Whether it is the whole number, and not one that may lack its country code. */
	isCertain: boolean;
}

/** Fewer digits than this would be the end of far too many numbers. */
const MIN_DIGITS = 5;

/**
 * Tells by the digits of a contact's phone whether the input mentions the contact. One that is
 * mentioned by a number that cannot be read for certain has a number that ends in its digits. In
 * doubt it is mentioned: whoever takes contacts for missing may well erase them.
 */
export function mentionTest(mentions: readonly Mention[]): (digits: string) => boolean {
	const whole = new Set<string>();
	const ends = new Set<string>();
	for (const { phone, isCertain } of mentions) {
		const digits = phoneDigits(phone);
		const national = digits.replace(/^0+/, '');
		if (isCertain) whole.add(digits);
		else if (national.length >= MIN_DIGITS) ends.add(national);
	}
	const lengths = [...new Set([...ends].map(({ length }) => length))];
	return (digits) => whole.has(digits) || lengths.some((length) => ends.has(digits.slice(-length)));
}
