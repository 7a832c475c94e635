import type { Api } from '../../../api/client';
import { unlessGone } from '../../../api/crmError';
import type { Contact } from '../../../api/types';
import { path } from '../../../api/urls';
import { phoneDigits } from '../../../domain/phone';
import { InputProblem } from '../../../domain/problem';
import { readWholeContact } from '../../contactReference';
import { forEachTag } from '../../tag/eachTag';
import { changeContact, failAs, saveContact } from '../save';
import { splitConsent } from './consent';
import type { Plan } from './plan';

/** Whether a contact is changed by its ID: its row gives it, or another form of its number. */
export function isChangedById({ desired, current }: Plan): boolean {
	if (!current) return false;
	return desired.id !== undefined || phoneDigits(desired.phone) !== phoneDigits(current.phone);
}

/**
 * Sends the fields with one request where the service lets us; it takes tags and consent only with the
 * phone.
 *
 * @returns the answer; undefined if there was nothing to send
 */
export async function saveByPhone(
	api: Api,
	{ desired, current, fields }: Plan,
): Promise<Contact | undefined> {
	const needsPhone = fields.tags !== undefined || splitConsent(fields).hasConsent;
	if (current && !needsPhone) {
		if (Object.keys(fields).length === 0) return undefined;
		return await changeContact(api, current.id, { ...fields }, WAS_DELETED);
	}
	const { locale, ...body } = fields;
	// As the CRM has it, so that it finds the same contact.
	const phone = current?.phone || desired.phone;
	const answer = await saveContact(api, { phone, ...body }, locale);
	if (answer.isNew && current) throw createdAgain();
	if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer);
	return answer;
}

/**
 * Sends each tag by its own request, then the other fields.
 *
 * @param showsAll whether the contact is to be read again if no answer shows it
 * @returns the answer that shows the contact, if there is one
 */
export async function saveById(
	api: Api,
	id: string,
	{ tags = [], ...fields }: Plan['fields'],
	showsAll: boolean,
): Promise<Contact | undefined> {
	const request = { method: 'POST', path: path`/v1/contacts/${id}/tags` } as const;
	await forEachTag(
		tags,
		'added',
		async (name) => await api.send({ ...request, body: { name }, advice: { 404: IS_GONE } }),
	);
	if (Object.keys(fields).length > 0) return await changeContact(api, id, { ...fields }, IS_GONE);
	return showsAll ? await readWholeContact(api, { id }) : undefined;
}

export async function removeTags(api: Api, id: string, tags: readonly string[]): Promise<void> {
	const remove = async (tag: string) =>
		await api.send({ method: 'DELETE', path: tagPath(id, tag) }).catch(unlessGone);
	await forEachTag([...tags], 'removed', remove).catch(
		failAs(`Some extra tags could not be removed from the contact ${id}`),
	);
}

/** @throws InputProblem for a name that cannot stand in a path */
export function tagPath(id: string, tag: string): string {
	return path`/v1/contacts/${id}/tags/${tag}`;
}

const IS_GONE = 'The contact was deleted during the sync. No other contact was created.';
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
