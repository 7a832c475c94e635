import { ATTRIBUTE } from './contactColumns';
import { isJsonObject, mergeJson, type JsonObject } from './json';
import { InputProblem, quoted } from './problem';
import { fold, tidy } from './text';

/** The fields of a contact that can be emptied, besides its attributes. */
export const EMPTIABLE = ['name', 'locale', 'source'];

/**
 * Adds the fields to empty to the fields to send. The API reference shows no way to remove a value, so an empty
 * text takes its place.
 *
 * @param names such as `name` and `attributes.plan`
 * @throws InputProblem for a field that cannot be emptied, or that has a value to send
 */
export function withEmptied<T extends JsonObject>(contact: T, names: readonly string[] = []): T {
	return names.map(emptied).reduce<JsonObject>((fields, [name, key]) => {
		const given = key === undefined ? contact : contact.attributes;
		const isGiven =
			isJsonObject(given) && Object.keys(given).some((each) => tidy(each) === (key ?? name));
		if (!isGiven)
			return mergeJson(fields, key === undefined ? { [name]: '' } : { attributes: { [key]: '' } });
		throw new InputProblem(
			`'${key ?? name}' has a value, and is also in 'Fields to Empty'`,
			'Take it out of one of them. Nothing was sent for this item.',
		);
	}, contact) as T;
}

/** A field by its name, or an attribute by its key. */
function emptied(name: string): [name: string, key?: string] {
	const key = name.startsWith(ATTRIBUTE) ? tidy(name.slice(ATTRIBUTE.length)) : '';
	if (key !== '') return ['attributes', key];
	const field = EMPTIABLE.find((each) => each === fold(name));
	if (field !== undefined) return [field];
	throw new InputProblem(
		`'Fields to Empty' holds ${quoted(name)}, which cannot be emptied`,
		"It takes name, locale, source, and attributes with 'attributes.' in front, such as attributes.plan.",
	);
}
