import { invalid, notFound } from '../http/api-error';
import { onlyFields, optionalObject, requiredString } from '../http/fields';
import type { Contact, JsonObject } from '../records';
import type { Shapes } from '../shapes';
import type { Store } from '../state/store';
import { existingContact } from './existing-contact';

interface SendFields {
	contact: string;
	template: string;
	variables: string;
}

/** What the fields are called in each of the bodies that a test can choose. */
const sendFields: Record<Shapes['sendBody'], SendFields> = {
	contactId: { contact: 'contact_id', template: 'template', variables: 'variables' },
	contactIdCamel: { contact: 'contactId', template: 'templateName', variables: 'params' },
	phone: { contact: 'to', template: 'template', variables: 'variables' },
};

const enrollFields: Record<Shapes['enrollBody'], string> = {
	contactId: 'contact_id',
	contactIdCamel: 'contactId',
	phone: 'phone',
};

function contactFrom(store: Store, value: string, isPhone: boolean): Contact {
	if (!isPhone) return existingContact(store, value);
	const contact = store.findByPhone(value);
	if (!contact) throw notFound('contact');
	return contact;
}

function templateFrom(body: JsonObject, field: string, isNested: boolean): string {
	if (!isNested) return requiredString(body, field);
	const template = optionalObject(body, field);
	if (!template) throw invalid(`field '${field}' is required`);
	return requiredString(template, 'name');
}

/** Reads the body of a send in the chosen form; the template is a name or an id. */
export function readSendBody(
	store: Store,
	form: Shapes['sendBody'],
	body: JsonObject,
): { contact: Contact; template: string; variables: JsonObject | undefined } {
	const fields = sendFields[form];
	const contactValue = requiredString(body, fields.contact);
	const template = templateFrom(body, fields.template, form === 'phone');
	const variables = optionalObject(body, fields.variables);
	onlyFields(body, Object.values(fields));
	return { contact: contactFrom(store, contactValue, form === 'phone'), template, variables };
}

/** Reads the body of an enrolment in the chosen form. */
export function readEnrollBody(
	store: Store,
	form: Shapes['enrollBody'],
	body: JsonObject,
): Contact {
	const field = enrollFields[form];
	const value = requiredString(body, field);
	onlyFields(body, [field]);
	return contactFrom(store, value, form === 'phone');
}
