import type { Api } from '../../../api/client';
import { unlessGone } from '../../../api/crmError';
import { readContact, type Contact } from '../../../api/types';
import { path } from '../../../api/urls';
import { isSameJson, type JsonObject } from '../../../domain/json';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { readWholeContact } from '../../contactReference';
import { forEachTag } from '../../tag/eachTag';
import { changeContact, failAs, saveContact } from '../save';
import type { OptOuts } from './consent';
import type { Plan } from './plan';
import { fieldNames, type ContactFields } from './rowFields';

/** The contact as the answers show it. */
export interface Saved {
	contact: Contact;
	isNew: boolean;
	/** The fields that an answer shows otherwise than they were sent. */
	storedDifferently: string[];
}

/** The requests that change a contact. */
export class Writer {
	constructor(
		private readonly api: Api,
		private readonly optOuts: OptOuts,
	) {}

	/** With one request where the service lets us; tags and consent it takes only with the phone. */
	async saveByPhone({ desired, current, fields }: Plan): Promise<Saved> {
		const needsPhone = ['tags', 'opt_in', 'consent_proof'].some((name) => name in fields);
		if (current && !needsPhone && fieldNames(fields).length === 0) {
			return { contact: current, isNew: false, storedDifferently: [] };
		}
		if (current && !needsPhone) return await this.patch(current, { ...fields }, WAS_DELETED);
		const { locale, ...body } = fields;
		// As the CRM has it, so that it finds the same contact.
		const phone = current?.phone || desired.phone;
		const answer = await saveContact(this.api, { phone, ...body }, locale);
		if (answer.isNew && current) throw createdAgain();
		if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer);
		return this.saved(current, answer, { ...fields, phone });
	}

	/** Each tag by its own request, then the other fields. */
	async saveById(
		{ current: before = readContact({}), fields, extraTags }: Plan,
		isReadAgain = false,
	): Promise<Saved> {
		const { tags = [], ...body } = fields;
		const { id } = before;
		const tagsPath = path`/v1/contacts/${id}/tags`;
		const add = async (name: string) =>
			await this.api.send({
				method: 'POST',
				path: tagsPath,
				body: { name },
				advice: IS_GONE_ADVICE,
			});
		await forEachTag(tags, 'added', add);
		// An extra tag may be one that was just added, under the name that the service gives it.
		const showsTags = tags.length > 0 && extraTags.length > 0;
		const current = showsTags
			? before
			: readContact({ ...before.record, tags: [...new Set([...before.tags, ...tags])] });
		if (Object.keys(body).length > 0) return await this.patch(current, body, IS_GONE);
		const isRead = isReadAgain || showsTags;
		if (!isRead) return { contact: current, isNew: false, storedDifferently: [] };
		return this.saved(current, await readWholeContact(this.api, { id }), { ...fields });
	}

	private async patch(current: Contact, body: JsonObject, ifGone: string) {
		return this.saved(current, await changeContact(this.api, current.id, body, ifGone), body);
	}

	private saved(before: Contact | undefined, answer: Contact, sent: JsonObject) {
		const record = { ...before?.record, ...answer.record };
		delete record.created;
		const contact = readContact(record);
		this.optOuts.note(contact);
		return { contact, isNew: answer.isNew, storedDifferently: differences(sent, answer) };
	}

	async removeTags(contact: Contact, extraTags: string[]): Promise<Contact> {
		if (extraTags.length === 0) return contact;
		const { id } = contact;
		const remove = async (tag: string) =>
			await this.api.send({ method: 'DELETE', path: tagPath(id, tag) }).catch(unlessGone);
		await forEachTag(extraTags, 'removed', remove).catch(
			failAs(`Some extra tags could not be removed from the contact ${id}`),
		);
		const tags = contact.tags.filter((tag) => !extraTags.includes(tag));
		return readContact({ ...contact.record, tags });
	}
}

/** The fields that an answer shows, and otherwise than they were sent: each run would send them again. */
function differences(sent: JsonObject, { record, phone, tags, attributes }: Contact): string[] {
	const { phone: sentPhone, ...fields } = sent as ContactFields & { phone?: string };
	const isOther = (name: string, value: unknown) =>
		name in record && !isSameJson(record[name], value);
	const names = (['name', 'locale', 'source'] as const).filter(
		(name) => fields[name] !== undefined && isOther(name, fields[name]),
	);
	const keys = 'attributes' in record ? Object.entries(fields.attributes ?? {}) : [];
	return [
		...(sentPhone && phone && phoneDigits(phone) !== phoneDigits(sentPhone) ? ['phone'] : []),
		...names,
		...keys.flatMap(([key, value]) =>
			isSameJson(attributes[key], value) ? [] : [`attributes.${key}`],
		),
		...('tags' in record && fields.tags?.some((tag) => !tags.includes(tag)) ? ['tags'] : []),
	];
}

const IS_GONE = 'The contact was deleted during the sync. No other contact was created.';
const IS_GONE_ADVICE = { 404: IS_GONE };
const WAS_DELETED =
	'The contact was deleted during the sync. To create it again, run the sync again.';

function otherContact({ id, phone }: Contact): InputProblem {
	return new InputProblem(
		`Another contact was changed: ${id}`,
		`The service has the phone number ${phone} for that contact. Check its consent and its fields in the CRM.`,
	);
}

function createdAgain(): InputProblem {
	return new InputProblem(
		'The contact was deleted during the sync, and created again with only some of its fields',
		'Run the sync again to save the others.',
	);
}

export function tagPath(id: string, tag: string): string {
	return path`/v1/contacts/${id}/tags/${tag}`;
}
