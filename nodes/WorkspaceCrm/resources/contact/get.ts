import type { Api, ListOptions } from '../../crm/client';
import { endpoints } from '../../crm/endpoints';
import { readContact, type Contact, type WireRecord } from '../../crm/records';
import { wrongValue } from '../../domain/inputProblem';
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

/** An option that narrows a list by a time of its contacts. A contact without the time is left out. */
interface TimeFilter {
	field: Field;
	timeOf: (contact: Contact) => string | undefined;
	/** Whether the time must be before the one that the user gives. By default, it must be at that time or later. */
	isBefore?: boolean;
}

const createdAfterField = dateTime('Created After', 'createdAfter', {
	description: `Contacts created at this time or later, in the workflow's time zone. ${COST}.`,
});

const lastMessageAfterField = dateTime('Last Message After', 'lastMessageAfter', {
	description: `Contacts whose last message came in at this time or later, in the workflow's time zone. Contacts who never wrote are left out. ${COST}.`,
});

const lastMessageBeforeField = dateTime('Last Message Before', 'lastMessageBefore', {
	description: `Contacts whose last message came in before this time, in the workflow's time zone. Contacts who never wrote are left out. ${COST}.`,
});

const TIME_FILTERS: readonly TimeFilter[] = [
	{ field: createdAfterField, timeOf: ({ createdAt }) => createdAt },
	{ field: lastMessageAfterField, timeOf: ({ lastInboundAt }) => lastInboundAt },
	{ field: lastMessageBeforeField, timeOf: ({ lastInboundAt }) => lastInboundAt, isBefore: true },
];

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
			options: [
				createdAfterField,
				lastMessageAfterField,
				lastMessageBeforeField,
				...filtersField.options,
			],
		},
	],

	async execute(api, params, { context }) {
		const list = { query: toContactQuery(params.filters), ...pageLimits(params) };
		const tests = timeTests(params.filters, context.getTimezone());
		if (tests.length === 0) return await api.list(endpoints.getContacts(), list);
		return await listMatching(api, list, (contact) => tests.every((passes) => passes(contact)));
	},
});

/** @throws InputProblem for an invalid date */
function timeTests(chosen: Readonly<Record<string, unknown>>, timeZone: string) {
	return TIME_FILTERS.flatMap(({ field: { name, displayName }, timeOf, isBefore }) => {
		const text = chosen[name];
		if (typeof text !== 'string') return [];
		const limitMs = parseZonedMs(text, timeZone);
		if (Number.isNaN(limitMs))
			throw wrongValue(displayName, text, 'a date and time, such as 2030-01-31T18:00');
		return [
			(contact: Contact) => {
				const ms = parseUtcMs(timeOf(contact) ?? '');
				return isBefore ? ms < limitMs : ms >= limitMs;
			},
		];
	});
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
