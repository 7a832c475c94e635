/** What a sync says about a contact beside its action: sentences. The row shows them, the summary each kind once. */
import { quoted } from '../../../domain/inputProblem';
import { several } from '../../../domain/text';

export const KEEPS_OPT_OUT = 'The contact has opted out and was not opted in again.';
export const STATUS_NOT_SENT =
	"The field 'opt_in_status' says opted_out, and is not sent. To opt the contact out, add a column 'Opt In' with No.";
export const IS_PENDING =
	"The contact is pending: it has not confirmed yet. 'Opt In: Yes' was not sent again.";
export const OTHER_TAG_NAMES =
	'No tags were removed, because the CRM shows some tags of this item under other names. In the input, write the tags as the CRM shows them.';
export const HIDDEN_TAGS =
	"No tags were removed, because the answer of the CRM does not show the contact's tags.";

/** For a tag that no request can name. */
export function tagStays(tag: string): string {
	return `The tag ${quoted(tag)} stays, because the API cannot remove a tag of this name.`;
}

/** For a field that an answer shows with another value than we sent. */
export function storedDifferently(field: string): string {
	return `The CRM stores ${field} differently, so each run sends it again.`;
}

/** Sentences that differ only in their values. */
export interface Kind<T> {
	/** The first of them. */
	sentence: string;
	/** Whether all are equal. */
	areSame: boolean;
	/** What they are about. */
	about: Set<T>;
}

/** As long as `quoted` shows one. */
const QUOTED = /"(?:\\.|[^"\\]){0,80}"/g;
const NUMBER = /[+\d][\d-]*/g;

/** @param said each sentence with what it is about, in order */
export function kindsOf<T>(said: Iterable<readonly [sentence: string, about: T]>): Array<Kind<T>> {
	const kinds = new Map<string, Kind<T>>();
	for (const [sentence, about] of said) {
		const key = sentence.replace(QUOTED, '…').replace(NUMBER, '…');
		const kind = kinds.get(key) ?? { sentence, areSame: true, about: new Set() };
		kind.areSame &&= kind.sentence === sentence;
		kinds.set(key, kind);
		kind.about.add(about);
	}
	return [...kinds.values()];
}

const SHOWN_NOTES = 10;

/** The sentences in the summary. @param contacts the notes of each contact */
export function summaryNotes(contacts: ReadonlyArray<readonly string[]>): string[] {
	const said = contacts.flatMap((notes, index) => notes.map((note) => [note, index] as const));
	const kinds = kindsOf(said);
	const more = kinds.length - SHOWN_NOTES;
	return [
		...kinds.slice(0, SHOWN_NOTES).map(({ sentence, areSame, about }) => {
			if (about.size === 1 && areSame) return sentence;
			return `${several(about.size, 'contact')}${areSame ? '' : ', for example'}: ${sentence}`;
		}),
		...(more > 0 ? [`${several(more, 'other note')}: see 'sync.note'.`] : []),
	];
}
