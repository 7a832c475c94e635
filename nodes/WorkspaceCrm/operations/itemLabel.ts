import { isBlank, type JsonObject } from '../domain/json';
import { plainName } from '../domain/names';
import { plainText } from '../domain/text';

/** Fields that identify an input item to a person, by priority. */
const LABEL_FIELDS = [
	'name',
	'fullname',
	'displayname',
	'firstname',
	'phone',
	'phonenumber',
	'mobile',
];

const MAX_CHARACTERS = 40;

/**
 * The label of an input item in errors: its number, counted from 1, and its name or phone.
 *
 * @returns undefined if there is only one item
 */
export function itemLabel(
	items: ReadonlyArray<{ json: JsonObject }>,
	index: number,
): string | undefined {
	if (items.length < 2) return undefined;
	const fields = Object.entries(items[index]?.json ?? {});
	const values = LABEL_FIELDS.map(
		(label) => fields.find(([name]) => plainName(name) === label)?.[1],
	);
	const text = values.find(
		(value) => (typeof value === 'string' || typeof value === 'number') && !isBlank(value),
	);
	const called = text === undefined ? '' : `, ${plainText(String(text).trim(), MAX_CHARACTERS)}`;
	return `item ${index + 1}${called}`;
}
