/** Sends the requests for a contact. */
import type { Api } from '../../../crm/client';
import { CrmError, unlessNotFound } from '../../../crm/crmError';
import { endpoints } from '../../../crm/endpoints';
import { readContact, type Contact, type WireRecord } from '../../../crm/records';
import { rethrow } from '../../../domain/inputProblem';
import { isJsonObject } from '../../../domain/plainData';
import { labelText } from '../../../domain/text';
import { asKnownTags } from '../../tag';
import { bodyOf, isAddedTag, isConsent, tagsAddedIn, type Changes } from './changes';
import { WAS_DELETED } from './knownContacts';
import type { Step } from './nextStep';

export interface ContactRequest extends Step {
	/** The contact; undefined if it is not known. */
	current?: Contact;
	/** The number in the form that the CRM has stored, so that a request by phone finds the same contact. */
	phone: string;
	/** Called before each try. If it returns true, consent is not sent. */
	isOutdated: () => boolean;
}

export interface Answer {
	/** The contact; undefined if the answer does not show it. */
	record?: WireRecord;
	/** When the request was sent. */
	sentMs: number;
	/** What was sent, with tags in the spelling of the workspace. */
	sent: Changes;
}

/**
 * Sends the request of a step.
 *
 * @throws CrmError if it fails, or if another contact was changed; OutdatedError if `isOutdated` returned true
 */
export async function send(api: Api, request: ContactRequest): Promise<Answer> {
	const { kind, current, changes } = request;
	let sentMs = -Infinity;
	const onSend = () => (sentMs = api.clock.elapsedMs());
	const sent = tagsAddedIn(changes).length > 0 ? await inKnownSpelling(api, changes) : changes;
	const record =
		kind === 'save' || !current
			? await saveByPhone(api, { ...request, changes: sent }, onSend)
			: await sendById(api, current.id, { kind, changes: sent }, onSend);
	return { record, sentMs, sent };
}

/** The only function of Sync that may create a contact, and the only one that sends consent. */
async function saveByPhone(
	api: Api,
	{ phone, changes, current, isOutdated }: ContactRequest,
	onSend: () => void,
): Promise<WireRecord> {
	const hasConsent = [...changes.keys()].some(isConsent);
	const body = { phone, ...bodyOf(changes) };
	const options = { body, onSend, ...(hasConsent && { isOutdated }) };
	const record = await api.sendForRecord(endpoints.saveContact(), options);
	const answer = readContact(record);
	if (current && answer.id !== '' && answer.id !== current.id) throw otherContact(answer, current);
	return record;
}

/** A request by ID cannot create a contact that was deleted meanwhile. */
async function sendById(
	api: Api,
	id: string,
	{ kind, changes }: Step,
	onSend: () => void,
): Promise<WireRecord | undefined> {
	if (id === '') throw noId();
	const options = { onSend, advice: WAS_DELETED };
	const look = async () => await api.sendForRecord(endpoints.getContact(id), options);
	if (kind === 'look') return await look();
	const [{ from = null, to = null } = {}] = changes.values();
	if (kind === 'addTag') {
		const call = endpoints.addTag(id);
		const answer = await api.send(call, { ...options, body: { name: to } }).catch(failFor(to));
		// The API reference does not say what the answer is.
		const isContact = isJsonObject(answer) && answer.id === id && 'tags' in answer;
		return isContact ? (answer as WireRecord) : undefined;
	}
	if (kind === 'removeTag') {
		const sending = api.send(endpoints.removeTag(id, String(from)), { onSend });
		const isFound = await sending
			.then(() => true)
			.catch(unlessNotFound)
			.catch(failFor(from));
		// The contact may be gone, not only its tag.
		return isFound ? undefined : await look();
	}
	const body = bodyOf(changes);
	return await api.sendForRecord(endpoints.changeContact(id), { ...options, body });
}

/** Rethrows an error, with the tag that it is about. */
function failFor(tag: unknown): (error: unknown) => never {
	const context = `This was for the tag '${labelText(String(tag))}'.`;
	return (error) => rethrow(error instanceof CrmError ? error.withContext(context) : error);
}

async function inKnownSpelling(api: Api, changes: Changes): Promise<Changes> {
	const known = await asKnownTags(api, tagsAddedIn(changes));
	return new Map(
		Array.from(changes, ([name, { from, to }]) => [
			name,
			{ from, to: isAddedTag(name) ? known.shift() : to },
		]),
	);
}

function noId(): CrmError {
	return new CrmError(
		'The service does not show the ID of the contact',
		"The answer of the service has no 'id', which the locale and single tags need. Set them in the CRM.",
	);
}

function otherContact({ id, phone, isNew }: Contact, current: Contact): CrmError {
	if (isNew) {
		return new CrmError(
			`The contact was deleted in the moment of its request, which created it again: ${id}`,
			`The contact ${current.id} was deleted between the last look at it and the request with its consent. Delete the new contact if the person is to stay erased.`,
		);
	}
	return new CrmError(
		`Another contact was changed: ${id}`,
		`The contact ${current.id} was deleted during the sync, or its phone number ${phone} went to that contact. Check the consent and the fields of that contact in the CRM, and run the sync again.`,
	);
}
