import type { Api } from '../../../api/client';
import { CrmError, unlessGone } from '../../../api/crmError';
import type { Contact } from '../../../api/types';
import { path } from '../../../api/urls';
import { readWholeContact } from '../../contactReference';
import { forEachTag } from '../../tag';
import { changeContact, failAs, saveContact } from '../save';
import type { DesiredContact } from './desired';
import type { ContactFields } from './row';

const WAS_DELETED = 'The contact was deleted during the sync, and was not created again.';

/** Sends fields by phone, in the form that the CRM has stored, so that it finds the same contact. */
export async function saveByPhone(
	api: Api,
	{ desired, current }: { desired: DesiredContact; current?: Contact },
	{ locale, ...fields }: ContactFields,
	isOutdated?: () => boolean,
): Promise<Contact> {
	const phone = current?.phone || desired.phone;
	const answer = await saveContact(api, { phone, ...fields }, locale, isOutdated);
	if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer, current);
	return answer;
}

/** Sends each tag in its own request, then the other fields; if there are none, reads the contact instead. */
export async function saveById(
	api: Api,
	id: string,
	{ tags = [], ...fields }: ContactFields,
): Promise<Contact> {
	const request = { method: 'POST', path: path`/v1/contacts/${id}/tags` } as const;
	await forEachTag(
		tags,
		'added',
		async (name) => await api.send({ ...request, body: { name }, advice: { 404: WAS_DELETED } }),
	);
	if (Object.keys(fields).length === 0) return await readWholeContact(api, { id });
	return await changeContact(api, id, { ...fields }, { 404: WAS_DELETED });
}

export async function removeTags(api: Api, id: string, tags: readonly string[]): Promise<void> {
	const remove = async (tag: string) =>
		await api
			.send({ method: 'DELETE', path: path`/v1/contacts/${id}/tags/${tag}` })
			.catch(unlessGone);
	await forEachTag([...tags], 'removed', remove).catch(
		failAs(`Some extra tags could not be removed from the contact ${id}`),
	);
}

function otherContact({ id, phone }: Contact, current: Contact): CrmError {
	return new CrmError(
		`Another contact was changed: ${id}`,
		`The contact ${current.id} was deleted during the sync, or its phone number ${phone} went to that contact. Check the consent and the fields of that contact in the CRM, and run the sync again.`,
	);
}
