import type { Api, ListOptions } from '../../crm/client';
import { endpoints } from '../../crm/endpoints';
import { readContact, type Contact, type WireRecord } from '../../crm/records';
import { wrongValue } from '../../domain/problem';
import { parseUtcMs, parseZonedMs } from '../../domain/time';
import { defineOperation } from '../../operations/define';
import { dateTime } from '../../operations/fieldBuilders';
import type { Field } from '../../operations/fieldKinds';
import { filtersField, toContactQuery } from '../fields/contactFilters';
import { contactFields, findContactId } from '../fields/contactReference';
import { limitField, pageLimits, returnAllField } from '../fields/getMany';

export const get = defineOperation({
	value: 'get',
	name: 'Get',
	action: 'Get contact',
	description: 'Retrieve one contact with its tags, attributes and consent state',
	effect: 'read',
	fields: contactFields,

	order: 'parallel',

	async execute(api, contact) {
		const id = await findContactId(api, contact);
		return await api.sendForRecord(endpoints.getContact(id));
	},
});

const COST =
	"The service has no such filter, so the node reads all contacts that match the other filters, with one request per 100 contacts. If 'Return All' is off, it stops once the limit is reached";

const createdAfterField = dateTime('Created After', 'createdAfter', {
	description: `Contacts created at this time or later, in the workflow's time zone. ${COST}.`,
});

const lastMessageAfterField = dateTime('Last Message After', 'lastMessageAfter', {
	description: `Contacts whose last message came in at this time or later, in the workflow's time zone. Contacts who never wrote are left out. ${COST}.`,
});

export const getAll = defineOperation({
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many contacts',
	description: 'List contacts, all or those that match filters',
	effect: 'read',
	fields: [
		returnAllField,
		limitField,
		{
			...filtersField,
			options: [createdAfterField, lastMessageAfterField, ...filtersField.options],
		},
	],

	async execute(api, params, { context }) {
		const { createdAfter, lastMessageAfter, ...filters } = params.filters;
		const query = toContactQuery(filters);
		const list = { query, ...pageLimits(params) };
		if (createdAfter === undefined && lastMessageAfter === undefined)
			return await api.list(endpoints.getContacts(), list);
		const timeZone = context.getTimezone();
		const createdMs = readTime(createdAfterField, createdAfter, timeZone);
		const lastMessageMs = readTime(lastMessageAfterField, lastMessageAfter, timeZone);
		return await listMatching(
			api,
			list,
			({ createdAt, lastInboundAt }) =>
				isSince(createdAt, createdMs) && isSince(lastInboundAt, lastMessageMs),
		);
	},
});

/** @throws InputProblem for an invalid date */
function readTime({ displayName }: Field, text: string | undefined, timeZone: string) {
	const ms = text === undefined ? undefined : parseZonedMs(text, timeZone);
	if (!Number.isNaN(ms)) return ms;
	throw wrongValue(displayName, text, 'a date and time, such as 2030-01-31T18:00');
}

/** Whether a time is late enough. A contact without the time does not match. */
function isSince(time = '', fromMs?: number): boolean {
	return fromMs === undefined || parseUtcMs(time) >= fromMs;
}

/** Reads a list of contacts and returns those that match, up to the limit. */
async function listMatching(
	api: Api,
	{ limit = Infinity, ...list }: ListOptions,
	matches: (contact: Contact) => boolean,
): Promise<WireRecord[]> {
	const found: WireRecord[] = [];
	const isStepwise = limit !== Infinity;
	for await (const record of api.records(endpoints.getContacts(), { ...list, isStepwise })) {
		if (matches(readContact(record))) found.push(record);
		if (found.length >= limit) break;
	}
	return found;
}
