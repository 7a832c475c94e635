import { InvalidBody, notFound } from '../http/api-error';
import { isObject } from '../http/body';
import type { BodyProblem } from '../http/invalid-forms';
import type { Contact, JsonObject, Template } from '../records';
import type { BodyForm } from '../shapes';
import type { Store } from '../state/store';
import { existingContact } from './existing-contact';

/** What the fields are called. A dot leads into an object. */
const sendFields: Record<BodyForm, { contact: string; template: string; variables: string }> = {
	contactId: { contact: 'contact_id', template: 'template', variables: 'variables' },
	contactIdCamel: { contact: 'contactId', template: 'templateName', variables: 'params' },
	phone: { contact: 'to', template: 'template.name', variables: 'variables' },
};
const enrollFields: Record<BodyForm, string> = {
	contactId: 'contact_id',
	contactIdCamel: 'contactId',
	phone: 'phone',
};

const isText = (value: unknown): value is string =>
	typeof value === 'string' && value.trim() !== '';

function valueAt(body: JsonObject, field: string): unknown {
	const within = (value: unknown, name: string) =>
		isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	return field.split('.').reduce<unknown>(within, body);
}

/** The texts at `required`. Fails where one is missing or none, and for fields that are unknown. */
function readTexts(body: JsonObject, required: string[], optionalObject?: string): string[] {
	const values = required.map((field) => valueAt(body, field));
	const problems = required.flatMap((field, index): BodyProblem[] => {
		if (values[index] === undefined) return [{ field, kind: 'missing' }];
		return isText(values[index]) ? [] : [{ field, kind: 'wrong', wants: 'a string' }];
	});
	const known = required.map((field) => field.split('.')[0]);
	if (optionalObject !== undefined) {
		const value = body[optionalObject];
		known.push(optionalObject);
		if (value !== undefined && !isObject(value)) {
			problems.push({ field: optionalObject, kind: 'wrong', wants: 'an object' });
		}
	}
	const unknown = Object.keys(body).filter((field) => !known.includes(field));
	problems.push(...unknown.map((field): BodyProblem => ({ field, kind: 'unknown' })));
	if (problems.length > 0) throw new InvalidBody(problems);
	return values.filter(isText);
}

function findContact(store: Store, form: BodyForm, value: string): Contact {
	if (form !== 'phone') return existingContact(store, value);
	const contact = store.findByPhone(value);
	if (!contact) throw notFound('contact');
	return contact;
}

/** Reads the body of a send in the form that is chosen. */
export function readSendBody(
	store: Store,
	form: BodyForm,
	body: JsonObject,
): { contact: Contact; template: Template; variables: unknown } {
	const fields = sendFields[form];
	const [contact, wanted] = readTexts(body, [fields.contact, fields.template], fields.variables);
	const template = store.templates.find(({ id, name }) => id === wanted || name === wanted);
	if (!template) throw notFound('template');
	return {
		contact: findContact(store, form, contact),
		template,
		variables: body[fields.variables],
	};
}

/** Reads the body of an enrolment in the form that is chosen. */
export function readEnrollBody(store: Store, form: BodyForm, body: JsonObject): Contact {
	const [contact] = readTexts(body, [enrollFields[form]]);
	return findContact(store, form, contact);
}
