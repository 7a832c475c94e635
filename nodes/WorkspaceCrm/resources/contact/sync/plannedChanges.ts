/** What differs between a contact and what the input asks for it. */
import { isSegment } from '../../../crm/urls';
import type { Contact } from '../../../crm/records';
import { ATTRIBUTE } from '../../../domain/contactColumns';
import type { InputProblem } from '../../../domain/inputProblem';
import { type JsonObject, ownValue } from '../../../domain/plainData';
import { isSameStored, nameBeginsWith, nameFinder } from '../../../domain/sameText';
import { meantText } from '../../../domain/typedValues';
import { changedAttributes, changedExactly } from './attributes';
import { addedTag, removedTag, type Change, type Changes } from './changes';
import { sameContact, type DesiredContact } from './mergedRows';
import { tagStays } from './notes';
import type { GivenFields } from './row';
import { CellReader } from './sheetValues';
import type { SyncOptions } from './syncFields';

/** The changes that bring one contact in line with the input. */
export interface Plan {
	/** The contact in the CRM; undefined if it does not exist, or was not looked up. */
	current?: Contact;
	changes: Changes;
	notes: readonly string[];
	/** Why a cell is refused: then nothing can be changed. */
	refused?: InputProblem;
}

/** Plans what differs from a contact, but for consent; without a contact, everything. */
export function planChanges(
	{ fields: given, rows }: Pick<DesiredContact, 'fields' | 'rows'>,
	current: Contact | undefined,
	options: SyncOptions,
): Plan {
	const cells = new CellReader(given.types);
	const changes = new Map<string, Change>();
	for (const name of ['name', 'locale', 'source'] as const) {
		if (given[name] === undefined) continue;
		const value = String(cells.read(name, current?.[name], given[name]) ?? '');
		if (isSameStored(value, current?.[name] ?? '')) continue;
		changes.set(name, { from: ownValue(current?.record, name) ?? null, to: value });
	}
	const stored = current?.attributes ?? {};
	const attributes = [
		...changedAttributes(withoutExact(given), stored, given.isFlat, cells),
		...changedExactly(given.exactAttributes ?? {}, stored),
	];
	for (const [name, to] of attributes) {
		cells.check(ATTRIBUTE + name, Object.hasOwn(stored, name) ? to : { [name]: to });
		changes.set(ATTRIBUTE + name, { from: ownValue(stored, name) ?? null, to });
	}
	const tags = tagsToChange(given.tags ?? [], current?.tags ?? [], options);
	cells.check('tags', tags.added);
	for (const tag of tags.added) changes.set(...addedTag(tag));
	for (const tag of tags.extra.filter(isSegment)) changes.set(...removedTag(tag));
	const lasting = tags.extra.filter((tag) => !isSegment(tag));
	const notes = [...sameContact(rows), ...lasting.map(tagStays), ...cells.notes];
	return { current, changes, notes, refused: cells.problem };
}

/** The tags that a contact lacks, and those that it has beside them, if these are to be removed. */
function tagsToChange(
	given: readonly string[],
	known: readonly string[],
	{ tagMode, tagPrefix = '' }: SyncOptions,
) {
	const isKnown = nameFinder(known);
	const listed = given.map((tag) => meantText(tag, isKnown(tag)));
	const isMatched = tagMode === 'match' && listed.length > 0;
	const unlisted = isMatched ? known.filter(isNotIn(listed)) : [];
	return {
		added: listed.filter(isNotIn(known)),
		extra: unlisted.filter((tag) => nameBeginsWith(tag, tagPrefix)),
	};
}

/** The value in the JSON counts: otherwise, each run would write the other one. */
function withoutExact({ attributes = {}, exactAttributes }: GivenFields): JsonObject {
	if (!exactAttributes) return attributes;
	const exact = nameFinder(Object.keys(exactAttributes));
	const others = Object.entries(attributes).filter(([name]) => exact(name) === undefined);
	return Object.fromEntries(others);
}

function isNotIn(names: readonly string[]): (name: string) => boolean {
	const sameName = nameFinder(names);
	return (name) => sameName(name) === undefined;
}
