import type { Api } from '../../crm/client';
import { endpoints } from '../../crm/endpoints';
import { CrmError, type ErrorTexts } from '../../crm/crmError';
import type { JsonObject } from '../../domain/plainData';
import { InputProblem } from '../../domain/inputProblem';
import { readContact, type Contact } from '../../crm/records';

/** Creates or updates a contact by its phone; `isNew` says whether it was created. */
export async function saveContact(api: Api, body: JsonObject): Promise<Contact> {
	return readContact(await api.sendForRecord(endpoints.saveContact(), { body }));
}

/** Sets the locale of a saved contact if it differs: the POST has none. */
export async function withLocale(api: Api, contact: Contact, locale?: string): Promise<Contact> {
	if (locale === undefined || contact.locale === locale) return contact;
	const { id } = contact;
	if (id === '') throw noIdForLocale();
	const { record } = await changeContact(api, id, { locale }).catch(
		failAs(`The contact ${id} was saved, but its locale was not set`),
	);
	return readContact({ ...contact.record, ...record });
}

function noIdForLocale(): CrmError {
	return new CrmError(
		'The contact was saved, but its locale was not set',
		"The answer of the service does not show the contact's ID, which the locale needs. Set it with Contact > Update. Its other fields are saved.",
	);
}

/** Changes name, locale, source or attributes of a contact by its ID. */
export async function changeContact(
	api: Api,
	id: string,
	body: JsonObject,
	advice?: ErrorTexts['advice'],
): Promise<Contact> {
	return readContact(await api.sendForRecord(endpoints.changeContact(id), { body, advice }));
}

/**
 * For `catch`, after the first of several requests: rethrows the failure with a headline that says what
 * succeeded.
 */
export function failAs(headline: string): (error: unknown) => never {
	return (error) => {
		if (error instanceof CrmError) throw error.withMessage(headline);
		// An ID in an answer may be one that no request can name.
		if (error instanceof InputProblem)
			throw new CrmError(headline, `${error.message}. ${error.description}`);
		throw error;
	};
}
