/**
 * - `listed`: in the last complete list.
 * - `missing`: not in it.
 * - `hidden`: not in it, but its ID still gives a contact that belongs there.
 */
export type ListState = 'listed' | 'missing' | 'hidden';

export interface KnownContact {
	state: ListState;
	/** From `packSnapshot`. */
	snapshot: string;
}

/** What is known of each contact, by ID. */
export type ContactMap = Map<string, KnownContact>;

/** Neither needs escaping in JSON, and no packed ID contains one. */
const SEPARATOR = ';';
const ID_END = '.';

const STATE_LETTERS = { listed: 'l', missing: 'm', hidden: 'h' } as const;
const STATES = new Map(
	Object.entries(STATE_LETTERS).map(([state, letter]) => [letter as string, state as ListState]),
);

/** One text, because n8n wraps and copies each object in static data: 150 ms for 10,000, against 2 ms. */
export function packContacts(contacts: ContactMap): string {
	const entries = [...contacts].map(
		([id, { state, snapshot }]) => `${packId(id)}${ID_END}${STATE_LETTERS[state]}${snapshot}`,
	);
	return entries.join(SEPARATOR);
}

export function unpackContacts(text: string): ContactMap {
	const contacts: ContactMap = new Map();
	for (const entry of text === '' ? [] : text.split(SEPARATOR)) {
		const end = entry.indexOf(ID_END);
		const state = STATES.get(entry.charAt(end + 1)) ?? 'listed';
		contacts.set(unpackId(entry.slice(0, end)), { state, snapshot: entry.slice(end + 2) });
	}
	return contacts;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UUID_DASHES = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** In front of an ID that is not a lower-case UUID. */
const OTHER_ID = '=';

/** A UUID takes 22 characters in place of 36. */
function packId(id: string): string {
	if (UUID.test(id)) return Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
	return OTHER_ID + Buffer.from(id, 'utf8').toString('base64url');
}

function unpackId(text: string): string {
	if (text.startsWith(OTHER_ID)) return Buffer.from(text.slice(1), 'base64url').toString('utf8');
	return Buffer.from(text, 'base64url').toString('hex').replace(UUID_DASHES, '$1-$2-$3-$4-$5');
}
