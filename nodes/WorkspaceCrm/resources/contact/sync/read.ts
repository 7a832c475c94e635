import type { Api } from '../../../api/client';
import { CrmError } from '../../../api/crmError';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import { readContact, type Contact } from '../../../api/types';
import { path } from '../../../api/urls';
import { forEachAtOnce, ITEMS_AT_ONCE } from '../../../domain/concurrency';
import { phoneForms, phoneKey } from '../../../domain/phone';
import { findByPhone, readWholeContact } from '../../contactReference';
import { mayBreakOptOut } from './consent';
import type { DesiredContact } from './desired';
import type { SyncSettings } from './syncFields';

/** Up to how many contacts are looked up one by one, where reading all of them would take longer. */
const FEW_CONTACTS = 100;

/** What a sync knows of the CRM before it changes anything. */
export interface Known {
	/** Those that have the ID or a number with the key of a contact; undefined if they were not read. */
	of(desired: DesiredContact): Contact[] | undefined;
	/** Whether all contacts were read. */
	isComplete: boolean;
}

/**
 * Reads all contacts if their pages are no more than the contacts of the input, or if missing ones are
 * asked for. Otherwise it looks up those that are few, that are named by an ID, or that are opted in.
 *
 * @param visit gets each contact that is read
 * @throws CrmError for a list that cannot be read whole
 */
export async function readKnown(
	api: Api,
	desired: readonly DesiredContact[],
	settings: SyncSettings,
	visit: (contact: Contact) => void,
): Promise<Known> {
	const { outputsMissing } = settings;
	const found = new Found(desired);
	const take = (contact: Contact) => {
		visit(contact);
		found.take(contact);
	};
	if (desired.length === 0 && !outputsMissing) return { of: () => [], isComplete: false };
	const { contacts, total } = await api.contactsPage(0);
	if (outputsMissing || Math.ceil((total ?? Infinity) / MAX_PAGE_SIZE) <= desired.length) {
		const firstPage = { records: contacts.map(({ record }) => record), total };
		const all = { path: path`/v1/contacts`, isPaged: true, maxRecords: Infinity, firstPage };
		await api.visit(all, (record) => take(readContact(record)));
		return { of: (each) => found.of(each), isComplete: true };
	}
	const isLookedUp = ({ id, fields }: DesiredContact) =>
		id !== undefined || desired.length <= FEW_CONTACTS || mayBreakOptOut(fields, settings);
	await forEachAtOnce(desired.filter(isLookedUp), ITEMS_AT_ONCE, async (each) =>
		(await lookUp(api, each)).forEach(take),
	);
	return { of: (each) => (isLookedUp(each) ? found.of(each) : undefined), isComplete: false };
}

/** The contacts of the input among those that were read. */
class Found {
	private readonly byName: Map<string, Map<string, Contact>>;

	constructor(desired: readonly DesiredContact[]) {
		this.byName = new Map(desired.flatMap(namesOf).map((name) => [name, new Map()]));
	}

	take(contact: Contact): void {
		for (const name of namesOf(contact)) this.byName.get(name)?.set(contact.id, contact);
	}

	of(desired: DesiredContact): Contact[] {
		const all = namesOf(desired).flatMap((name) => [...(this.byName.get(name) ?? [])]);
		return [...new Map(all).values()];
	}
}

function namesOf({ id, phone }: { id?: string; phone: string }): string[] {
	return [
		...(id === undefined ? [] : [`id ${id.toLowerCase()}`]),
		...(phone === '' ? [] : [phoneKey(phone)]),
	];
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
