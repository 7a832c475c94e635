import type { Api } from '../api/client';
import { CrmError } from '../api/crmError';
import { MAX_PAGE_SIZE } from '../api/pagination';
import type { Contact } from '../api/types';
import { path } from '../api/urls';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../domain/concurrency';
import { phoneDigits } from '../domain/phone';
import { InputProblem } from '../domain/problem';
import {
	findContact,
	NoSuchContact,
	readWholeContact,
	visitContacts,
	type ChosenContact,
} from './contactReference';

/** The contact, or why the look-up failed; undefined if it does not exist. */
export type LookupResult = Contact | CrmError | InputProblem | undefined;

/**
 * Looks up the contacts of the input with as few requests as possible: reads all contacts if they have no
 * more pages than the input has contacts. Looks up the others, or those that the list lacks, one by one.
 *
 * @param wanted by `contactKeyOf`, as are the results
 * @throws CrmError for failures that affect every request, or for an incomplete list
 */
export async function findContacts(
	api: Api,
	wanted: ReadonlyMap<string, ChosenContact>,
): Promise<Map<string, LookupResult>> {
	const found = new Map<string, LookupResult>();
	const collect = (contact: Contact) => {
		for (const key of [contact.id.toLowerCase(), phoneDigits(contact.phone)]) {
			if (wanted.has(key)) found.set(key, firstOrProblem(found.get(key), contact));
		}
	};
	if (wanted.size > 1) {
		const firstPage = await api.page({ path: path`/v1/contacts` });
		const pages = Math.ceil((firstPage.total ?? Infinity) / MAX_PAGE_SIZE);
		if (pages <= wanted.size) await visitContacts(api, { firstPage }, collect);
	}
	const left = [...wanted].filter(([key]) => !found.has(key));
	await forEachAtOnce(left, ITEMS_AT_ONCE, async ([key, chosen]) => {
		const finding = findContact(api, chosen).then((contact) => readWholeContact(api, contact));
		found.set(key, await finding.catch(asLookupResult));
	});
	return found;
}

/** A list that changes during the reading may show a contact twice. */
function firstOrProblem(first: LookupResult, second: Contact): LookupResult {
	if (first === undefined) return second;
	if (first instanceof Error || first.id === second.id) return first;
	return new InputProblem(
		`Two contacts have the phone number ${second.phone}`,
		"No message was sent to either. Choose the contact 'By ID' instead.",
	);
}

/** Converts a failure to the result for one contact. */
function asLookupResult(error: unknown): LookupResult {
	if (error instanceof NoSuchContact) return undefined;
	if (error instanceof InputProblem) return error;
	if (!(error instanceof CrmError) || error.concernsAll) throw error;
	return error.status === 404 ? undefined : error;
}
