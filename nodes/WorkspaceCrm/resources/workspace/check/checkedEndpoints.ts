import { readChoice, readListRecord } from '../../../api/assumptions';
import { readTemplateText, readTemplateVariables } from '../../../api/templateRecord';
import { EVENT_TYPES } from '../../../api/eventTypes';
import type { Page } from '../../../api/pagination';
import { MAX_PAGE_SIZE } from '../../../api/pagination';
import { path } from '../../../api/path';
import { readContact, readSubscription } from '../../../api/types';
import { CONTACT_ID_PATTERN } from '../../contactId';

/** Something that the nodes need of an answer. */
export interface Expectation {
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
	/** Which id for later requests the first record gives. */
	gives?: keyof Ids;
	expectations: readonly Expectation[];
}

/** Ids that earlier requests gave. */
export interface Ids {
	contact?: string;
	segment?: string;
}

const NO_SETTING = 'No setting cures this. Share the report, so that the node can be mended.';

const every = (isMet: (row: unknown) => boolean) => (page: Page) => page.rows.every(isMet);

/** An expectation of each record. */
function each(what: string, isMet: (row: unknown) => boolean, whatToDo = NO_SETTING): Expectation {
	return { what, isMet: every(isMet), whatToDo };
}

const contactOf = (row: unknown) => readContact(readListRecord(row, 'id'));

const isContactId = (id: string) => new RegExp(CONTACT_ID_PATTERN).test(id);

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
		(row) => typeof readListRecord(row).attributes === 'object',
		'Attributes cannot be chosen from lists, and Sync does not compare them. Share the report.',
	),
	each(
		'tags (a list of names)',
		(row) => Array.isArray(readListRecord(row).tags),
		'Sync does not compare tags. Share the report.',
	),
];

const total: Expectation = {
	what: 'total',
	isMet: (page) => page.total !== undefined,
	whatToDo:
		'The nodes read on until a page brings nothing new, which takes more requests. Share the report.',
};

const choice = each(
	'an ID or a name',
	(row) => readChoice(row) !== undefined,
	"The drop-down list stays empty. Choose 'By ID' in its place, and enter the ID that the app shows.",
);

/** A list that the service gives whole, and that fills a drop-down. */
function list(
	name: string,
	listPath: string,
	more: Partial<CheckedEndpoint> & { also?: readonly Expectation[] } = {},
): CheckedEndpoint {
	const { also = [], ...rest } = more;
	return { name, pathFor: () => listPath, expectations: [choice, ...also], ...rest };
}

const PAGE = { limit: MAX_PAGE_SIZE, offset: 0 };

/** Every endpoint that can be read. */
export const CHECKED_ENDPOINTS: readonly CheckedEndpoint[] = [
	{
		name: 'GET /v1/workspace',
		pathFor: () => path`/v1/workspace`,
		isRecord: true,
		expectations: [each('id', (row) => 'id' in readListRecord(row), 'Nothing depends on it.')],
	},
	{
		name: 'GET /v1/contacts',
		pathFor: () => path`/v1/contacts`,
		query: PAGE,
		gives: 'contact',
		expectations: [...CONTACT_EXPECTATIONS, total],
	},
	{
		name: 'GET /v1/contacts/{id}',
		pathFor: ({ contact }) => (contact === undefined ? undefined : path`/v1/contacts/${contact}`),
		isRecord: true,
		expectations: CONTACT_EXPECTATIONS,
	},
	list('GET /v1/tags', path`/v1/tags`),
	list('GET /v1/templates', path`/v1/templates`, {
		also: [
			each(
				'the text or the variables',
				(row) => {
					const record = readListRecord(row);
					const { variables } = readTemplateVariables(record);
					return variables.length > 0 || readTemplateText(record) !== undefined;
				},
				"Fields for the variables may not come up. Enter variables under 'Other Variables', by the names that the app shows.",
			),
		],
	}),
	list('GET /v1/automations', path`/v1/automations`),
	list('GET /v1/segments', path`/v1/segments`, { gives: 'segment' }),
	{
		name: 'GET /v1/segments/{id}/contacts',
		pathFor: ({ segment }) =>
			segment === undefined ? undefined : path`/v1/segments/${segment}/contacts`,
		query: PAGE,
		expectations: [
			each(
				'id (a UUID)',
				(row) => isContactId(contactOf(row).id),
				"Take the contact's ID from another field of the output.",
			),
			total,
		],
	},
	list('GET /v1/events', path`/v1/events`, {
		also: [
			{
				what: 'the five event types',
				isMet: (page) => {
					const names = page.rows.map((row) => readChoice(row)?.name);
					return EVENT_TYPES.every(({ value }) => names.includes(value));
				},
				whatToDo: 'The trigger may be refused for an event that the service does not have.',
			},
		],
	}),
	list('GET /v1/subscriptions', path`/v1/subscriptions`, {
		also: [
			each(
				'id, url and events',
				(row) => {
					const { id, url, events } = readSubscription(readListRecord(row));
					return id !== '' && url !== '' && events !== undefined;
				},
				'The trigger may leave subscriptions behind. Share the report.',
			),
		],
	}),
];
