import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import type { Contact } from '../../../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneForms } from '../../../domain/phone';
import { findByPhone, readWholeContact, visitContacts } from '../../contactReference';
import { mayBreakOptOut } from './consent';
import type { DesiredContact } from './desired';
import type { KnownContacts } from './known';
import type { SyncSettings } from './syncFields';

/** Up to how many contacts are looked up one by one, where reading all of them would take longer. */
const FEW_CONTACTS = 100;

/**
 * Reads all contacts if their pages are no more than the contacts of the input, or if missing ones are
 * asked for. Otherwise it looks up those that are few, that are named by an ID, or that are opted in.
 *
 * @throws CrmError for a list that cannot be read whole
 */
export async function readContacts(
	api: Api,
	desired: readonly DesiredContact[],
	settings: SyncSettings,
	known: KnownContacts,
): Promise<void> {
	const { outputsMissing } = settings;
	if (desired.length === 0 && !outputsMissing) return;
	const note = (contact: Contact) => known.note(contact);
	const { contacts, total } = await api.contactsPage(0);
	if (outputsMissing || Math.ceil((total ?? Infinity) / MAX_PAGE_SIZE) <= desired.length) {
		const firstPage = { records: contacts.map(({ record }) => record), total };
		return await visitContacts(api, { firstPage }, note);
	}
	// Nobody whom this page shows as opted out may be opted in.
	contacts.forEach(note);
	const isRead = ({ id, fields }: DesiredContact) =>
		id !== undefined || desired.length <= FEW_CONTACTS || mayBreakOptOut(fields, settings);
	known.unread = new Set(desired.filter((each) => !isRead(each)));
	await forEachAtOnce(desired.filter(isRead), ITEMS_AT_ONCE, async (each) =>
		(await lookUp(api, each)).forEach(note),
	);
}

async function lookUp(api: Api, { id, phone }: DesiredContact): Promise<Contact[]> {
	if (id !== undefined) {
		return await readWholeContact(api, { id }).then(
			(contact) => [contact],
			(error: unknown) => {
				if (error instanceof CrmError && error.status === 404) return [];
				throw error;
			},
		);
	}
	const found: Contact[] = [];
	for (const form of phoneForms(phone)) found.push(...(await findByPhone(api, form)));
	return found;
}
