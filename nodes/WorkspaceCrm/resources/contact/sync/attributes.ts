/** Which attributes of a contact a sync changes. */
import { isJsonObject, isSameJson, type JsonObject } from '../../../domain/json';
import { sameNameIn } from '../../../domain/text';

type Entry = [name: string, value: unknown];

/**
 * The attributes to send, under the names that the contact already has for them. A part of an object that the input
 * does not give keeps its value: an object is sent with all its parts, because a service may replace it.
 */
export function changedAttributes(given: JsonObject, stored: JsonObject): Entry[] {
	return renamed(given, stored)
		.map(([name, value]): Entry => [name, mergedInto(stored[name], value)])
		.filter(([name, value]) => !isSameJson(value, stored[name]));
}

/** The same for attributes that are exact: also blank, and objects as they are. */
export function changedExactly(given: JsonObject, stored: JsonObject): Entry[] {
	return renamed(given, stored).filter(
		([name, value]) => !Object.hasOwn(stored, name) || !isSameJson(value, stored[name]),
	);
}

function renamed(given: JsonObject, stored: JsonObject): Entry[] {
	const sameName = sameNameIn(Object.keys(stored));
	return Object.entries(given).map(([name, value]) => [sameName(name) ?? name, value]);
}

function mergedInto(stored: unknown, given: unknown): unknown {
	if (!isJsonObject(stored) || !isJsonObject(given)) return given;
	const parts = renamed(given, stored).map(([name, value]): Entry => {
		return [name, mergedInto(stored[name], value)];
	});
	return Object.fromEntries([...Object.entries(stored), ...parts]);
}
