/** Which contacts of the CRM are missing. Absence says something only of a whole list: see `n8n/wholeList`. */
import type { Contact } from '../../../crm/records';
import { isNumber, Subscribers } from '../../../domain/sameNumber';
import { several } from '../../../domain/text';
import { UnknownId } from './known';
import type { SyncResult } from './plan';
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
	const unclear = rows.find((row, index) => mayBeAnyContact(row, results[index]));
	const notListed = (count: number, why: string) =>
		count > 0 ? [`${several(count, 'contact')} not listed as missing, because ${why}.`] : [];
	if (unclear) {
		const why = `it is unclear which contact ${nameRows([unclear])} means`;
		return { listed: [], sentences: notListed(others.length, why) };
	}
	const mayBeInInput = isIn(rows);
	const listed = others.filter((contact) => !mayBeInInput(contact));
	const sentences = notListed(
		others.length - listed.length,
		'their phone numbers are not international',
	);
	if (listed.length === 0) return { listed, sentences };
	const percent = Number(((100 * listed.length) / inCrm).toPrecision(2));
	const share = `${listed.length} of ${several(inCrm, 'contact')} in the CRM (${percent}%)`;
	if (listed.length <= Math.max(MAY_ALWAYS_BE_MISSING, (inCrm * missingAtMost) / 100))
		return { listed, sentences: [`${share} missing from the input.`, ...sentences] };
	const doubt = `${share} are not in the input: is the list whole?`;
	const remedy = `None is listed as missing, because 'Missing at Most (%)' under 'Options' is ${missingAtMost}. If the list is whole, raise it.`;
	return { listed: [], sentences: [`${doubt} ${remedy}`, ...sentences], doubt };
}

/** Finds the contacts that a row may mean. A number that could be anybody's may be any row's. */
function isIn(rows: readonly Row[]): (contact: Contact) => boolean {
	const inInput = new Subscribers();
	for (const { phone, otherReading } of rows) {
		inInput.add({ phone });
		inInput.add({ phone: otherReading });
	}
	return ({ phone }) => !isNumber(phone) || inInput.of({ phone }).length > 0;
}

/** Without a phone number, an item with no ID or a wrong one may mean any contact, unless nothing is in it. */
function mayBeAnyContact(row: Row, result: SyncResult | undefined): boolean {
	const { id, phone, isBlank, isEmpty } = row;
	const isFound = id !== undefined && !(result?.error instanceof UnknownId);
	return phone === '' && !isFound && !(isBlank && isEmpty);
}
