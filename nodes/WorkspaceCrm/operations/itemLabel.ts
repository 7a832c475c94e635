import { isBlank, type JsonObject } from '../domain/json';
import { plainName } from '../domain/names';
import { plainText } from '../domain/text';

/** Fields of an input item that tell a person which one it is; the first that is there counts. */
const TELLING = ['name', 'fullname', 'displayname', 'firstname', 'phone', 'phonenumber', 'mobile'];

const MAX_CHARACTERS = 40;

/**
 * What a person calls an input item: its number, counted from 1, and its name or phone.
 *
 * @returns undefined if there is only one item
 */
export function itemLabel(
	items: ReadonlyArray<{ json: JsonObject }>,
	index: number,
): string | undefined {
	if (items.length < 2) return undefined;
	const fields = Object.entries(items[index]?.json ?? {}).map(
		([name, value]) => [plainName(name), value] as const,
	);
	const texts = TELLING.map((name) => fields.find((field) => field[0] === name)?.[1]);
	const text = texts.find(
		(value) => (typeof value === 'string' || typeof value === 'number') && !isBlank(value),
	);
	const called = text === undefined ? '' : `, ${plainText(String(text).trim(), MAX_CHARACTERS)}`;
	return `item ${index + 1}${called}`;
}
