import { readChoice, readListRecord, type RecordKind } from '../../../api/assumptions';
import { readTemplateText, readTemplateVariables } from '../../../api/templateRecord';
import { EVENT_TYPES } from '../../../api/eventTypes';
import { MAX_PAGE_SIZE, type Page } from '../../../api/pagination';
import { path } from '../../../api/path';
import { readContact, readSubscription } from '../../../api/types';
import { isJsonObject } from '../../../domain/json';
import { isContactId } from '../../contactId';
import type { Unknown } from './answerForm';

/** Something that the nodes need of an answer. */
interface Expectation {
	/** What it is called in the report. */
	what: string;
	isMet: (page: Page) => boolean;
	/** What a user can do without it. */
	whatToDo: string;
}

/** A request of the check. It changes nothing. */
export interface CheckedEndpoint {
	/** As the API reference has it. */
	name: string;
	/** The path; undefined if it takes the id of a record, and there is none. */
	pathFor: (ids: Ids) => string | undefined;
	query?: Record<string, number>;
	/** Whether the answer is one record, and no list. */
	isRecord?: boolean;
	/** The id of a record, for later requests; undefined if it has none that can be used. */
	gives?: { id: keyof Ids; of: (row: unknown) => string | undefined };
	/** Which names of fields that nobody knows are shown. */
	unknownNames: Unknown;
	expectations: readonly Expectation[];
}

/** Ids that earlier requests gave. */
export interface Ids {
	contact?: string;
	segment?: string;
}

const NO_SETTING = 'No setting fixes this. Share the report, so that the node can be fixed.';

/** An expectation of each record. */
function each(what: string, isMet: (row: unknown) => boolean, whatToDo = NO_SETTING): Expectation {
	return { what, isMet: ({ rows }) => rows.every(isMet), whatToDo };
}

const contactOf = (row: unknown) => readContact(readListRecord(row, 'id'));

function contactIdOf(row: unknown): string | undefined {
	const { id } = contactOf(row);
	return isContactId(id) ? id : undefined;
}

const CONTACT_EXPECTATIONS: readonly Expectation[] = [
	each('id (a UUID)', (row) => isContactId(contactOf(row).id)),
	each('phone', (row) => contactOf(row).phone !== ''),
	each(
		'opt_in_status (none, pending, confirmed or opted_out)',
		(row) => contactOf(row).optInStatus !== undefined,
		'Filters by consent, and the consent in lists, may not work. Share the report.',
	),
	each(
		'attributes (an object)',
		(row) => isJsonObject(readListRecord(row).attributes),
		'Attributes cannot be chosen from lists, and Sync does not compare them. Share the report.',
	),
	each(
		'tags (a list of names)',
		(row) => areTexts(readListRecord(row).tags),
		'Sync does not compare tags. Share the report.',
	),
];

const total: Expectation = {
	what: 'total',
	isMet: (page) => page.total !== undefined,
	whatToDo:
		'The nodes read on until a page brings nothing new, which takes more requests. Share the report.',
};

const areTexts = (value: unknown) =>
	Array.isArray(value) && value.every((entry) => typeof entry === 'string');

/** A list that the service gives whole, and that fills a drop-down. */
function list(
	kind: RecordKind,
	listPath: string,
	more: Partial<CheckedEndpoint> & { also?: readonly Expectation[] } = {},
): CheckedEndpoint {
	const { also = [], ...rest } = more;
	const choice = each(
		kind === 'tag' || kind === 'event' ? 'a name' : 'an ID or a name',
		(row) => readChoice(row, kind) !== undefined,
		"Drop-down lists leave these records out. Choose 'By ID' or 'By Name' in their place, and enter what the app shows.",
	);
	const whole: Expectation = {
		what: 'all records',
		isMet: ({ rows, total = rows.length, hasMore }) => !hasMore && total <= rows.length,
		whatToDo:
			'The list has more records than came. If the nodes cannot get them by limit and offset, they say so. Share the report.',
	};
	const name = `GET ${listPath}`;
	const pathFor = () => listPath;
	const unknownNames = kind === 'tag' ? 'masked' : 'ofRecords';
	return { name, pathFor, unknownNames, expectations: [choice, whole, ...also], ...rest };
}

const PAGE = { limit: MAX_PAGE_SIZE, offset: 0 };

/** Every endpoint that can be read. */
export const CHECKED_ENDPOINTS: readonly CheckedEndpoint[] = [
	{
		name: 'GET /v1/workspace',
		pathFor: () => path`/v1/workspace`,
		isRecord: true,
		unknownNames: 'masked',
		expectations: [
			each(
				'id',
				(row) => readListRecord(row).id !== undefined,
				'The test of the credential may say that this is not the API. The nodes work all the same.',
			),
		],
	},
	{
		name: 'GET /v1/contacts',
		pathFor: () => path`/v1/contacts`,
		query: PAGE,
		gives: { id: 'contact', of: contactIdOf },
		unknownNames: 'masked',
		expectations: [...CONTACT_EXPECTATIONS, total],
	},
	{
		name: 'GET /v1/contacts/{id}',
		pathFor: ({ contact }) => (contact === undefined ? undefined : path`/v1/contacts/${contact}`),
		isRecord: true,
		unknownNames: 'masked',
		expectations: CONTACT_EXPECTATIONS,
	},
	list('tag', path`/v1/tags`),
	list('template', path`/v1/templates`, {
		also: [
			each(
				'the text or the variables',
				(row) => {
					const record = readListRecord(row);
					const { variables } = readTemplateVariables(record);
					const tells = variables.length > 0 || 'variables' in record;
					return tells || readTemplateText(record) !== undefined;
				},
				"Fields for the variables may not come up. Enter variables under 'Other Variables', by the names that the app shows.",
			),
		],
	}),
	list('automation', path`/v1/automations`),
	list('segment', path`/v1/segments`, {
		gives: { id: 'segment', of: (row) => readChoice(row, 'segment')?.value },
	}),
	{
		name: 'GET /v1/segments/{id}/contacts',
		pathFor: ({ segment }) =>
			segment === undefined ? undefined : path`/v1/segments/${segment}/contacts`,
		query: PAGE,
		unknownNames: 'masked',
		expectations: [
			each(
				'id (a UUID)',
				(row) => isContactId(contactOf(row).id),
				"Take the contact's ID from another field of the output.",
			),
			total,
		],
	},
	list('event', path`/v1/events`, {
		also: [
			{
				what: 'the five event types',
				isMet: (page) => {
					const names = page.rows.map((row) => readChoice(row, 'event')?.name);
					return EVENT_TYPES.every(({ value }) => names.includes(value));
				},
				whatToDo: 'The trigger may be refused for an event that the service does not have.',
			},
		],
	}),
	list('subscription', path`/v1/subscriptions`, {
		also: [
			each(
				'id, url and events',
				(row) => {
					const record = readListRecord(row);
					const { id, url } = readSubscription(record);
					return id !== '' && url !== '' && areTexts(record.events);
				},
				'The trigger may leave subscriptions behind. Share the report.',
			),
		],
	}),
];
