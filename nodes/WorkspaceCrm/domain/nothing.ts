import { isJsonObject, type JsonObject } from './json';

/** Characters that show nothing, whatever stands beside them: blanks, controls, format characters, the blank of Braille. */
const UNSEEN = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a value is nothing: missing, blank in any spelling, empty, or a list of only such. */
export function isNothing(value: unknown): boolean {
	if (typeof value === 'string') return UNSEEN.test(value);
	if (Array.isArray(value)) return value.every(isNothing);
	if (isJsonObject(value)) return Object.keys(value).length === 0;
	return value === undefined || value === null || Number.isNaN(value);
}

/** What databases and data tools write for no value: pandas' list, and PostgreSQL's. */
const NO_VALUES = new Set(
	'- \\N NULL null None N/A n/a NA <NA> #NA NaN nan -NaN -nan 1.#IND -1.#IND 1.#QNAN -1.#QNAN'
		.split(' ')
		.concat('#N/A N/A'),
);

/** Whether a name, tag, locale or source says that there is none. In an attribute, it is a text. */
export function isNoValue(text: string): boolean {
	return NO_VALUES.has(text.trim());
}

/** Removes nothings and empty objects at any depth. Lists keep all their entries. */
export function dropNothings<T extends JsonObject>(object: T): T {
	const kept = Object.entries(object).flatMap(([name, value]) => {
		const part = isJsonObject(value) ? dropNothings(value) : value;
		return isNothing(part) ? [] : [[name, part] as const];
	});
	return Object.fromEntries(kept) as T;
}
