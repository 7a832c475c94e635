import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import type { Contact } from '../../../api/types';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneForms } from '../../../domain/phone';
import { findByPhone, readWholeContact, visitContacts } from '../../contactReference';
import { mayBreakOptOut } from './consent';
import type { DesiredContact } from './desired';
import type { SyncSettings } from './syncFields';

/** Up to how many contacts are looked up one by one, where reading all of them would take longer. */
const FEW_CONTACTS = 100;

/**
 * Reads all contacts if their pages are no more than the contacts of the input, or if missing ones are
 * asked for. Otherwise it looks up those that are few, that are named by an ID, or that are opted in.
 *
 * @param visit gets each contact that is read
 * @returns whether all contacts were read, and whether one of the input was
 * @throws CrmError for a list that cannot be read whole
 */
export async function readContacts(
	api: Api,
	desired: readonly DesiredContact[],
	settings: SyncSettings,
	visit: (contact: Contact) => void,
): Promise<{ isComplete: boolean; isRead: (each: DesiredContact) => boolean }> {
	const { outputsMissing } = settings;
	if (desired.length === 0 && !outputsMissing) return { isComplete: false, isRead: () => true };
	const { contacts, total } = await api.contactsPage(0);
	if (outputsMissing || Math.ceil((total ?? Infinity) / MAX_PAGE_SIZE) <= desired.length) {
		const firstPage = { records: contacts.map(({ record }) => record), total };
		await visitContacts(api, { firstPage }, visit);
		return { isComplete: true, isRead: () => true };
	}
	// Nobody whom this page shows as opted out may be opted in.
	contacts.forEach(visit);
	const isRead = ({ id, fields }: DesiredContact) =>
		id !== undefined || desired.length <= FEW_CONTACTS || mayBreakOptOut(fields, settings);
	await forEachAtOnce(desired.filter(isRead), ITEMS_AT_ONCE, async (each) =>
		(await lookUp(api, each)).forEach(visit),
	);
	return { isComplete: false, isRead };
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
