/** Which contacts of the CRM are missing. Absence says something only of a whole list: see `n8n/wholeList`. */
import type { Contact } from '../../../crm/records';
import { asciiDigits } from '../../../domain/phone';
import { isNumber } from '../../../domain/sameNumber';
import { several } from '../../../domain/text';
import { UnknownId } from './knownContacts';
import type { SyncResult } from './syncResult';
import type { Row } from './row';
import { nameRows, type SyncReport } from './summary';
import { MISSING_AT_MOST } from './syncFields';

/** Of few contacts, each is a large share. */
const MAY_ALWAYS_BE_MISSING = 3;

export interface Missing {
	listed: Contact[];
	/** What the summary says. */
	sentences: string[];
	/** Set if so many are missing that the list may have been cut. Then none is listed. */
	doubt?: string;
}

export function findMissing(run: SyncReport): Missing {
	const { rows, results, unmentioned, inCrm } = run;
	const { missingAtMost = MISSING_AT_MOST } = run.options;
	// A contact may have been saved under another form of its number.
	const done = new Set(results.map(({ record }) => record?.id));
	const others = unmentioned.filter(({ record }) => !done.has(record.id));
	if (others.length === 0) return { listed: [], sentences: [] };
	const unclear = rows.filter((row, index) => mayBeAnyContact(row, results[index]));
	const notListed = (count: number, why: string) =>
		count > 0 ? [`${several(count, 'contact')} not listed as missing, because ${why}`] : [];
	if (unclear.length > 0) {
		const why = `it is unclear which contact is meant by ${nameRows(unclear)}`;
		const remedy = 'Give each a valid phone number or the ID of its contact.';
		return { listed: [], sentences: notListed(others.length, `${why}. ${remedy}`) };
	}
	const inInput = endingsInAll(run);
	const listed = others.filter(({ phone }) => {
		const ending = endingsIn(phone).at(-1);
		return isNumber(phone) && ending !== undefined && !inInput.has(ending);
	});
	const sentences = notListed(
		others.length - listed.length,
		'their phone numbers are not international, or their last digits stand in the input.',
	);
	if (listed.length === 0) return { listed, sentences };
	const percent = Number(((100 * listed.length) / inCrm).toPrecision(2));
	const share = `${listed.length} of ${several(inCrm, 'contact')} with an international phone number (${percent}%)`;
	if (listed.length <= Math.max(MAY_ALWAYS_BE_MISSING, (inCrm * missingAtMost) / 100))
		return { listed, sentences: [`${share} missing from the input.`, ...sentences] };
	const doubt = `${share} are not in the input: is the list whole?`;
	const remedy = `None is listed as missing, because 'Missing at Most (%)' under 'Options' is ${missingAtMost}. If the list is whole, raise it.`;
	return { listed: [], sentences: [`${doubt} ${remedy}`, ...sentences], doubt };
}

/** The shortest numbers without their area codes. */
const ENDING = 7;
/** Groups of the digits of a number, and what can't stand between them. */
const GROUPS = /\d+|[^\d\s\p{Pd}\p{Cf}.()/]+/gu;

/** The last digits at the end of each group, where a number may end. */
function endingsIn(text: string): string[] {
	let digits = '';
	const endings = [...asciiDigits(text).matchAll(GROUPS)].map(([part]) => {
		digits = /^\d/.test(part) ? `${digits}${part}`.slice(-ENDING) : '';
		return digits;
	});
	return endings.filter(({ length }) => length === ENDING);
}

/** Of the numbers of the rows, and of all that may be a number in any other field. */
function endingsInAll({ rows, inputs }: SyncReport): Set<string> {
	const numbers = rows.flatMap(({ phone, otherReading = '' }) => [phone, otherReading]);
	const texts = [...numbers, ...inputs.map((input) => JSON.stringify(input))];
	return new Set(texts.flatMap(endingsIn));
}

/**
 * Without a phone number, an item with no ID or a wrong one may mean any contact, unless nothing is in it. So may a
 * number that has perhaps lost a digit.
 */
function mayBeAnyContact(row: Row, result: SyncResult | undefined): boolean {
	const { id, phone, isUnverified, isBlank, isEmpty } = row;
	const isFoundByNumber = result?.action !== 'created' && result?.action !== 'notInCrm';
	if (isUnverified) return result?.error !== undefined || !isFoundByNumber;
	const isFound = id !== undefined && !(result?.error instanceof UnknownId);
	return phone === '' && !isFound && !(isBlank && isEmpty);
}
