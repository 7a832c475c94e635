import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { MAX_PAGE_SIZE } from '../api/pagination';
import type { Contact } from '../api/records';
import { ATTRIBUTE, attributeColumns, CONTACT_COLUMNS } from '../domain/contactColumns';
import { EMPTIABLE } from '../domain/emptying';
import { sameName, tidy } from '../domain/text';
import { askForEditor, matching, toEntries } from './choices';

/** Up to 300 contacts: the newest, some from the middle, and the oldest. At most three requests. */
export async function sampleContacts(context: ILoadOptionsFunctions): Promise<Contact[]> {
	return await askForEditor(context, async (api) => {
		const { contacts, total = 0 } = await api.contactsPage(0);
		const last = Math.max(total - MAX_PAGE_SIZE, contacts.length);
		const middle = Math.max(Math.floor((total - MAX_PAGE_SIZE) / 2), contacts.length);
		const offsets = [...new Set([middle, last])].filter((offset) => offset < total);
		const pages = offsets.map(async (offset) => await api.contactsPage(offset));
		return [contacts, ...(await Promise.all(pages)).map((page) => page.contacts)].flat();
	});
}

/** The names of attributes found in a sample of contacts, and the name that was typed. */
export async function searchAttributes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const columns = attributeColumns(await sampleContacts(this));
	const names = columns.map(({ id }) => id.slice(ATTRIBUTE.length));
	const { results } = matching(
		names.map((name) => ({ name, value: name })),
		filter,
	);
	const typed = tidy(filter ?? '');
	const isNew = typed !== '' && sameName(typed, names) === undefined;
	const added = isNew ? [{ name: `New attribute: ${typed}`, value: typed }] : [];
	return { results: [...results, ...toEntries(added)] };
}

/** The fields of a contact that can be emptied: some that all have, and the attributes in a sample. */
export async function getFieldsToEmpty(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const fields = CONTACT_COLUMNS.filter(({ id }) => EMPTIABLE.includes(id));
	const columns = [...fields, ...attributeColumns(await sampleContacts(this))];
	return toEntries(columns.map(({ id, displayName }) => ({ name: displayName, value: id })));
}
