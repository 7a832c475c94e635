import { checkJson, mergeJson, type JsonObject } from '../../domain/json';
import type { NameValue } from '../../operations/fieldKinds';

/**
 * The attributes of a contact as they are sent, or nothing when none was given.
 *
 * @param rows names and values; a name that comes twice has its last value
 * @param json laid over the rows
 * @throws InputProblem for a value that JSON cannot hold
 */
export function readAttributes(
	rows: NameValue[] | undefined,
	json: JsonObject | undefined,
): { attributes?: JsonObject } {
	const fromRows = Object.fromEntries((rows ?? []).map(({ name, value }) => [name, value]));
	const attributes = mergeJson(
		checkJson(fromRows, 'Attributes'),
		checkJson(json ?? {}, 'Attributes (JSON)'),
	);
	return Object.keys(attributes).length > 0 ? { attributes } : {};
}
