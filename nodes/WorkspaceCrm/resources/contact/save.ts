import type { Api, ApiRequest } from '../../api/client';
import { CrmError } from '../../api/crmError';
import type { JsonObject } from '../../domain/json';
import { path } from '../../api/urls';
import { readContact, type Contact } from '../../api/types';

/**
 * Creates or updates a contact by its phone; `isNew` says which.
 *
 * @param isOutdated asked before the request goes out
 * @throws OutdatedError if it is
 */
export async function saveContact(
	api: Api,
	body: JsonObject,
	locale: string | undefined,
	isOutdated?: () => boolean,
): Promise<Contact> {
	const request = { method: 'POST', path: path`/v1/contacts`, body, isOutdated } as const;
	const answer = await api.sendForRecord(request);
	const contact = readContact(answer);
	// The POST knows no locale, so it takes a second request, and only when there is a difference.
	if (locale === undefined || contact.locale === locale) return contact;
	const { record } = await changeContact(api, contact.id, { locale }).catch(
		failAs(`The contact ${contact.id} was saved, but its locale was not set`),
	);
	return readContact({ ...contact.record, ...record });
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
): Promise<Contact> {
	const advice: ApiRequest['advice'] = ifMissing === undefined ? {} : { 404: ifMissing };
	return readContact(
		await api.sendForRecord({ method: 'PATCH', path: path`/v1/contacts/${id}`, body, advice }),
	);
}

/** Catches the failure of a later request of several. The headline says what the earlier ones did. */
export function failAs(headline: string): (error: unknown) => never {
	return (error) => {
		throw error instanceof CrmError ? error.withMessage(headline) : error;
	};
}
