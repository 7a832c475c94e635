import { InvalidBody, notFound } from '../http/api-error';
import { isObject } from '../http/body';
import type { BodyProblem } from '../http/invalid-forms';
import type { Contact, JsonObject, Template } from '../records';
import { enrollForms, sendForms, type EnrollForm, type SendForm, type Shapes } from '../shapes';
import type { Store } from '../state/store';
import { existingContact } from './existing-contact';

/** Takes fields out of a body, and notes what is wrong with them. */
class BodyReader {
	private readonly problems: BodyProblem[] = [];

	private readonly taken: string[] = [];

	constructor(private readonly body: JsonObject) {}

	/** The value at a path such as `template.name`; undefined if it is missing, which is noted. */
	take(field: string, isRequired: boolean): unknown {
		this.taken.push(field);
		const names = field.split('.');
		let value: unknown = this.body;
		for (const [depth, name] of names.entries()) {
			if (!isObject(value)) {
				const outer = names.slice(0, depth).join('.');
				this.problems.push({ field: outer, kind: 'wrong', wants: 'an object' });
				return undefined;
			}
			value = Object.hasOwn(value, name) ? value[name] : undefined;
			if (value === undefined) {
				if (isRequired) this.problems.push({ field, kind: 'missing' });
				return undefined;
			}
		}
		return value;
	}

	text(field: string): string {
		const value = this.take(field, true);
		if (value === undefined) return '';
		if (typeof value === 'string' && value.trim() !== '') return value;
		this.problems.push({ field, kind: 'wrong', wants: 'a string' });
		return '';
	}

	refuse(field: string, wants: BodyProblem['wants']): void {
		this.problems.push({ field, kind: 'wrong', wants });
	}

	/** Ends the reading: fields that were not taken are unknown. */
	finish(isStrict: boolean): void {
		const roots = new Set(this.taken.map((field) => field.split('.')[0]));
		const unknown = Object.keys(this.body).filter((field) => isStrict && !roots.has(field));
		this.problems.push(...unknown.map((field) => ({ field, kind: 'unknown' as const })));
		if (this.problems.length > 0) throw new InvalidBody(this.problems);
	}
}

const PHONE = /^\+?\d{6,15}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function readContact(reader: BodyReader, form: EnrollForm): string {
	const value = reader.text(form.contact);
	const isRight = (form.contactBy === 'phone' ? PHONE : UUID).test(value);
	if (value !== '' && form.checksContact && !isRight) {
		reader.refuse(form.contact, form.contactBy === 'phone' ? 'a phone number' : 'a UUID');
	}
	return value;
}

function findContact(store: Store, { contactBy }: EnrollForm, value: string): Contact {
	if (contactBy === 'id') return existingContact(store, value);
	const contact = store.findByPhone(value);
	if (!contact) throw notFound('contact');
	return contact;
}

function readVariables(
	reader: BodyReader,
	form: SendForm,
	isRequired: boolean,
): JsonObject | undefined {
	const value = reader.take(form.variables, isRequired);
	if (value === undefined) return undefined;
	if (form.variablesAs === 'object') {
		if (isObject(value)) return value;
		reader.refuse(form.variables, 'an object');
		return undefined;
	}
	if (!Array.isArray(value)) {
		reader.refuse(form.variables, 'an array');
		return undefined;
	}
	const rows: unknown[] = value;
	const isPairs = form.variablesAs === 'pairs';
	if (rows.some((row) => isObject(row) !== isPairs)) {
		reader.refuse(`${form.variables}.0`, isPairs ? 'an object' : 'a string');
		return undefined;
	}
	return Object.fromEntries(
		rows.map((row, index) => (isObject(row) ? [row.name, row.value] : [String(index + 1), row])),
	) as JsonObject;
}

function findTemplate(store: Store, { templateBy }: SendForm, value: string): Template | undefined {
	return store.templates.find(
		({ id, name }) =>
			(templateBy !== 'name' && id === value) || (templateBy !== 'id' && name === value),
	);
}

/** Reads the body of a send in the form that is chosen. */
export function readSendBody(
	store: Store,
	shape: Shapes['sendBody'],
	body: JsonObject,
): { contact: Contact; template: Template; variables: JsonObject | undefined } {
	const form = typeof shape === 'string' ? sendForms[shape] : shape;
	const reader = new BodyReader(body);
	const contact = readContact(reader, form);
	const template = findTemplate(store, form, reader.text(form.template));
	// Of a template that is not there, nobody knows.
	const hasVariables = template?.body.includes('{{') ?? true;
	const variables = readVariables(reader, form, form.needsVariables && hasVariables);
	reader.finish(form.isStrict);
	if (!template) throw notFound('template');
	return { contact: findContact(store, form, contact), template, variables };
}

/** Reads the body of an enrolment in the form that is chosen. */
export function readEnrollBody(
	store: Store,
	shape: Shapes['enrollBody'],
	body: JsonObject,
): Contact {
	const form = typeof shape === 'string' ? enrollForms[shape] : shape;
	const reader = new BodyReader(body);
	const contact = readContact(reader, form);
	reader.finish(form.isStrict);
	return findContact(store, form, contact);
}
