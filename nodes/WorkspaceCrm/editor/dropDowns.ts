import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { readChoice, readTemplateText, type Choice } from '../crm/assumptions';
import { endpoints, type Call } from '../crm/endpoints';
import { contactsWith } from '../crm/lookUp';
import { MAX_PAGE_SIZE } from '../crm/pagination';
import type { Contact, WireRecord } from '../crm/records';
import { ATTRIBUTE, attributeColumns, CONTACT_COLUMNS, EMPTIABLE } from '../domain/contactColumns';
import { isJsonObject } from '../domain/plainData';
import { isNumber } from '../domain/sameNumber';
import { asName, findName } from '../domain/sameText';
import { shownSubscription } from '../events/subscriptions';
import { askForEditor, distinct, listChoices, matching, toEntries } from './choices';

/** Plain drop-downs, by the method names in their fields. */
export const loadOptions = {
	async getTags(this: ILoadOptionsFunctions) {
		return toEntries(await listChoices(this, endpoints.getTags(), toTagChoice));
	},

	getFieldsToEmpty,
};

/** The drop-downs of resource locators, by the method names in their fields. */
export const listSearch = {
	searchAttributes,
	searchContacts,

	searchAutomations: searchIn(endpoints.getAutomations(), readChoice),
	searchSegments: searchIn(endpoints.getSegments(), readChoice),
	searchSubscriptions: searchIn(endpoints.getSubscriptions(), toSubscriptionChoice),
	searchTags: searchIn(endpoints.getTags(), toTagChoice),
	searchTemplates: searchIn(endpoints.getTemplates(), toTemplateChoice),
};

/**
 * Searches contacts by name or phone, a hundred at a time. n8n asks for more when the user scrolls to the end.
 *
 * @param paginationToken the offset of the next contacts
 */
async function searchContacts(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const typed = asName(filter ?? '');
	const search = toSearch(typed);
	const offset = Number(paginationToken ?? 0);
	const { contacts, total } = await askForEditor(this, async (api) => {
		// A whole number is found in whichever form the CRM has it.
		const same = isNumber(typed) ? await contactsWith(api, typed) : [];
		if (same.length > 0) return { contacts: same, total: same.length };
		return await api.contactsPage(offset, search ? { search } : undefined);
	});
	const next = offset + contacts.length;
	const isOptedOut = ({ optInStatus }: Contact) => Number(optInStatus === 'opted_out');
	// Contacts who can be messaged come first.
	const inOrder = [...contacts].sort((a, b) => isOptedOut(a) - isOptedOut(b));
	const isMore = contacts.length > 0 && (total === undefined || next < total);
	return {
		results: toEntries(distinct(inOrder.flatMap((contact) => toContactChoice(contact) ?? []))),
		...(isMore && { paginationToken: String(next) }),
	};
}

/**
 * Of a written phone number, the digits that all its spellings share: the service may compare texts. National
 * numbers begin with a zero, international ones with a plus or two zeros.
 */
function toSearch(text: string): string {
	if (!/^[+\d(][\d\s()./-]{4,}$/.test(text)) return text;
	return text.replace('(0)', '').replace(/\D/g, '').replace(/^0+/, '');
}

/** Consent comes first, because the editor cuts off long names; the phone distinguishes contacts of the same name. */
function toContactChoice({ id, name, phone, optInStatus }: Contact): Choice | undefined {
	if (id === '') return undefined;
	return {
		name: [stateOf(optInStatus), name, phone].filter((text) => text).join(' · ') || id,
		value: id,
	};
}

/** What speaks against a message to the contact. */
function stateOf(optInStatus: Contact['optInStatus']): string | undefined {
	if (optInStatus === 'opted_out') return 'Opted out';
	return optInStatus === undefined || optInStatus === 'confirmed' ? undefined : 'Not confirmed';
}

/** A drop-down of the records of a list. */
function searchIn(call: Call<'list'>, toChoice: (record: WireRecord) => Choice | undefined) {
	return async function (this: ILoadOptionsFunctions, filter?: string) {
		return matching(await listChoices(this, call, toChoice), filter);
	};
}

/**
 * Requests identify a tag by its name (API reference, GET /v1/contacts and POST /v1/contacts/{id}/tags), so the
 * name is also the value.
 */
function toTagChoice(record: WireRecord): Choice | undefined {
	const choice = readChoice(record);
	return choice && { name: choice.name, value: choice.name };
}

/** A template, shown with its text: what `1` stands for cannot be told from its name. */
function toTemplateChoice(record: WireRecord): Choice | undefined {
	const choice = readChoice(record);
	return choice && { ...choice, text: readTemplateText(record) };
}

/** A subscription, named by its URL or by the wait it belongs to. */
function toSubscriptionChoice(record: WireRecord): Choice | undefined {
	const { wait, ...shown } = shownSubscription(record);
	const choice = readChoice(shown);
	if (!choice || !isJsonObject(wait)) return choice;
	return { ...choice, name: `Wait of execution ${wait.execution_id} until ${wait.until}` };
}

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
async function searchAttributes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const columns = attributeColumns(await sampleContacts(this));
	const names = columns.map(({ id }) => id.slice(ATTRIBUTE.length));
	const { results } = matching(
		names.map((name) => ({ name, value: name })),
		filter,
	);
	const typed = asName(filter ?? '');
	const isNew = typed !== '' && findName(typed, names) === undefined;
	const added = isNew ? [{ name: `New attribute: ${typed}`, value: typed }] : [];
	return { results: [...results, ...toEntries(added)] };
}

/** The fields of a contact that can be emptied: some that all have, and the attributes in a sample. */
async function getFieldsToEmpty(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const fields = CONTACT_COLUMNS.filter(({ id }) => EMPTIABLE.includes(id));
	const columns = [...fields, ...attributeColumns(await sampleContacts(this))];
	return toEntries(columns.map(({ id, displayName }) => ({ name: displayName, value: id })));
}
