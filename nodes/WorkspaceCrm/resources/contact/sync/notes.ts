/** What a sync says about a row beside its action. */
import { quoted } from '../../../domain/inputProblem';
import { named, several } from '../../../domain/text';

interface Texts {
	/** The sentence in `sync.note`, with what it is about; none if only the summary says it. */
	row?: (about: string) => string;
	/** The sentence in the summary, for the contacts that have the note. */
	summary?: (contacts: number, about: readonly string[], notes: readonly Note[]) => string;
}

/** In the order in which they are said. */
const NOTES = {
	/** About rows of one contact with different values. */
	differ: {
		row: (rows) => `${rows}: the last counts.`,
		summary: (_contacts, rows) => `${named(rows)}: the last counts.`,
	},
	/** About other rows of one contact. */
	merged: { row: (rows) => sameContact([rows]), summary: (_contacts, rows) => sameContact(rows) },
	keepsOptOut: {
		row: () => 'The contact has opted out and was not opted in again.',
		summary: (contacts) => `${several(contacts, 'opted-out contact')} not opted in again.`,
	},
	statusNotSent: {
		row: () =>
			"The field 'opt_in_status' says opted_out, and is not sent. To opt the contact out, add a column 'Opt In' with No.",
		summary: (contacts) =>
			`${several(contacts, 'contact')} not opted out: 'opt_in_status' says opted_out, and is not sent. Add a column 'Opt In' with No.`,
	},
	pending: {
		row: () =>
			"The contact is pending: it has not confirmed yet. 'Opt In: Yes' was not sent again.",
		summary: (contacts) =>
			`${several(contacts, 'pending contact')} not confirmed yet, so not opted in again.`,
	},
	otherTagNames: {
		row: () =>
			'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.',
	},
	hiddenTags: {
		row: () =>
			"No tags were removed, because the answer of the CRM does not show the contact's tags.",
	},
	/** About a tag that no request can name. */
	lastingTag: {
		row: (tag) => `The tag ${quoted(tag)} stays, because the API cannot remove a tag of this name.`,
	},
	/** About a cell that counts as the stored value. */
	writtenOtherwise: {
		summary: (_contacts, [first = '', ...others]) =>
			others.length === 0
				? `1 cell is written differently but means the same: ${first}.`
				: `${others.length + 1} cells are written differently but mean the same, such as ${first}.`,
	},
	/** About an attribute that the contact did not have. */
	newNumbers: {
		summary: (_contacts, _columns, notes) => {
			const examples = new Map(notes.map(({ about = '', example = '' }) => [about, example]));
			const shown = [...examples].map(([name, example]) => `${name} (${example})`);
			return `Numbers in new attributes: ${named(shown)}. A number may be a date.`;
		},
	},
	/** About a field that an answer shows with another value than we sent. */
	storedDifferently: {
		summary: (_contacts, fields) =>
			`The CRM stores some values differently, so each run sends them again: ${named(fields)}.`,
	},
} as const satisfies Record<string, Texts>;

function sameContact(rows: readonly string[]): string {
	return `Same contact: ${named(rows)}. The last value of each field counts, and all tags.`;
}

export interface Note {
	kind: keyof typeof NOTES;
	about?: string;
	example?: string;
}

const ALL = Object.entries<Texts>(NOTES);

/** The sentences in a row. */
export function rowNotes(notes: readonly Note[]): string[] {
	// As most rows of many thousands.
	if (notes.length === 0) return [];
	return ALL.flatMap(([kind, { row }]) =>
		row ? notes.filter((note) => note.kind === kind).map(({ about = '' }) => row(about)) : [],
	);
}

/** The sentences in the summary. @param contacts the notes of each contact */
export function summaryNotes(contacts: ReadonlyArray<readonly Note[]>): string[] {
	const noted = contacts.filter((notes) => notes.length > 0);
	return ALL.flatMap(([kind, { summary }]) => {
		const own = noted.map((notes) => notes.filter((note) => note.kind === kind));
		const count = own.filter((notes) => notes.length > 0).length;
		return summary && count > 0
			? [
					summary(
						count,
						own.flat().map(({ about = '' }) => about),
						own.flat(),
					),
				]
			: [];
	});
}

/** Notes of several requests for one contact, each once. */
export function mergeNotes(...all: ReadonlyArray<readonly Note[]>): Note[] {
	const isFirst = (note: Note, place: number, notes: readonly Note[]) =>
		notes.findIndex(({ kind, about }) => kind === note.kind && about === note.about) === place;
	return all.flat().filter(isFirst);
}
