import type { IDataObject } from 'n8n-workflow';

import type { Api } from '../../api/client';
import { CrmError } from '../../api/crmError';
import type { JsonObject } from '../../domain/json';
import { path } from '../../api/path';

/** Creates or updates a contact by its phone; the answer says which, in `created`. */
export async function saveContact(
	api: Api,
	body: JsonObject,
	locale: string | undefined,
): Promise<IDataObject> {
	const contact = await api.sendForRecord({
		method: 'POST',
		path: path`/v1/contacts`,
		body,
	});
	// The POST knows no locale, so it takes a second request, and only when there is a difference.
	if (locale === undefined || contact.locale === locale) return contact;
	const id = String(contact.id);
	const saved = await changeContact(api, id, { locale }).catch(
		failAs(`The contact ${id} was saved, but its locale was not set`),
	);
	return { ...contact, ...saved };
}

/**
 * Changes the fields of a contact that need no more than its id: name, locale, source, attributes.
 *
 * @param ifMissing what to do if there is no such contact, where its id was not the user's to give
 */
export async function changeContact(
	api: Api,
	id: string,
	body: JsonObject,
	ifMissing?: string,
): Promise<IDataObject> {
	return await api.sendForRecord({
		method: 'PATCH',
		path: path`/v1/contacts/${id}`,
		body,
		...(ifMissing !== undefined && { remedies: { 404: ifMissing } }),
	});
}

/** Catches the failure of a later request of several. The headline says what the earlier ones did. */
export function failAs(headline: string): (error: unknown) => never {
	return (error) => {
		throw error instanceof CrmError ? error.withMessage(headline) : error;
	};
}
